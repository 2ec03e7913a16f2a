import type { EpisodeId } from '../ids.ts';

/** A request that waits until its model takes one more. */
export interface InLine {
  readonly episode: EpisodeId;
  /** How many ancestors its episode has. */
  readonly depth: number;
  /** How often one that came later was served before it. */
  readonly passedOver: number;
}

/** Time runs out for one that waits: two agents that take turns must not keep a third from its first. */
export const MOST_PASSED_OVER = 3;

/**
 * Whose turn it is: whoever was passed over too often already; else who was served most recently, since its
 * conversation is still in the provider's cache; of those that never were, the shallowest; then who came first.
 * @param waiting in the order in which they came.
 * @param served grows with each turn that was given.
 */
export function nextInLine<T extends InLine>(waiting: readonly T[], served: ReadonlyMap<EpisodeId, number>): T | undefined {
  return waiting.find(({ passedOver }) => passedOver >= MOST_PASSED_OVER)
    ?? waiting.toSorted((a, b) => (served.get(b.episode) ?? 0) - (served.get(a.episode) ?? 0) || a.depth - b.depth)[0];
}
