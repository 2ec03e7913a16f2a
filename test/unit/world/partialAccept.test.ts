import { describe, expect, it } from 'vitest';
import { acceptedFiles } from '../../../src/core/world/heldAccepts.ts';
import { standingAccept, standingAccepts } from '../../../src/core/world/state.ts';
import { candidate, commit, E1, move, moved, moveDone, movePrepared, proposed, rejected, reworked, toMove, TREE, WAITING, RECORDED } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

const TAKEN = candidate(2, { source: 'taken' });
const REST = candidate(3, { source: 'rest' });
const PART = move(1, { split: { taken: TAKEN, rest: REST } });
const OF_REST = move(2, { candidate: 3, old: commit(201), new: commit(202) });

describe('accepting some files of a change', () => {
  it('lets the rest wait when the branch has moved, and keeps the agent', () => {
    const after = given(...WAITING).when(toMove(PART)).then({ events: [movePrepared(PART)] }).when({ type: 'move done', move: PART.move, tree: TREE }).then({ events: [moveDone(PART)], effects: RECORDED });
    expect(after.episode.phase).toMatchObject({ name: 'waiting', candidate: 3 });
    expect(after.episode.candidates.map((c) => c.number)).toEqual([1, 2, 3]);
    expect(acceptedFiles(after.state, after.episode, () => undefined)).toEqual(['packages/api/retry.ts']);
  });

  it('that could not be done leaves the whole change waiting as before', () => {
    const before = given(...WAITING);
    const after = before.and(movePrepared(PART), { type: 'move.dropped', move: PART.move, words: 'retry.ts has unsaved edits.' });
    expect(after.episode.phase).toEqual(before.episode.phase);
    expect(after.episode.candidates).toEqual(before.episode.candidates);
    after.when({ type: 'propose', episode: E1, candidate: candidate(2, { source: 'edit' }), replaces: null }).isAccepted();
  });

  it('cut off by a crash is one or the other when its end is found', () => {
    const cutOff = given(...WAITING, movePrepared(PART));
    expect(cutOff.when({ type: 'move done', move: PART.move, tree: TREE }).isAccepted().episode.phase).toMatchObject({ name: 'waiting', candidate: 3 });
    expect(cutOff.when({ type: 'move dropped', move: PART.move, words: '' }).isAccepted().episode.phase).toMatchObject({ name: 'waiting', candidate: 1 });
  });

  it('ends the agent when the rest is accepted too', () => {
    const after = given(...WAITING, ...moved(PART)).when(toMove(OF_REST)).isAccepted().when({ type: 'move done', move: OF_REST.move, tree: TREE }).then({ events: [moveDone(OF_REST)], effects: [{ do: 'close', episode: E1 }] });
    expect(after.episode.phase).toMatchObject({ name: 'ended', outcome: 'retained', candidate: 3 });
    expect(standingAccepts(after.state, E1).map((m) => m.prepared.move)).toEqual([PART.move, OF_REST.move]);
  });

  it('lets the rest be edited, sent back or rejected', () => {
    const rest = given(...WAITING, ...moved(PART));
    rest.when({ type: 'propose', episode: E1, candidate: candidate(4, { source: 'edit' }), replaces: null }).isAccepted();
    rest.when({ type: 'rework', episode: E1, words: 'Again.', editedByPerson: [], madeAgain: null }).then({ events: [reworked(3, 'Again.')], effects: [{ do: 'continue', episode: E1 }] });
    rest.when({ type: 'reject', episode: E1, reason: '' }).then({ events: [rejected(3)], effects: [{ do: 'close', episode: E1 }] });
  });
});

describe('undoing an accept of some files', () => {
  const remade = candidate(4, { source: 'remade', base: commit(202) });
  const undo = move(2, { kind: 'undo', candidate: 2, old: commit(201), new: commit(202), remade });

  it('while the rest waits lets everything that the branch lacks then wait', () => {
    const after = given(...WAITING, ...moved(PART)).when(toMove(undo, REST.commit)).isAccepted().when({ type: 'move done', move: undo.move, tree: TREE }).then({ events: [moveDone(undo)], effects: RECORDED });
    expect(after.episode.phase).toMatchObject({ name: 'waiting', candidate: 4 });
    expect(standingAccept(after.state, E1)).toBeUndefined();
  });

  it('is refused where the rest was edited since it was made', () => {
    given(...WAITING, ...moved(PART), proposed(4, { source: 'edit' })).when(toMove(undo, REST.commit)).refuses('candidate-superseded');
  });

  it('after the rest was rejected lets what was taken wait again', () => {
    const after = given(...WAITING, ...moved(PART), rejected(3)).when(toMove(undo)).isAccepted().when({ type: 'move done', move: undo.move, tree: TREE }).isAccepted();
    expect(after.episode.phase).toMatchObject({ name: 'waiting', candidate: 4 });
  });

  it('takes each accept back by itself, the newest first', () => {
    const both = given(...WAITING, ...moved(PART), ...moved(OF_REST));
    both.when(toMove(move(3, { kind: 'undo', candidate: 2 }))).refuses('wrong-state');
    both.when(toMove(move(3, { kind: 'undo', candidate: 2, remade }), null, [OF_REST.move])).isAccepted();
    const undoRest = move(3, { kind: 'undo', candidate: 3, remade });
    const first = both.when(toMove(undoRest)).isAccepted().when({ type: 'move done', move: undoRest.move, tree: TREE }).isAccepted();
    expect(standingAccept(first.state, E1)?.prepared.move).toBe(PART.move);
    const undoPart = move(4, { kind: 'undo', candidate: 2, remade: candidate(5, { source: 'remade' }) });
    const second = first.when(toMove(undoPart, remade.commit)).isAccepted().when({ type: 'move done', move: undoPart.move, tree: TREE }).isAccepted();
    expect(standingAccept(second.state, E1)).toBeUndefined();
    expect(second.episode.phase).toMatchObject({ name: 'waiting', candidate: 5 });
  });

  it('of which the accept is not in the ledger takes back no other', () => {
    const after = given(...WAITING, ...moved(PART), ...moved(move(3, { kind: 'undo', candidate: 7 })));
    expect(standingAccept(after.state, E1)?.prepared.move).toBe(PART.move);
  });

  it('is refused while the agent works on the rest', () => {
    given(...WAITING, ...moved(PART), reworked(3, 'Again.')).when(toMove(undo)).refuses('wrong-state');
  });
});
