import { describe, expect, it } from 'vitest';
import { COMPACT_AT, compactionThreshold } from '../../../src/core/episode/compaction.ts';
import { HostSummary } from '../../../src/core/episode/hostSummary.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { windowTokens } from '../../../src/core/episode/window.ts';
import { call, called, compacted, finish, hostSaid, nextIn, OPENING, overflowed, passedOn, reply, result, said, summaryAsked, transcript, unanswered } from '../../support/conversations.ts';

const SUMMARY = 'The retries are capped in packages/api/retry.ts; the tests of packages/api pass. Left: the note in the changelog.';
const BIG = 'x'.repeat(16_000);

/** So many turns whose tools answered with so many characters. */
function turns(n: number, answer = BIG): TranscriptEntry[] {
  return Array.from({ length: n }, (_, i) => [reply('', [call(`c${String(i)}`, 'read_file', { path: `src/${String(i)}.ts` })]), called(`c${String(i)}`), result(`c${String(i)}`, answer)]).flat();
}
const long = [...OPENING, ...turns(5)];
const asked = [...long, summaryAsked()];

describe('a conversation that has become long', () => {
  it('is let be while it fits', () => {
    expect(nextIn({ compactAt: 30_000 }, ...long)).toEqual({ do: 'ask model' });
  });

  it('asks its model for a summary at the end of the unchanged history', () => {
    const step = nextIn({ compactAt: 15_000 }, ...long);
    expect(step).toMatchObject({ do: 'say', asksFor: 'summary' });
    expect(step.do === 'say' && step.text).toMatch(/call no tool.*goal.*found out.*changed.*ran.*decided.*left/s);
    expect(transcript(...asked).messages.slice(0, -1)).toEqual(transcript(...long).messages);
    expect(nextIn({}, ...asked)).toEqual({ do: 'ask model' });
  });

  it('is measured as the provider counted it, with an estimate for what came since', () => {
    const counted: TranscriptEntry = { type: 'replied', at: 0, request: 1, message: { role: 'assistant', text: '', calls: [call('z')] }, end: 'complete', input: 9_000 };
    const tokens = windowTokens(transcript(...long, counted, result('z', 'y'.repeat(400))));
    expect(tokens).toBeGreaterThan(9_100);
    expect(tokens).toBeLessThan(9_200);
  });

  it('begins anew with the goal, the summary, and the person’s words as they were', () => {
    const { messages } = transcript(...long, passedOn('The person says:\nNo new dependency.', 1), summaryAsked(), reply(SUMMARY), compacted(SUMMARY));
    expect(messages.slice(0, 2)).toEqual(transcript(...OPENING).messages);
    expect(messages).toHaveLength(3);
    expect(messages[2]?.text).toContain(SUMMARY);
    expect(messages[2]?.text).toContain('The person says:\nNo new dependency.');
    expect(messages[2]?.text).toContain('read_history');
  });

  it('then goes on with the model, which has forgotten nothing that the host counts', () => {
    const after = [...long, result('w', 'ok', 'src/a.ts'), summaryAsked(), reply(SUMMARY), compacted(SUMMARY)];
    expect(nextIn({ compactAt: 15_000 }, ...after)).toEqual({ do: 'ask model' });
    expect([...transcript(...after).written]).toEqual(['src/a.ts']);
    expect(transcript(...after).replies).toBe(6);
  });

  it('keeps the person’s words through a second summary', () => {
    const { messages } = transcript(...long, said('Use tabs.'), summaryAsked(), reply(SUMMARY), compacted(SUMMARY), ...turns(5), summaryAsked(), reply('Second.'), compacted('Second.'));
    expect(messages[2]?.text).toContain('Use tabs.');
    expect(messages[2]?.text).not.toContain(SUMMARY);
  });

  it('is not summarised again and again where its beginning alone is long', () => {
    const start = [...OPENING, said('y'.repeat(80_000)), ...turns(5), summaryAsked(), reply(SUMMARY), compacted(SUMMARY)];
    expect(nextIn({ compactAt: 15_000 }, ...start, ...turns(1))).toEqual({ do: 'ask model' });
    expect(nextIn({ compactAt: 15_000 }, ...start, ...turns(4))).toMatchObject({ do: 'say', asksFor: 'summary' });
  });
});

