import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';

/** A commit with a ref becomes the change that waits: from the agent, from an edit in the diff, or re-made after an undo. */
export function propose(state: WorldState, command: Extract<Command, { type: 'propose' }>): Decision {
  const found = inPhase(state, command.episode, 'given a proposed change', 'running', 'asking', 'interrupted', 'waiting');
  if (!found.ok) return refused(found.refusal);
  const newest = found.episode.candidates.at(-1)?.number ?? 0;
  const { number } = command.candidate;
  if (number <= newest && number !== command.replaces) {
    return refused({ reason: 'candidate-superseded', message: `Proposed change ${number} is older than ${newest}.`, next: 'Open the newest one; it holds what was made since.' });
  }
  return accepted([{ type: 'candidate.proposed', episode: command.episode, candidate: command.candidate, replaces: command.replaces }]);
}
