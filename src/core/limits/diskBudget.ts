import type { EpisodeId } from '../ids.ts';
import type { WorldState } from '../world/state.ts';

/** What worktrees take on this machine's disk, in bytes. */
export interface DiskUse {
  /** Below the folder for worktrees, of all repositories, but for caches of tools: none is given back with a worktree. */
  readonly total: number;
  /** Of this repository's episodes; those that have a worktree there. */
  readonly byEpisode: ReadonlyMap<EpisodeId, number>;
}

/** Gigabytes that worktrees may take; for a person who has said nothing. */
export const DISK_BUDGET_GB = 10;

/**
 * Whose worktrees are given back, so that all together fit again: of changes that wait, the one that waits longest
 * first. Everything of theirs is in refs, and rework makes the worktree again. Never one that is at work.
 */
export function toGiveBack(state: WorldState, use: DiskUse, budget: number): readonly EpisodeId[] {
  const waiting = [...state.episodes.values()].flatMap(({ id, phase }) => (phase.name === 'waiting' ? [{ id, since: phase.since, bytes: use.byEpisode.get(id) ?? 0 }] : []));
  const given: EpisodeId[] = [];
  let total = use.total;
  for (const { id, bytes } of waiting.sort((a, b) => a.since - b.since)) {
    if (total <= budget) break;
    if (bytes === 0) continue;
    given.push(id);
    total -= bytes;
  }
  return given;
}
