import { describe, expect, it } from 'vitest';
import { HistoryPage } from '../../../src/core/episode/historyPage.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { call, called, compacted, OPENING, reply, result, said } from '../../support/conversations.ts';

function page(asked: ConstructorParameters<typeof HistoryPage>[0], entries: readonly TranscriptEntry[]): string {
  const history = new HistoryPage(asked);
  for (const entry of entries) history.add(entry);
  return history.text;
}
const work = [
  ...OPENING,
  reply('I look first.', [call('a', 'read_file', { path: 'src/a.ts' }), call('b', 'search', { pattern: 'retry' })]), called('a'), result('a', '1\tconst MOST = 3;'), called('b'), result('b', 'src/a.ts:1: MOST'),
  said('The person says:\nKeep the name.'),
  reply('', [call('c', 'write_file', { path: 'src/b.ts', content: 'one\ntwo' })]), called('c'), result('c', 'src/b.ts: made, 2 lines.', 'src/b.ts'),
  compacted('Half done.'),
  reply('half', [call('d')], 'cut'),
];
const bytes = (text: string): number => new TextEncoder().encode(text).length;

describe('reading the history back', () => {
  it('without arguments lists the turns', () => {
    expect(page({}, work)).toBe('Your turns so far. Give one as turn to read it word for word.\nturn 1: read_file src/a.ts; search retry\nturn 2: write_file src/b.ts\nturn 3: run npm test (cut off, not run)');
  });

  it('shows a turn word for word, with what was said after it, also from before a summary', () => {
    expect(page({ turn: 1 }, work).split('\n')).toEqual([
      'Turn 1, word for word.', '[you said]', 'I look first.', '[you called read_file]', 'path: src/a.ts', '[you called search]', 'pattern: retry',
      '[read_file answered]', '1\tconst MOST = 3;', '[search answered]', 'src/a.ts:1: MOST', '[said to you]', 'The person says:', 'Keep the name.',
    ]);
    expect(page({ turn: 2 }, work)).toContain('content: one\ntwo\n');
  });

  it('finds a text in everything that was said, called and answered, whatever its case', () => {
    expect(page({ text: 'most' }, work).split('\n').slice(1)).toEqual(['turn 1, line 8: 1\tconst MOST = 3;', 'turn 1, line 10: src/a.ts:1: MOST']);
    expect(page({ text: 'two' }, work)).toContain('turn 2, line 4: two');
    expect(page({ text: 'src/', turn: 2 }, work)).not.toContain('turn 1');
    expect(page({ text: 'nowhere' }, work)).toBe('Nothing in your history holds "nowhere". Try fewer words.');
  });

  it('takes a text for what it is, no pattern', () => {
    expect(page({ text: '(a+)+$' }, [...OPENING, reply('(a+)+$ never ends')])).toContain('turn 1, line 2: (a+)+$ never ends');
  });

  it('says where there is nothing', () => {
    expect(page({ turn: 9 }, work)).toMatch(/nothing here.*1 to 3/);
    expect(page({}, [])).toMatch(/nothing here/);
  });

  it('is cut at 16 KiB, and the way that it names leads through all of it', () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `line ${String(i)} ünd so weiter`);
    const entries = [...OPENING, reply('', [call('a')]), result('a', lines.join('\n')), reply('done')];
    const seen: string[] = [];
    for (let from: number | undefined = 1; from !== undefined;) {
      const text = page({ turn: 1, from_line: from }, entries);
      expect(bytes(text)).toBeLessThanOrEqual(16 * 1024);
      seen.push(...text.split('\n').filter((line) => line.startsWith('line ')));
      const next = /\[Cut here\. To go on: the same with turn 1 and from_line (\d+)\.\]$/.exec(text)?.[1];
      from = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(lines);
  });

  it('of a search goes on in the turn where it was cut', () => {
    const entries = [...OPENING, ...Array.from({ length: 40 }, (_, i) => [reply('', [call(`c${String(i)}`)]), result(`c${String(i)}`, `match ${'x'.repeat(900)}`)]).flat()];
    const first = page({ text: 'match' }, entries);
    const on = /the same with turn (\d+) and from_line (\d+)/.exec(first);
    const second = page({ text: 'match', turn: Number(on?.[1]), from_line: Number(on?.[2]) }, entries);
    expect([...`${first}\n${second}`.matchAll(/^turn (\d+), /gm)].map((m) => Number(m[1]))).toEqual(expect.arrayContaining([1, 2, 3, 17, 18]));
    expect(second).toMatch(new RegExp(`^turn ${on?.[1] ?? ''}, line ${on?.[2] ?? ''}: match`, 'm'));
  });

  it('with a line without end shows its beginning', () => {
    expect(page({ turn: 1 }, [...OPENING, reply('', [call('a')]), result('a', 'y'.repeat(100_000))])).toContain('[… 98000 more characters in this line]');
  });
});
