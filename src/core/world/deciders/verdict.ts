import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';

export function reject(state: WorldState, command: Extract<Command, { type: 'reject' }>): Decision {
  const found = inPhase(state, command.episode, 'rejected', 'waiting');
  if (!found.ok) return refused(found.refusal);
  return accepted([{ type: 'verdict.rejected', episode: command.episode, number: found.episode.phase.candidate, reason: command.reason }], [{ do: 'close', episode: command.episode }]);
}

export function addReason(state: WorldState, command: Extract<Command, { type: 'add reason' }>): Decision {
  const found = rejected(state, command.episode, 'given a reason');
  return 'refusal' in found ? refused(found.refusal) : accepted([{ type: 'verdict.reason', episode: command.episode, number: found.number, reason: command.reason }], [{ do: 'close', episode: command.episode }]);
}

export function withdrawReject(state: WorldState, command: Extract<Command, { type: 'withdraw reject' }>): Decision {
  const found = rejected(state, command.episode, 'taken back');
  return 'refusal' in found ? refused(found.refusal) : accepted([{ type: 'verdict.withdrawn', episode: command.episode, number: found.number }], [{ do: 'record', episode: command.episode }]);
}

/** The same agent goes on from its waiting change with the person's words. What is left of its limits still binds. */
export function rework(state: WorldState, command: Extract<Command, { type: 'rework' }>): Decision {
  const found = inPhase(state, command.episode, 'sent back', 'waiting');
  if (!found.ok) return refused(found.refusal);
  const { madeAgain, model } = command;
  const { phase, worktree, model: before } = found.episode;
  if (before.kind === 'elsewhere' && model === undefined) return refused({ reason: 'no-model', message: `This agent spoke to ${before.name} from another clone, and no model of this machine was chosen for it.`, next: 'Choose a model, then send it back again.' });
  return accepted(
    [{
      type: 'verdict.reworked', episode: command.episode, number: phase.candidate, words: command.words, editedByPerson: [...command.editedByPerson],
      ...(madeAgain === null ? {} : { madeAgain: { worktree: madeAgain.worktree, brought: [...madeAgain.brought], notes: [...madeAgain.notes] } }), ...(model === undefined ? {} : { model }),
    }],
    [{ do: worktree === null ? 'prepare worktree' : 'continue', episode: command.episode }],
  );
}

function rejected(state: WorldState, id: Parameters<typeof inPhase>[1], verb: string) {
  const found = inPhase(state, id, verb, 'ended');
  if (!found.ok) return found;
  const { phase } = found.episode;
  if (phase.outcome === 'rejected' && phase.candidate !== null) return { number: phase.candidate };
  return { refusal: { reason: 'wrong-state', message: `Its change was not rejected: it ended as ${phase.outcome}.`, next: 'An accepted change is taken back with Undo Accept.' } as const };
}