describe('the reply that is to be a summary', () => {
  it('replaces the history', () => {
    expect(nextIn({}, ...asked, reply(SUMMARY))).toEqual({ do: 'compact', summary: SUMMARY });
  });

  it('runs no call: each is answered, and what stands beside them is the beginning of work and no summary', () => {
    const both = [...asked, reply(SUMMARY, [call('r'), finish('f')])];
    expect(nextIn({}, ...both)).toMatchObject({ do: 'answer call', call: { id: 'r' } });
    expect(nextIn({}, ...both, result('r', 'Not run.'))).toMatchObject({ do: 'answer call', call: { id: 'f' } });
    expect(nextIn({}, ...both, result('r', 'Not run.'), result('f', 'Not run.'))).toMatchObject({ do: 'say', asksFor: 'summary' });
  });

  it.each<[string, TranscriptEntry]>([['only calls', reply('', [call('r')])], ['says nothing', reply('')], ['says next to nothing', reply('OK.')], ['is cut off', reply(SUMMARY, [], 'length')]])('that %s is asked for once more, then the host writes one', (_words, poor) => {
    const first = [...asked, poor, result('r', 'Not run.')];
    expect(nextIn({}, ...first)).toMatchObject({ do: 'say', asksFor: 'summary' });
    const second = [...first, summaryAsked('Again.'), poor, result('r', 'Not run.')];
    expect(nextIn({}, ...second)).toEqual({ do: 'compact', summary: null });
    expect(unanswered(transcript(...second).messages)).toEqual([]);
  });

  it('counts as no idle one', () => {
    expect(transcript(...asked, reply(SUMMARY)).idle).toBe(0);
  });

  it('is not waited for once the person sends the work back', () => {
    expect(nextIn({}, ...asked, said('Your change is sent back.'))).toEqual({ do: 'ask model' });
  });

  it('comes before the words that the person sent meanwhile, which follow it', () => {
    const messages = [{ number: 1, words: 'No new dependency.' }];
    expect(nextIn({ messages }, ...asked)).toEqual({ do: 'ask model' });
    expect(nextIn({ messages }, ...asked, reply(SUMMARY))).toMatchObject({ do: 'compact' });
    expect(nextIn({ messages }, ...asked, reply(SUMMARY), compacted(SUMMARY))).toMatchObject({ do: 'pass on', upTo: 1 });
  });
});

describe('F7: a conversation that the provider finds too long', () => {
  const tooLong = [...long, overflowed()];

  it('has its largest outputs cut in what is sent, with a note where the rest is, and asks for a summary', () => {
    const { messages } = transcript(...tooLong);
    expect(messages.filter((m) => m.role === 'tool' && m.text.includes('read_history shows them')).length).toBeGreaterThan(2);
    expect(JSON.stringify(messages).length).toBeLessThan(JSON.stringify(transcript(...long).messages).length * 0.55);
    expect(messages.slice(0, 2)).toEqual(transcript(...OPENING).messages);
    expect(nextIn({}, ...tooLong)).toMatchObject({ do: 'say', asksFor: 'summary' });
  });

  it('leaves small outputs as they are', () => {
    const { messages } = transcript(...OPENING, ...turns(2, 'small'), ...turns(3), overflowed());
    expect(messages.filter((m) => m.text === 'small')).toHaveLength(2);
  });

  it('is too long in a row until a turn of work has succeeded', () => {
    const again = [...tooLong, summaryAsked(), reply(SUMMARY), compacted(SUMMARY)];
    expect(transcript(...tooLong).overflowed).toBe(true);
    expect(transcript(...again).overflowed).toBe(true);
    expect(transcript(...again, reply('', [call('z')])).overflowed).toBe(false);
  });
});

describe('where a conversation is compacted', () => {
  it.each([
    ['as the setting says', null, COMPACT_AT], ['as the setting says for a model that takes more', 1_000_000, COMPACT_AT],
    ['before a smaller model is full, with room for its answer', 128_000, 100_454], ['in half of the window where the answer could take all of it', 16_000, 7_200],
  ])('%s', (_words, contextWindow, tokens) => {
    expect(compactionThreshold({ compactAt: COMPACT_AT, contextWindow, maxOutputTokens: 16_384 })).toBe(tokens);
  });
});

describe('a summary that the host writes', () => {
  const summaryOf = (...entries: readonly TranscriptEntry[]): string => {
    const summary = new HostSummary();
    for (const entry of entries) summary.add(entry);
    return summary.text;
  };

  it('names the files that were read and written, the commands with how they ended, and the last words', () => {
    expect(summaryOf(
      ...OPENING, reply('I look.', [call('a', 'read_file', { path: 'src/a.ts' }), call('b', 'read_file', { path: 'src/b.ts' })]), result('a', '1\tx'), result('b', '1\ty'),
      reply('Now I cap it.', [call('c', 'edit_file', { path: 'src/a.ts' }), call('d', 'run', { command: 'npm test\n' })]), result('c', 'Replaced.', 'src/a.ts'), result('d', 'exit code 1, 2.0 s\nfailed'), hostSaid('10 turns left.'),
    )).toBe([
      'You wrote no summary, so this is what your work shows by itself.', 'Files that you changed:\n- src/a.ts', 'Files that you read:\n- src/b.ts',
      'Commands that you ran, the newest last:\n- npm test: exit code 1, 2.0 s', 'What you said last:\nI look.\n\nNow I cap it.',
    ].join('\n\n'));
  });

  it('stays short however long the work was', () => {
    const many = Array.from({ length: 2_000 }, (_, i) => [reply('z'.repeat(5_000), [call(`w${String(i)}`, 'run', { command: `echo ${'y'.repeat(900)}` })]), result(`w${String(i)}`, `exit code 0\n${BIG}`, i % 2 === 0 ? `src/${String(i)}.ts` : null)]).flat();
    expect(summaryOf(...many).length).toBeLessThan(20_000);
  });
});
