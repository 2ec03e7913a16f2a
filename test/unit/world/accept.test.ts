import { describe, expect, it } from 'vitest';
import { moveId } from '../../../src/core/ids.ts';
import { standingAccept } from '../../../src/core/world/state.ts';
import { candidate, commit, E1, move, moved, moveDone, movePrepared, proposed, rejected, reworked, TREE, WAITING, toMove, RECORDED } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

const ACCEPT = move(1);
const UNDO = move(2, { kind: 'undo', old: commit(201), new: commit(202) });

describe('accepting a change', () => {
  it('is written down before the branch is touched, and nobody else may judge meanwhile', () => {
    const after = given(...WAITING).when(toMove(ACCEPT)).then({ events: [movePrepared(ACCEPT)] });
    expect(after.episode.phase).toMatchObject({ name: 'judging', candidate: 1, move: ACCEPT.move, before: { name: 'waiting' } });
    expect(standingAccept(after.state, E1)).toBeUndefined();
  });

  it('ends the agent as retained when the branch has moved', () => {
    const after = given(...WAITING, movePrepared(ACCEPT)).when({ type: 'move done', move: ACCEPT.move, tree: TREE }).then({ events: [moveDone(ACCEPT)], effects: [{ do: 'close', episode: E1 }] });
    expect(after.episode.phase).toMatchObject({ name: 'ended', outcome: 'retained', candidate: 1 });
    expect(standingAccept(after.state, E1)?.prepared).toEqual(ACCEPT);
  });

  it('that could not be done leaves the change waiting as before', () => {
    const before = given(...WAITING);
    const after = before.when(toMove(ACCEPT)).isAccepted().when({ type: 'move dropped', move: ACCEPT.move, words: 'retry.ts has unsaved edits.' }).then({
      events: [{ type: 'move.dropped', move: ACCEPT.move, words: 'retry.ts has unsaved edits.' }],
    });
    expect(after.episode.phase).toEqual(before.episode.phase);
    after.when(toMove(move(2))).isAccepted();
  });

  it('that nobody can tell the end of waits for a person, then finds its end', () => {
    const unclear = given(...WAITING, movePrepared(ACCEPT)).when({ type: 'move unclear', move: ACCEPT.move, words: 'retry.ts holds neither version.' }).then({
      events: [{ type: 'move.unclear', move: ACCEPT.move, words: 'retry.ts holds neither version.' }],
    });
    expect(unclear.episode.phase.name).toBe('judging');
    expect(unclear.when({ type: 'move done', move: ACCEPT.move, tree: TREE }).isAccepted().episode.phase).toMatchObject({ outcome: 'retained' });
    expect(unclear.when({ type: 'move dropped', move: ACCEPT.move, words: '' }).isAccepted().episode.phase.name).toBe('waiting');
  });

  it('is refused for a change that was replaced meanwhile', () => {
    given(...WAITING, proposed(2, { source: 'edit' })).when(toMove(ACCEPT)).refuses('candidate-superseded');
  });

  it('is refused for a change that the person edited under the same number while it was checked', () => {
    const edited = given(...WAITING, proposed(2, { source: 'edit' })).and(proposed(2, { source: 'edit', commit: commit(50) }, 2));
    const accept = move(1, { candidate: 2 });
    expect(edited.when(toMove(accept, commit(2))).refuses('candidate-superseded').episode.phase).toMatchObject({ name: 'waiting', candidate: 2 });
    edited.when(toMove(accept, commit(50))).isAccepted();
  });

  it('is refused under a name that another move has', () => {
    given(...WAITING, movePrepared(ACCEPT), { type: 'move.dropped', move: ACCEPT.move, words: '' }).when(toMove(ACCEPT)).refuses('wrong-state');
  });

  it('has one end: what is done or dropped is not told again', () => {
    const commands = [{ type: 'move done', move: ACCEPT.move, tree: TREE }, { type: 'move dropped', move: ACCEPT.move, words: '' }, { type: 'move unclear', move: ACCEPT.move, words: '' }] as const;
    for (const command of commands) {
      given(...WAITING, ...moved(ACCEPT)).when(command).refuses('wrong-state');
      // Else an accept that was dropped would take an agent that works again out of its work.
      given(...WAITING, movePrepared(ACCEPT), { type: 'move.dropped', move: ACCEPT.move, words: '' }, reworked(1, 'Again.')).when(command).refuses('wrong-state');
    }
  });

  it('of which nothing is known is refused', () => {
    given(...WAITING).when({ type: 'move done', move: moveId.parse('e1-k3f9/m77'), tree: TREE }).refuses('wrong-state');
  });
});

describe('undoing an accept', () => {
  it('makes the change wait again', () => {
    const after = given(...WAITING, ...moved(ACCEPT)).when(toMove(UNDO)).then({ events: [movePrepared(UNDO)] })
      .when({ type: 'move done', move: UNDO.move, tree: TREE }).then({ events: [moveDone(UNDO)], effects: RECORDED });
    expect(after.episode.phase).toMatchObject({ name: 'waiting', candidate: 1 });
    expect(standingAccept(after.state, E1)).toBeUndefined();
  });

  it('is followed by the change made again on the new tip, which can be accepted', () => {
    const remade = candidate(2, { source: 'remade', base: commit(202) });
    const after = given(...WAITING, ...moved(ACCEPT), ...moved(UNDO)).when({ type: 'propose', episode: E1, candidate: remade, replaces: null }).then({ events: [proposed(2, { source: 'remade', base: commit(202) })], effects: RECORDED })
      .when(toMove(move(3, { candidate: 2 }))).isAccepted()
      .when({ type: 'move done', move: move(3).move, tree: TREE }).isAccepted();
    expect(after.episode.phase).toMatchObject({ name: 'ended', outcome: 'retained', candidate: 2 });
    expect(standingAccept(after.state, E1)?.prepared.move).toBe(move(3).move);
  });

  it('can be followed by rework, or by a reject', () => {
    const undone = given(...WAITING, ...moved(ACCEPT), ...moved(UNDO), proposed(2, { source: 'remade', base: commit(202) }));
    undone.when({ type: 'rework', episode: E1, words: 'Again.', editedByPerson: [], madeAgain: null }).then({ events: [reworked(2, 'Again.')], effects: [{ do: 'continue', episode: E1 }] });
    undone.when({ type: 'reject', episode: E1, reason: '' }).then({ events: [rejected(2)], effects: [{ do: 'close', episode: E1 }] });
  });

  it('that could not be done leaves the accept standing', () => {
    const after = given(...WAITING, ...moved(ACCEPT), movePrepared(UNDO), { type: 'move.dropped', move: UNDO.move, words: 'A rebase is under way.' });
    expect(after.episode.phase).toMatchObject({ name: 'ended', outcome: 'retained' });
    after.when(toMove(move(3, { kind: 'undo' }))).isAccepted();
  });

  it('is refused where no accept stands', () => {
    given(...WAITING).when(toMove(UNDO)).refuses('wrong-state');
    given(...WAITING, rejected(1)).when(toMove(UNDO)).refuses('wrong-state');
    given(...WAITING, ...moved(ACCEPT)).when(toMove({ ...UNDO, candidate: 2 })).refuses('wrong-state');
    given(...WAITING, ...moved(ACCEPT), ...moved(UNDO), rejected(1)).when(toMove(move(3, { kind: 'undo' }))).refuses('wrong-state');
  });
});
