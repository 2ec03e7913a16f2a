import type { EpisodeId, FilePath } from '../ids.ts';
import { inseparable } from './partition.ts';
import { candidateFiles, type Candidate } from './candidate.ts';

/** What would stand in the way of a waiting change if it were accepted now; computed ahead, so that nobody waits for it. */
export interface Foreseen {
  /** Commits of its line that its base lacks. */
  readonly behind: number;
  /** Files that conflict with the line's tip; empty where it merges. */
  readonly conflicts: readonly FilePath[];
  /** Other waiting changes for the same line that it cannot be accepted together with. */
  readonly others: readonly { readonly episode: EpisodeId; readonly files: readonly FilePath[] }[];
}

/**
 * Whether two changes may conflict at all: they touch one place, or one moves files, of which git may conclude that a whole
 * folder moved. All other pairs need no merge.
 */
export function mayConflict(a: Candidate, b: Candidate): boolean {
  const [ours, theirs] = [candidateFiles(a), candidateFiles(b)];
  return [...ours, ...theirs].some((file) => file.kind === 'renamed') || ours.some((one) => theirs.some((other) => inseparable(one, other)));
}
