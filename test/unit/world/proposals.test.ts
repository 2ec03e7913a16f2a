import { describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../../src/core/ledger/events.ts';
import { baseOf, newestCommit, nextCandidate } from '../../../src/core/world/state.ts';
import { asked, AT_WORK, candidate, commit, E1, ended, evidence, interrupted, move, movePrepared, proposed, rejected, reworked, started, tree, UNKNOWN, WAITING, RECORDED } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

const propose = (number: number, source: 'agent' | 'edit' | 'remade' | 'hook' | 'allowed' | 'dropped' = 'agent', replaces: number | null = null) => ({ type: 'propose', episode: E1, candidate: candidate(number, { source }), replaces }) as const;

describe('what an agent proposes', () => {
  it.each<readonly [string, readonly LedgerEvent[]]>([['at work', AT_WORK], ['handed in while asking', [...AT_WORK, asked({ kind: 'failed', words: 'x' })]], ['handed in after an interruption', [...AT_WORK, interrupted()]]])('waits for a verdict (%s)', (_words, past) => {
    const after = given(...past).when(propose(1)).then({ events: [proposed(1)], effects: RECORDED });
    expect(after.episode.phase).toMatchObject({ name: 'waiting', candidate: 1 });
  });

  it('after a rework stands beside what it proposed before', () => {
    const after = given(...WAITING, reworked(1, 'Again.')).when(propose(2)).then({ events: [proposed(2)], effects: RECORDED });
    expect(after.episode.candidates.map((c) => c.number)).toEqual([1, 2]);
    expect([newestCommit(after.episode), nextCandidate(after.episode)]).toEqual([commit(2), 3]);
  });

  it('under a number that is taken is refused', () => {
    given(...WAITING, reworked(1, 'Again.')).when(propose(1)).refuses('candidate-superseded');
  });

  it.each<readonly [string, readonly LedgerEvent[]]>([['no worktree yet', [started()]], ['a change that waits already', WAITING], ['a change that is being accepted', [...WAITING, movePrepared(move(1))]], ['its end behind it', [...AT_WORK, ended('no change')]]])('with %s is refused', (_words, past) => {
    given(...past).when(propose(9)).refuses('wrong-state');
  });

  it('before there is a worktree is refused, also while setup asks something', () => {
    given(started(), asked({ kind: 'failed', words: 'x' })).when(propose(1)).refuses('wrong-state');
    given(started(), interrupted()).when(propose(1)).refuses('wrong-state');
  });

  it('by an agent that nobody knows is refused', () => {
    given(...WAITING).when({ ...propose(2), episode: UNKNOWN }).refuses('episode-unknown');
  });
});

describe('what a person makes of a change while it waits', () => {
  it('stands beside what the agent proposed, and is what a verdict is about', () => {
    const after = given(...WAITING).when(propose(2, 'edit')).then({ events: [proposed(2, { source: 'edit' })], effects: RECORDED });
    expect(after.episode.candidates.map((c) => c.number)).toEqual([1, 2]);
    expect(after.episode.phase).toMatchObject({ name: 'waiting', candidate: 2 });
  });

  it('is replaced by the next save', () => {
    const after = given(...WAITING, proposed(2, { source: 'edit' })).when({ type: 'propose', episode: E1, candidate: candidate(2, { source: 'edit', commit: commit(50), tree: tree(50) }), replaces: 2 }).isAccepted();
    expect(after.episode.candidates.map((c) => [c.number, c.commit])).toEqual([[1, commit(1)], [2, commit(50)]]);
  });

  it('may take the replaced one’s place under a number of its own', () => {
    const after = given(...WAITING, proposed(2, { source: 'edit' })).when(propose(3, 'edit', 2)).isAccepted();
    expect(after.episode.candidates.map((c) => c.number)).toEqual([1, 3]);
  });

  it('never replaces what the agent proposed', () => {
    given(...WAITING).when(propose(1, 'edit', 1)).refuses('candidate-superseded');
    given(...WAITING).when(propose(2, 'edit', 1)).refuses('candidate-superseded');
  });

  it('never replaces an edit that is not the newest any more', () => {
    const past = [...WAITING, proposed(2, { source: 'edit' }), proposed(3, { source: 'allowed' })];
    given(...past).when(propose(2, 'edit', 2)).refuses('candidate-superseded');
    given(...past).when(propose(4, 'edit', 2)).refuses('candidate-superseded');
    given(...past).when(propose(4, 'edit', 77)).refuses('candidate-superseded');
  });

  it.each(['edit', 'remade', 'hook', 'allowed', 'dropped'] as const)('does not take the place of an agent that works again (%s)', (source) => {
    given(...WAITING, reworked(1, 'Again.')).when(propose(2, source)).refuses('wrong-state');
  });

  it('is refused while an accept is under way, and after the verdict', () => {
    given(...WAITING, movePrepared(move(1))).when(propose(2, 'edit')).refuses('wrong-state');
    given(...WAITING, rejected(1)).when(propose(2, 'edit')).refuses('wrong-state');
  });
});

describe('the base of the next change', () => {
  it('is the world’s commit at first, then the newest change’s own', () => {
    expect(baseOf(given(...AT_WORK).episode)).toBe(commit(100));
    expect(newestCommit(given(...AT_WORK).episode)).toBe(commit(100));
    expect(baseOf(given(...WAITING, proposed(2, { source: 'remade', base: commit(300) })).episode)).toBe(commit(300));
  });
});

describe('what is known of a change', () => {
  it('is what its checks gave, each with its time', () => {
    const before = given(...WAITING);
    const after = before.when({ type: 'check ran', episode: E1, number: 1, evidence }).then({ events: [{ type: 'check.ran', episode: E1, number: 1, evidence }] });
    expect(after.episode.evidence).toEqual([{ number: 1, evidence, tip: null, alone: null, at: after.now }]);
  });

  it('is nothing for one that does not exist', () => {
    given(...WAITING).when({ type: 'check ran', episode: E1, number: 2, evidence }).refuses('candidate-superseded');
    given(...WAITING).when({ type: 'look', episode: E1, number: 2 }).refuses('candidate-superseded');
    given(...WAITING).when({ type: 'check ran', episode: UNKNOWN, number: 1, evidence }).refuses('episode-unknown');
    given(...WAITING).when({ type: 'look', episode: UNKNOWN, number: 1 }).refuses('episode-unknown');
  });
});
