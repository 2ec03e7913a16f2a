import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { episodeId } from '../../../src/core/ids.ts';
import { parseRecord, standingOf, type EpisodeRecord } from '../../../src/core/record/episodeRecord.ts';
import { importedEpisode } from '../../../src/core/record/importedEpisode.ts';
import { recordOf } from '../../../src/core/record/recordOf.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';
import { candidate, commit, E1, evidence, MAIN, move, moved, proposed, rejected, replied, requested, reworked, WAITING } from '../../support/facts.ts';
import { given, type Past } from '../../support/given.ts';

const fixture = (name: string): string => readFileSync(path.join(import.meta.dirname, '../../fixtures/records', name), 'utf8');
const LIVED: readonly Past[] = [
  ...WAITING, requested(9, { fresh: 10 }, 0.02), replied(9, { fresh: 10 }, 0.02), { type: 'check.ran', episode: E1, number: 1, evidence }, reworked(1, 'Again.'), proposed(2),
  ...moved(move(1, { candidate: 2 })), ...moved(move(2, { candidate: 2, kind: 'undo', old: commit(201), new: commit(202) })), proposed(3, { source: 'remade', base: commit(202) }),
];

function recorded(...past: readonly Past[]): EpisodeRecord {
  const { state, episode } = given(...past);
  const record = recordOf(state, episode, 'k3f9');
  if (record === null) throw new Error('it has no record');
  return record;
}

const read = (record: unknown, id = E1): ReturnType<typeof parseRecord> => parseRecord(id, JSON.stringify(record), '');

describe('the record of an agent', () => {
  it('of the present version is what it was when the version was made', () => {
    expect(JSON.parse(fixture('v2.json'))).toEqual(recorded(...LIVED));
    expect(parseRecord(E1, fixture('v2.json'), '')).toEqual({ ok: true, record: recorded(...LIVED) });
  });

  it('of the first version is still read, with the report that lies beside it', () => {
    const old = parseRecord(episodeId.parse('e7-zz07'), fixture('v1.json'), 'Two services now.');
    expect(old).toMatchObject({ ok: true, record: {
      writer: null, model: { kind: 'elsewhere', name: 'Large', prices: null }, phase: { name: 'ended', outcome: 'rejected', words: 'Not like this.', candidate: 1, at: 1_793_745_690_000 },
      candidates: [{ number: 1, report: 'Two services now.', outside: [], outsideCommit: null }], moves: [], spent: { turns: 3, estimated: true },
    } });
  });

  it('names no path and no model’s address of the machine that wrote it, and no output of a command', () => {
    const text = JSON.stringify(recorded(...LIVED));
    for (const own of ['/worktrees', '/home/person', 'models.example', '"ok"']) expect(text).not.toContain(own);
  });

  it('is none while the agent works or its verdict is under way', () => {
    for (const past of [[...WAITING, reworked(1, 'Again.')], [...WAITING, moved(move(1))[0] ?? []].flat()]) {
      const { state, episode } = given(...past);
      expect(recordOf(state, episode, 'k3f9')).toBeNull();
    }
  });

  it('becomes an agent in another ledger that its record says the same of, with that machine’s limits and branch', () => {
    const told = recorded(...LIVED);
    const imported = importedEpisode(told, { record: commit(500), goal: 'Cap the retries.', candidates: given(...LIVED).episode.candidates, target: { kind: 'branch', ref: MAIN }, limits: { ...DELEGATION_LIMITS, costUsd: 1 } });
    const there = given({ type: 'episode.imported', imported });
    const again = recordOf(there.state, there.episode, 'zz99');
    expect({ ...again, writer: told.writer }).toEqual(told);
    expect(there.episode).toMatchObject({ limits: { costUsd: 1 }, worktree: null, spent: { usd: 0.02, turns: 1 } });
    expect(there.episode.evidence.map((e) => [e.evidence.definition, e.evidence.setup])).toEqual([['', '']]);
  });

  it('of an accept of some files keeps what was taken and what waits', () => {
    const split = { taken: candidate(2, { source: 'taken' }), rest: candidate(3, { source: 'rest' }) };
    const past = [...WAITING, ...moved(move(1, { split }))];
    const told = recorded(...past);
    expect(told).toMatchObject({ phase: { name: 'waiting', candidate: 3 }, moves: [{ split: { taken: 2, rest: 3 } }] });
    expect(read(told).ok).toBe(true);
    const here = given(...past).episode;
    const there = given({ type: 'episode.imported', imported: importedEpisode(told, { record: commit(500), goal: here.goal, candidates: here.candidates, target: here.target, limits: here.limits }) });
    expect([...there.state.moves.values()].map(({ prepared }) => prepared.split)).toEqual([split]);
  });

  it('tells nothing new by what was spent or who wrote it, but by a verdict', () => {
    const waiting = recorded(...WAITING);
    expect(standingOf({ ...waiting, writer: 'zz99', spent: { ...waiting.spent, usd: 9 } })).toBe(standingOf(waiting));
    expect(standingOf(recorded(...WAITING, rejected(1)))).not.toBe(standingOf(waiting));
  });
});

