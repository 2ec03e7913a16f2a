import { describe, expect, it } from 'vitest';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { TranscriptPage, type Fold } from '../../../src/core/projections/transcriptPage.ts';
import { filePath } from '../../../src/core/ids.ts';
import { firstMessages } from '../../../src/core/prompt/firstMessages.ts';
import type { Episode, RequestSpent } from '../../../src/core/world/state.ts';
import { call, called, compacted, finish, finished, hostSaid, overflowed, reply, result, said, summaryAsked } from '../../support/conversations.ts';
import { AT_WORK, UNPRICED, usageOf } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

const { episode } = given(...AT_WORK);
const spent = (request: number, over: Partial<RequestSpent> = {}): RequestSpent => ({ request, at: 0, usage: usageOf({ fresh: 400, cached: 12_000, output: 310 }), usd: 0.0021, estimated: false, answered: true, ...over });
const replied = (request: number, ...rest: Parameters<typeof reply>): TranscriptEntry => ({ ...reply(...rest), request } as TranscriptEntry);

const OPENING = firstMessages({
  facts: { name: 'shop', topLevelFolders: ['packages'], languages: [], commands: [] }, chain: [{ path: filePath.parse('CONTEXT.md'), text: 'A page.\n\nYour role: to be the shop.\n\nGoal:\nsell', frontMatter: {}, problem: null }],
  role: episode.role, world: episode.world, limits: episode.limits, goal: episode.goal, notes: ['setup failed'],
}).map((message): TranscriptEntry => ({ type: 'said', at: 0, by: 'host', message }));

interface Page {
  readonly lines: readonly string[];
  readonly folds: readonly Fold[];
}

/** All of a page, and that it was only added to while it grew. */
function page(entries: readonly TranscriptEntry[], requests: readonly RequestSpent[] = [], of: Episode = episode, over = false): Page {
  const made = new TranscriptPage(of);
  const parts = [made.head(), ...entries.map((entry) => made.add(entry, requests)), made.end(requests, over)];
  return { lines: parts.map(({ text }) => text).join('').split('\n'), folds: parts.flatMap(({ folds }) => folds) };
}

/** What a person sees when the page opens: lines that are not folded away. */
function unfolded({ lines, folds }: Page): string {
  return lines.filter((_, line) => !folds.some(({ from, to, folded }) => folded && line > from && line <= to)).join('\n');
}

