import { unreachable } from '../../exhaustive.ts';
import { shortEpisode, type EpisodeId } from '../../ids.ts';
import type { Refusal } from '../../refusal.ts';
import type { Episode, Phase, WorldState } from '../state.ts';

type InPhase<N extends Phase['name']> = Episode & { readonly phase: Extract<Phase, { name: N }> };
export type Found<N extends Phase['name']> = { readonly ok: true; readonly episode: InPhase<N> } | { readonly ok: false; readonly refusal: Refusal };

/** The episode, if it is in one of the phases in which the verb makes sense; else why not, in words. */
export function inPhase<N extends Phase['name']>(state: WorldState, id: EpisodeId, verb: string, ...names: readonly N[]): Found<N> {
  const episode = state.episodes.get(id);
  if (!episode) return { ok: false, refusal: unknownEpisode(id) };
  if (isIn(episode, names)) return { ok: true, episode };
  return { ok: false, refusal: cannot(episode, verb) };
}

export function cannot(episode: Episode, verb: string): Refusal {
  return { reason: 'wrong-state', message: `Agent ${shortEpisode(episode.id)} cannot be ${verb} now: it ${phaseWords(episode.phase)}.`, next: 'Look at its row in the Agents view for what it needs.' };
}

export function unknownEpisode(id: EpisodeId): Refusal {
  return { reason: 'episode-unknown', message: `Agent ${shortEpisode(id)} is not known here.`, next: 'It may be one of another clone; look in the Agents view.' };
}

export function unknownCandidate(id: EpisodeId, number: number): Refusal {
  return { reason: 'candidate-superseded', message: `Agent ${shortEpisode(id)} has no proposed change ${number}.`, next: 'Open the newest one.' };
}

function isIn<N extends Phase['name']>(episode: Episode, names: readonly N[]): episode is InPhase<N> {
  return (names as readonly string[]).includes(episode.phase.name);
}

function phaseWords(phase: Phase): string {
  switch (phase.name) {
    case 'preparing': return 'is still preparing its worktree';
    case 'running': return 'is at work';
    case 'asking': return 'waits for your answer';
    case 'interrupted': return 'was interrupted and waits to be resumed';
    case 'waiting': return 'has a proposed change that waits for a verdict';
    case 'judging': return 'is in the middle of a verdict';
    case 'ended': return `has ended (${phase.outcome})`;
    default: return unreachable(phase);
  }
}
