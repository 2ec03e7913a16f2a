import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';

/** The person ends an episode at once. What is in its worktree is not thrown away: it becomes a proposed change. */
export function stop(state: WorldState, command: Extract<Command, { type: 'stop' }>): Decision {
  const found = inPhase(state, command.episode, 'stopped', 'preparing', 'running', 'asking', 'interrupted');
  if (!found.ok) return refused(found.refusal);
  const { episode } = found;
  const halt = { do: 'halt', episode: episode.id } as const;
  if (episode.worktree === null) return accepted([{ type: 'episode.ended', episode: episode.id, outcome: 'cancelled', words: 'Stopped before it had begun.' }], [halt, { do: 'close', episode: episode.id }]);
  return accepted([], [halt, { do: 'hand in', episode: episode.id, why: 'Stopped by the person before the agent had finished.', otherwise: 'cancelled' }]);
}

export function ask(state: WorldState, command: Extract<Command, { type: 'ask' }>): Decision {
  const found = inPhase(state, command.episode, 'asked about', 'preparing', 'running');
  if (!found.ok) return refused(found.refusal);
  return accepted([{ type: 'episode.asked', episode: command.episode, question: command.question }]);
}

export function end(state: WorldState, command: Extract<Command, { type: 'end' }>): Decision {
  const found = inPhase(state, command.episode, 'ended', 'preparing', 'running', 'asking', 'interrupted');
  if (!found.ok) return refused(found.refusal);
  return accepted([{ type: 'episode.ended', episode: command.episode, outcome: command.outcome, words: command.words }], [{ do: 'close', episode: command.episode }]);
}