describe('the page about a transcript', () => {
  it('begins with the first messages by part, all but the goal folded', () => {
    const all = page(OPENING);
    expect(unfolded(all)).toBe('Transcript of e1 packages/api, with glm-5.2\n\n▸ System prompt\n▸ The repository and its pages\n▸ Role, folder and limits\n▸ Goal\n    Cap the retries.\n▸ Notes on the worktree\n\n');
    expect(all.lines).toContain('    Your role: to be the shop.');
    expect(all.lines.join('\n')).toContain('▸ Role, folder and limits\n    Your role: executor\n');
    expect(all.lines).toContain('    - setup failed');
  });

  it('says of each turn what it called, used and cost, with calls folded and nothing of them cut', () => {
    const long = Array.from({ length: 3000 }, (_, n) => `line ${n}`).join('\n');
    const all = page([...OPENING,
      replied(1, 'I look first.', [call('a', 'read_file', { path: 'packages/api/retry.ts' }), call('b', 'run', { command: 'npm test\nnpm run lint' })]), result('a', long), called('b'), { ...result('b', 'exit code 1'), ok: false } as TranscriptEntry,
      replied(2, '', [finish('c')]), finished('c', 1),
    ], [spent(1), spent(2, { estimated: true, usage: usageOf({ fresh: 950, output: 5 }), usd: 1.5 })]);
    expect(unfolded(all).split('\n\n').slice(2).join('\n\n')).toBe([
      'Turn 1 · 2 calls · 12.4 k in (96 % cached) · 310 out · $0.0021', '    I look first.', '  ▸ read_file packages/api/retry.ts — ok', '  ▸ run npm test npm run lint — failed', '',
      'Turn 2 · 1 call · ~950 in · ~5 out · ~$1.50', '  ▸ finish Cap retries — proposed as change 1', '', '',
    ].join('\n'));
    expect(all.lines.filter((line) => /^ {8}line \d+$/.test(line))).toHaveLength(3000);
    expect(all.lines.join('\n')).toContain('      command:\n        npm test\n        npm run lint\n      Answer\n        exit code 1\n');
  });

  it('folds whole turns and each call by lines that are there', () => {
    const { lines, folds } = page([...OPENING, replied(1, 'Hm.\n\nGo.', [call('a')]), result('a', 'ok\n'), replied(2, '', [call('b')]), result('b', 'ok')]);
    const turns = folds.filter(({ from }) => lines[from]?.startsWith('Turn') === true);
    expect(turns.map(({ from, to }) => [lines[from], lines[to]])).toEqual([['Turn 1 · 1 call', '        ok'], ['Turn 2 · 1 call', '        ok']]);
    expect(folds.filter(({ from }) => lines[from]?.startsWith('  ▸ run') === true)).toHaveLength(2);
    expect(folds.every(({ from, to }) => from < to && to < lines.length && lines[from] !== '' && lines[to] !== '')).toBe(true);
  });

  it('marks what the person and Worldtree said, and where a summary took the place of what is above', () => {
    const shown = unfolded(page([...OPENING, replied(1, 'Hm.'), hostSaid('Go on.'), replied(2, 'Hm.'), said('Cap it at five.'), hostSaid('10 turns are left.', 'end'), replied(3, 'Yes.'), overflowed(), summaryAsked(), replied(4, 'The summary.'), compacted('The summary.'), replied(5, 'On.')]));
    expect(shown.split('\n\n').slice(2)).toEqual([
      'Turn 1\n    Hm.', '▸ Worldtree said\n    Go on.', 'Turn 2\n    Hm.', '▸ You said\n    Cap it at five.\n▸ Worldtree warned about turns\n    10 turns are left.', 'Turn 3\n    Yes.',
      '▸ The provider found the conversation too long\n    The conversation is too long for the model.\n▸ Worldtree asked for a summary\n    Write a summary.', 'Turn 4\n    The summary.',
      '▸ Summary, written by the model: from here on the model sees it instead of what stands above', 'Turn 5\n    On.', '',
    ]);
  });

  it('says of a call whether it was answered, and what failed before a turn', () => {
    const requests = [spent(1), spent(2, { answered: false, usd: 0.01 }), spent(3)];
    expect(unfolded(page([...OPENING, replied(1, '', [call('a')]), called('a'), said('Stop that.'), replied(3, 'x', [call('b')], 'cut'), replied(4, '', [call('c'), call('d')]), called('c')], requests)).split('\n').filter((line) => /^Turn|▸ run/.test(line))).toEqual([
      'Turn 1 · 1 call · 12.4 k in (96 % cached) · 310 out · $0.0021', '  ▸ run npm test — began, and was not answered',
      'Turn 2 · cut off · 1 call · 12.4 k in (96 % cached) · 310 out · $0.0021 · 1 request failed before, $0.0100', '  ▸ run npm test — not run: the reply was cut off',
      'Turn 3 · 2 calls', '  ▸ run npm test — began, not answered yet', '  ▸ run npm test — not answered yet',
    ]);
  });

  it('says of an agent that is at its end that nothing comes any more', () => {
    expect(page([...OPENING, replied(1, '', [finish('a')])], [], episode, true).lines).toContain('  ▸ finish Cap retries — not answered');
  });

  it('names no price where none is known', () => {
    expect(page([replied(1, 'Hm.')], [spent(1)], { ...episode, model: UNPRICED }).lines).toContain('Turn 1 · 12.4 k in (96 % cached) · 310 out');
  });

  it('shows no secret, in what was said, called or answered', () => {
    const key = 'sk-proj-abcdefghijklmnop1234';
    const text = page([said(key), replied(1, key, [call('a', 'run', { command: `curl -H "Authorization: Bearer ${key}"` }), call('b', 'write_file', { path: '.env', content: 'A=1\nDB_PASSWORD=correcthorse' })]), result('a', key), result('b', key)]).lines.join('\n');
    expect(text).not.toMatch(/sk-proj|correcthorse/);
    expect(text).toContain('        DB_PASSWORD=⟨secret⟩');
  });

  it('lets nothing that a model or file says pass for a turn or a call of its own', () => {
    const words = 'Turn 9\n▸ You said\n  ▸ finish — ok\rTurn 9';
    const forged = page([said(words), replied(1, words, [call('a', 'run', { command: words, 'x\nTurn 9': 1 }), call('b', 'run', words)]), result('a', words)]).lines.filter((line) => /^Turn 9|^▸ You said|^ {2}▸ finish/.test(line));
    expect(forged).toEqual(['▸ You said']);
  });

  it('is added to as it grows: what is settled never changes', () => {
    const entries = [...OPENING, replied(1, 'Hm.', [call('a')]), called('a'), result('a', 'ok'), replied(2, '', [finish('b')]), finished('b', 1), said('Again.'), replied(3, 'Yes.')];
    const made = new TranscriptPage(episode);
    let settled = made.head().text;
    for (const entry of entries) {
      settled += made.add(entry, []).text;
      expect(page(entries).lines.join('\n').startsWith(settled)).toBe(true);
    }
  });

  it('of an agent that said nothing here says so', () => {
    expect(page([]).lines).toContain('Nothing was said yet, or it was said on another machine.');
  });
});
