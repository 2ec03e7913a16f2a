import type { Episode, WorldState } from '../world/state.ts';
import { pricesOf } from '../episode/model.ts';
import type { EpisodeId } from '../ids.ts';
import { addUsage, NO_USAGE, type Usage } from './usage.ts';

type LimitName = 'cost' | 'fresh tokens' | 'tokens' | 'turns' | 'time';

/** Turns beyond the limit: its agent is told that this one is the last (`core/episode/graceTurn.ts`). */
const GRACE_TURNS = 1;

/** Whether one more request fits into the limits of an episode and of all its ancestors (rule 7). */
export type Fit =
  | { readonly kind: 'fits' }
  /** It fits once what is in flight has been counted. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'reached'; readonly limit: LimitName; readonly used: number; readonly cap: number };

/**
 * @param estimate what the request may use at most: the prompt at the fresh price, and the output limit.
 * @param at now, milliseconds since the epoch.
 */
export function fitOf(state: WorldState, episode: Episode, estimate: Usage, usd: number, at: number): Fit {
  let waits = false;
  for (const holder of selfAndAncestors(state, episode)) {
    const fit = fitInto(state, holder, pricesOf(episode.model).known, estimate, usd, at);
    if (fit.kind === 'reached') return fit;
    waits ||= fit.kind === 'wait';
  }
  return waits ? { kind: 'wait' } : { kind: 'fits' };
}

function fitInto(state: WorldState, holder: Episode, priced: boolean, estimate: Usage, usd: number, at: number): Fit {
  const { spent, flying } = subtreeUse(state, holder.id);
  const { limits } = holder;
  const amounts: readonly (readonly [LimitName, spent: number, flying: number, more: number, cap: number])[] = [
    ['turns', spent.turns, flying.turns, 1 - GRACE_TURNS, limits.turns],
    ['time', wallMsAt(holder, at), 0, 0, limits.wallMs],
    ['cost', spent.usd, flying.usd, usd, limits.costUsd],
    ['fresh tokens', spent.usage.fresh, flying.usage.fresh, estimate.fresh, limits.freshTokens],
    ...(priced ? [] : [['tokens', allTokens(spent.usage), allTokens(flying.usage), allTokens(estimate), limits.allTokens] as const]),
  ];
  let waits = false;
  for (const [limit, used, inFlight, more, cap] of amounts) {
    const fits = limit === 'time' ? used < cap : used + inFlight + more <= cap;
    if (fits) continue;
    if (inFlight === 0) return { kind: 'reached', limit, used, cap };
    waits = true;
  }
  return waits ? { kind: 'wait' } : { kind: 'fits' };
}

/** Own use and that of all descendants, and what of it is reserved for requests in flight. */
export function subtreeUse(state: WorldState, root: EpisodeId): { spent: { usage: Usage; usd: number; turns: number }; flying: { usage: Usage; usd: number; turns: number } } {
  const spent = { usage: NO_USAGE, usd: 0, turns: 0 };
  const flying = { usage: NO_USAGE, usd: 0, turns: 0 };
  for (const episode of state.episodes.values()) {
    if (!selfAndAncestors(state, episode).some((e) => e.id === root)) continue;
    spent.usage = addUsage(spent.usage, episode.spent.usage);
    spent.usd += episode.spent.usd;
    // Turns are each agent's own: a parent's do not run out because its children work.
    if (episode.id === root) spent.turns = episode.spent.turns;
    for (const reserved of episode.spent.inFlight.values()) {
      flying.usage = addUsage(flying.usage, reserved.usage);
      flying.usd += reserved.usd;
      if (episode.id === root) flying.turns += 1;
    }
  }
  return { spent, flying };
}

/** Milliseconds in which the episode prepared or worked, the stretch that goes on now included. */
export function wallMsAt(episode: Episode, at: number): number {
  const working = episode.phase.name === 'preparing' || episode.phase.name === 'running';
  return episode.spent.wallMs + (working ? Math.max(0, at - episode.changedAt) : 0);
}

export function allTokens(usage: Usage): number {
  return usage.fresh + usage.cached + usage.output;
}

/** How many ancestors an episode has. */
export function depthOf(state: WorldState, id: EpisodeId): number {
  const episode = state.episodes.get(id);
  return episode === undefined ? 0 : selfAndAncestors(state, episode).length - 1;
}

function selfAndAncestors(state: WorldState, episode: Episode): Episode[] {
  const chain = [episode];
  for (let parent = episode.parent; parent !== null;) {
    const next = state.episodes.get(parent);
    if (!next || chain.includes(next)) break;
    chain.push(next);
    parent = next.parent;
  }
  return chain;
}