describe('a record that cannot be believed', () => {
  const good = recorded(...LIVED);
  const accepted = recorded(...WAITING, ...moved(move(1)));
  const [one] = good.candidates;
  const [first] = accepted.moves;
  it.each<readonly [string, unknown]>([
    ['is of another agent', { ...good, id: 'e2-k3f9' }],
    ['is its own parent', { ...good, parent: E1 }],
    ['is of a newer version', { ...good, v: 3 }],
    ['has an amount below nothing', { ...good, spent: { ...good.spent, usd: -5 } }],
    ['has tokens below nothing', { ...good, spent: { ...good.spent, usage: { fresh: -1, cached: 0, output: 0, reasoning: 0 } } }],
    ['began after all time', { ...good, startedAt: 1e300 }],
    ['names a path that leads out', { ...good, world: { ...good.world, path: '../../etc' } }],
    ['names a file that leads out', { ...good, candidates: [{ ...one, outside: ['../x'] }] }],
    ['goes to a ref that is no branch', { ...good, target: { kind: 'branch', ref: 'refs/worldtree/episodes/e1-k3f9/base' } }],
    ['goes to a branch with a path in it', { ...good, target: { kind: 'branch', ref: 'refs/heads/../../config' } }],
    ['brings a model with an address', { ...good, model: { kind: 'openai', profile: 'x', baseUrl: 'https://evil.example', model: 'x', prices: null } }],
    ['waits with a change that it does not hold', { ...good, phase: { ...good.phase, candidate: 99 } }],
    ['has its changes out of order', { ...good, candidates: good.candidates.toReversed() }],
    ['holds an accept of another agent', { ...accepted, moves: [{ ...first, move: 'e9-k3f9/m1' }] }],
    ['holds the same accept twice', { ...accepted, moves: [first, first] }],
    ['was accepted and waits', { ...good, moves: accepted.moves.map((m) => ({ ...m, candidate: 1 })) }],
    ['was accepted and rejected', { ...accepted, phase: { ...accepted.phase, outcome: 'rejected' } }],
    ['is a list', [good]],
    ['is a word', 'record'],
    ['is nothing', null],
  ])('since it %s, is named and not read', (_words, record) => {
    expect(read(record)).toMatchObject({ ok: false, words: expect.stringMatching(/\w/) as unknown });
  });

  it('since it is no JSON, is named and not read', () => {
    expect(parseRecord(E1, '{', '')).toEqual({ ok: false, words: 'it is not JSON' });
    expect(parseRecord(E1, '['.repeat(200_000), '').ok).toBe(false);
  });

  it('is read where nothing is wrong with it, so that the others prove something', () => {
    expect([read(good).ok, read(accepted).ok, read(recorded(...WAITING, rejected(1))).ok]).toEqual([true, true, true]);
  });
});

