import type { Candidate } from '../../candidate/candidate.ts';
import type { Refusal } from '../../refusal.ts';
import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import { candidateOf, type Episode, type WorldState } from '../state.ts';
import { cannot, inPhase } from './precondition.ts';
import { countAbandoned } from './request.ts';
import { ENDED_IN_FLIGHT } from './stop.ts';

/**
 * A commit with a ref becomes the change that waits: from the agent while it works or is cut off; from an edit in the
 * diff, a hook, a decision about files outside, or re-made after an undo, only while one waits. So a save that is slower
 * than the person's Rework does not take the agent's place, and a second hand-in adds nothing.
 */
export function propose(state: WorldState, command: Extract<Command, { type: 'propose' }>): Decision {
  const { candidate, replaces } = command;
  const found = candidate.source === 'agent'
    ? inPhase(state, command.episode, 'given a proposed change', 'running', 'asking', 'interrupted')
    : inPhase(state, command.episode, 'given a proposed change', 'waiting');
  if (!found.ok) return refused(found.refusal);
  const { episode } = found;
  // An agent that another clone told of has no worktree here; what a person or the harness makes needs none.
  if (candidate.source === 'agent' && episode.worktree === null) return refused(cannot(episode, 'given a proposed change'));
  const superseded = supersededBy(episode, candidate, replaces);
  if (superseded) return refused(superseded);
  return accepted([...countAbandoned(episode, ENDED_IN_FLIGHT), { type: 'candidate.proposed', episode: episode.id, candidate, replaces }], [{ do: 'record', episode: episode.id }]);
}

/** Numbers only grow. What an agent proposed is never replaced (rule 4), nor an edit that is not the newest any more. */
function supersededBy(episode: Episode, { number }: Candidate, replaces: number | null): Refusal | null {
  const newest = episode.candidates.at(-1)?.number ?? 0;
  if (number <= newest && number !== replaces) {
    return { reason: 'candidate-superseded', message: `Proposed change ${number} is older than ${newest}.`, next: 'Open the newest one; it holds what was made since.' };
  }
  if (replaces !== null && (replaces !== newest || candidateOf(episode, replaces)?.source !== 'edit' || replaces <= episode.published)) {
    return { reason: 'candidate-superseded', message: `Proposed change ${replaces} is not an edit that can be replaced: the newest is ${newest}.`, next: 'Open the newest one and edit that.' };
  }
  return null;
}
