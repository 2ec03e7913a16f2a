import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import { candidateOf, type WorldState } from '../state.ts';
import { unknownCandidate, unknownEpisode } from './precondition.ts';

/** Facts that change no phase. They are written only about what the ledger knows. */
export function toolRan(state: WorldState, { episode, name, ok, ms }: Extract<Command, { type: 'tool ran' }>): Decision {
  if (!state.episodes.has(episode)) return refused(unknownEpisode(episode));
  return accepted([{ type: 'tool.ran', episode, name, ok, ms }]);
}

export function look(state: WorldState, { episode, number }: Extract<Command, { type: 'look' }>): Decision {
  const found = state.episodes.get(episode);
  if (!found) return refused(unknownEpisode(episode));
  if (!candidateOf(found, number)) return refused(unknownCandidate(episode, number));
  return accepted([{ type: 'candidate.looked', episode, number }]);
}

export function checkRan(state: WorldState, { episode, number, evidence, tip, alone }: Extract<Command, { type: 'check ran' }>): Decision {
  const found = state.episodes.get(episode);
  if (!found) return refused(unknownEpisode(episode));
  if (!candidateOf(found, number)) return refused(unknownCandidate(episode, number));
  return accepted([{ type: 'check.ran', episode, number, evidence, ...(tip === undefined ? {} : { tip }), ...(alone === undefined ? {} : { alone }) }]);
}