describe('another clone’s word about an agent', () => {
  const told = (past: readonly Past[], over: Partial<Parameters<typeof importedEpisode>[1]> = {}) => {
    const { episode } = given(...past);
    return importedEpisode(recorded(...past), { record: commit(500), goal: episode.goal, candidates: episode.candidates, target: episode.target, limits: episode.limits, ...over });
  };

  it('ends here what was accepted there, and gives the worktree back', () => {
    const imported = told([...WAITING, ...moved(move(1))]);
    const after = given(...WAITING).when({ type: 'import', imported }).then({ events: [{ type: 'episode.imported', imported }], effects: [{ do: 'close', episode: E1 }] });
    expect(after.episode).toMatchObject({ phase: { name: 'ended', outcome: 'retained' }, taken: commit(500) });
    expect([...after.state.moves.values()].map((m) => [m.prepared.new, m.prepared.checkouts, m.state.name])).toEqual([[commit(201), [], 'done']]);
  });

  it('never takes a change, evidence or what was spent', () => {
    const here: readonly Past[] = [...WAITING, requested(9, { fresh: 10 }, 0.5), replied(9, { fresh: 10 }, 0.5)];
    const after = given(...here).when({ type: 'import', imported: told([...WAITING, rejected(1)]) }).isAccepted();
    expect(after.episode.spent).toMatchObject({ usd: 0.5, turns: 1, usage: { fresh: 10 } });
    expect(after.episode.candidates).toEqual(given(...here).episode.candidates);
  });

  it('is refused while the agent works here, or where a change or an accept is another one', () => {
    const rejectedThere = told([...WAITING, rejected(1)]);
    given(...WAITING, reworked(1, 'Again.')).when({ type: 'import', imported: rejectedThere }).refuses('wrong-state');
    given(...WAITING).when({ type: 'import', imported: told([...WAITING, rejected(1)], { candidates: [candidate(1, { commit: commit(77) })] }) }).refuses('wrong-state');
    given(...WAITING, ...moved(move(1))).when({ type: 'import', imported: told([...WAITING, ...moved(move(1, { new: commit(900) }))]) }).refuses('wrong-state');
    given(...WAITING, proposed(2, { source: 'edit' })).when({ type: 'import', imported: told(WAITING) }).refuses('wrong-state');
  });

  it('cannot make this ledger give out an id twice', () => {
    const own = { ...told(WAITING), id: episodeId.parse('e2-k3f9') };
    const after = given(...WAITING, { type: 'episode.imported', imported: own }).when({ type: 'delegate', tag: 'k3f9', world: own.world, target: own.target, goal: 'x', role: 'executor', model: { kind: 'survey' }, limits: own.limits, uncommittedElsewhere: 0, configWarnings: [] }).isAccepted();
    expect([...after.state.episodes.keys()]).toEqual([E1, 'e2-k3f9', 'e3-k3f9']);
  });

  it('lets its change be sent back once a model of this machine is chosen, in a worktree that is made first', () => {
    const elsewhere = given({ type: 'episode.imported', imported: told(WAITING) });
    const again = { type: 'rework', episode: E1, words: 'Again.', editedByPerson: [], madeAgain: null } as const;
    elsewhere.when(again).refuses('no-model');
    const model = { kind: 'survey' } as const;
    const after = elsewhere.when({ ...again, model }).then({ events: [{ type: 'verdict.reworked', episode: E1, number: 1, words: 'Again.', editedByPerson: [], model }], effects: [{ do: 'prepare worktree', episode: E1 }] });
    expect(after.episode).toMatchObject({ phase: { name: 'preparing' }, model });
  });
});

describe('a change that may be in another clone', () => {
  const edit = (number: number, replaces: number | null) => ({ type: 'propose', episode: E1, candidate: candidate(number, { source: 'edit' }), replaces }) as const;
  it('is not replaced by the next save: its ref could never be sent again', () => {
    const edited: readonly Past[] = [...WAITING, proposed(2, { source: 'edit' })];
    given(...edited).when(edit(2, 2)).isAccepted();
    const published = given(...edited).when({ type: 'publish', episode: E1, remote: 'origin' }).then({ events: [{ type: 'episode.published', episode: E1, remote: 'origin' }] });
    published.when(edit(2, 2)).refuses('candidate-superseded');
    published.when(edit(3, null)).isAccepted().when(edit(3, 3)).isAccepted();
  });

  it('is not published while its agent works', () => {
    given(...WAITING, reworked(1, 'Again.')).when({ type: 'publish', episode: E1, remote: 'origin' }).refuses('wrong-state');
  });
});
