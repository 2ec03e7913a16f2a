import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import { standingAccept, type WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';

/** The first fact of an accept or undo; flushed before the ref is locked (design, section 6, step 2). */
export function prepareMove(state: WorldState, { prepared }: Extract<Command, { type: 'prepare move' }>): Decision {
  if (prepared.kind === 'accept') {
    const found = inPhase(state, prepared.episode, 'accepted', 'waiting');
    if (!found.ok) return refused(found.refusal);
    if (found.episode.phase.candidate !== prepared.candidate) {
      return refused({ reason: 'candidate-superseded', message: `Proposed change ${prepared.candidate} was replaced by ${found.episode.phase.candidate} meanwhile.`, next: 'Look at the newer one and accept that.' });
    }
  } else {
    const found = inPhase(state, prepared.episode, 'undone', 'ended');
    if (!found.ok) return refused(found.refusal);
    if (!standingAccept(state, prepared.episode)) return refused({ reason: 'wrong-state', message: 'There is no accept of this agent to undo.', next: 'It may have been undone already.' });
  }
  return accepted([{ type: 'move.prepared', prepared }]);
}

export function moveDone(state: WorldState, command: Extract<Command, { type: 'move done' }>): Decision {
  const move = state.moves.get(command.move);
  if (!move) return unknownMove();
  const done = { type: 'move.done', move: command.move, tree: command.tree } as const;
  return accepted([done], move.prepared.kind === 'accept' ? [{ do: 'close', episode: move.prepared.episode }] : []);
}

export function moveDropped(state: WorldState, command: Extract<Command, { type: 'move dropped' }>): Decision {
  return state.moves.has(command.move) ? accepted([{ type: 'move.dropped', move: command.move, words: command.words }]) : unknownMove();
}

export function moveUnclear(state: WorldState, command: Extract<Command, { type: 'move unclear' }>): Decision {
  return state.moves.has(command.move) ? accepted([{ type: 'move.unclear', move: command.move, words: command.words }]) : unknownMove();
}

function unknownMove(): Decision {
  return refused({ reason: 'wrong-state', message: 'This accept is not known here.', next: 'Refresh the view.' });
}
