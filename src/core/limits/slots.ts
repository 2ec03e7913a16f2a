import type { EpisodeId } from '../ids.ts';

/** A request that waits until its model takes one more. */
export interface InLine {
  readonly episode: EpisodeId;
  /** How many ancestors its episode has. */
  readonly depth: number;
}

/**
 * Whose turn it is: of those that wait, who was served most recently, since its conversation is still in the
 * provider's cache; of those that never were, the shallowest; then who came first.
 * @param served grows with each turn that was given.
 */
export function nextInLine<T extends InLine>(waiting: readonly T[], served: ReadonlyMap<EpisodeId, number>): T | undefined {
  return waiting.toSorted((a, b) => (served.get(b.episode) ?? 0) - (served.get(a.episode) ?? 0) || a.depth - b.depth)[0];
}
