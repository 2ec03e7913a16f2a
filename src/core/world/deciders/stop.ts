import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { LedgerEvent } from '../../ledger/events.ts';
import type { Episode, WorldState } from '../state.ts';
import { cannot, inPhase } from './precondition.ts';
import { countAbandoned } from './request.ts';

/** Words for a request that was in flight when its episode proposed or ended. */
export const ENDED_IN_FLIGHT = 'The agent ended while this request was in flight.';

/**
 * The person ends an episode at once. What is in its worktree is not thrown away: it becomes a proposed change. Until
 * that stands the episode counts as interrupted: it sends nothing more, and a start after a crash asks rather than goes on.
 */
export function stop(state: WorldState, command: Extract<Command, { type: 'stop' }>): Decision {
  const found = inPhase(state, command.episode, 'stopped', 'preparing', 'running', 'asking', 'interrupted');
  if (!found.ok) return refused(found.refusal);
  const { episode } = found;
  const halt = { do: 'halt', episode: episode.id } as const;
  if (episode.worktree === null) return accepted([{ type: 'episode.ended', episode: episode.id, outcome: 'cancelled', words: 'Stopped before it had begun.' }], [halt, { do: 'close', episode: episode.id }]);
  return accepted(cutOff(episode), [halt, { do: 'hand in', episode: episode.id, why: 'Stopped by the person before the agent had finished.', otherwise: 'cancelled' }]);
}

export function cutOff(episode: Episode): LedgerEvent[] {
  return episode.phase.name === 'interrupted' ? [] : [{ type: 'episode.interrupted', episode: episode.id }];
}

export function ask(state: WorldState, command: Extract<Command, { type: 'ask' }>): Decision {
  const found = inPhase(state, command.episode, 'asked about', 'preparing', 'running', 'interrupted');
  if (!found.ok) return refused(found.refusal);
  // A tool call that still ran when the person stopped the agent has nothing to ask any more; a hand-in that failed has.
  if (found.episode.phase.name === 'interrupted' && command.question.kind !== 'failed') return refused(cannot(found.episode, 'asked about'));
  // Its loop stopped to ask: a request that is still open here was lost on the way, and would hold its reservation for ever.
  return accepted([...countAbandoned(found.episode, 'The agent stopped to ask while this request was in flight.'), { type: 'episode.asked', episode: command.episode, question: command.question }]);
}

export function end(state: WorldState, command: Extract<Command, { type: 'end' }>): Decision {
  const found = inPhase(state, command.episode, 'ended', 'preparing', 'running', 'asking', 'interrupted');
  if (!found.ok) return refused(found.refusal);
  return accepted([...countAbandoned(found.episode, ENDED_IN_FLIGHT), { type: 'episode.ended', episode: command.episode, outcome: command.outcome, words: command.words }], [{ do: 'close', episode: command.episode }]);
}
