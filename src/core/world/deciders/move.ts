import type { Refusal } from '../../refusal.ts';
import type { CommitId, MoveId } from '../../ids.ts';
import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import { acceptedNumber, candidateOf, standingAccepts, type Episode, type Move, type WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';

/** The first fact of an accept or undo; flushed before the ref is locked (never the ref before its record). */
export function prepareMove(state: WorldState, { prepared, judged, gone }: Extract<Command, { type: 'prepare move' }>): Decision {
  if (state.moves.has(prepared.move)) return refused({ reason: 'wrong-state', message: `The move ${prepared.move} stands in the ledger already.`, next: 'Try again.' });
  if (prepared.kind === 'accept') {
    const found = inPhase(state, prepared.episode, 'accepted', 'waiting');
    if (!found.ok) return refused(found.refusal);
    if (found.episode.phase.candidate !== prepared.candidate) {
      return refused({ reason: 'candidate-superseded', message: `Proposed change ${prepared.candidate} was replaced by ${found.episode.phase.candidate} meanwhile.`, next: 'Look at the newer one and accept that.' });
    }
    if (!waitsAsJudged(found.episode, judged)) {
      return refused({ reason: 'candidate-superseded', message: `Proposed change ${prepared.candidate} was edited while it was being accepted. Nothing was accepted.`, next: 'Look at it once more and accept it as it is now.' });
    }
  } else {
    const found = inPhase(state, prepared.episode, 'undone', 'ended', 'waiting');
    if (!found.ok) return refused(found.refusal);
    const accept = standingAccepts(state, prepared.episode).findLast((one) => !gone.includes(one.prepared.move));
    if (!accept || acceptedNumber(accept.prepared) !== prepared.candidate) return refused({ reason: 'wrong-state', message: 'There is no accept of this change to undo.', next: 'It may have been undone already.' });
    if (!waitsAsJudged(found.episode, judged)) return refused({ reason: 'candidate-superseded', message: 'The rest of the change was edited while the accept was being undone. Nothing was undone.', next: 'Undo it once more; the edit will be kept.' });
  }
  return accepted([{ type: 'move.prepared', prepared }]);
}

function waitsAsJudged(episode: Episode, judged: CommitId | null): boolean {
  const waiting = episode.phase.name === 'waiting' ? candidateOf(episode, episode.phase.candidate) : undefined;
  return (waiting?.commit ?? null) === judged;
}

export function moveDone(state: WorldState, command: Extract<Command, { type: 'move done' }>): Decision {
  const found = openMove(state, command.move);
  if (!found.ok) return refused(found.refusal);
  const { move } = found;
  const done = { type: 'move.done', move: command.move, tree: command.tree } as const;
  const { kind, split, episode } = move.prepared;
  return accepted([done], [{ do: kind === 'accept' && !split ? 'close' : 'record', episode }]);
}

export function moveDropped(state: WorldState, command: Extract<Command, { type: 'move dropped' }>): Decision {
  const found = openMove(state, command.move);
  return found.ok ? accepted([{ type: 'move.dropped', move: command.move, words: command.words }]) : refused(found.refusal);
}

export function moveUnclear(state: WorldState, command: Extract<Command, { type: 'move unclear' }>): Decision {
  const found = openMove(state, command.move);
  return found.ok ? accepted([{ type: 'move.unclear', move: command.move, words: command.words }]) : refused(found.refusal);
}

/** A move that is done or dropped stays so: told again, it would take its episode out of whatever it does since. */
function openMove(state: WorldState, id: MoveId): { readonly ok: true; readonly move: Move } | { readonly ok: false; readonly refusal: Refusal } {
  const move = state.moves.get(id);
  if (!move) return { ok: false, refusal: { reason: 'wrong-state', message: 'This accept is not known here.', next: 'Look at the agent’s row: it shows how its change stands.' } };
  if (move.state.name === 'done' || move.state.name === 'dropped') return { ok: false, refusal: { reason: 'wrong-state', message: `This ${move.prepared.kind} has its end already: it was ${move.state.name}.`, next: 'Look at the agent’s row: it shows how its change stands.' } };
  return { ok: true, move };
}
