import type { EpisodeId, FilePath } from '../ids.ts';
import { candidateFiles, type Candidate } from './candidate.ts';
import { meet, placesOf, type Places } from './places.ts';

/** What would stand in the way of a waiting change if it were accepted now; computed ahead, so that nobody waits for it. */
export interface Foreseen {
  /** Commits of its line that its base lacks. */
  readonly behind: number;
  /** Files that conflict with the line's tip; empty where it merges. */
  readonly conflicts: readonly FilePath[];
  /** Other waiting changes for the same line that it cannot be accepted together with. */
  readonly others: readonly { readonly episode: EpisodeId; readonly files: readonly FilePath[] }[];
}

/** What of a change tells whether another may conflict with it. */
export interface Reach {
  readonly places: Places;
  /** Whether it moves files: git may conclude of them that a whole folder moved. */
  readonly moves: boolean;
}

export function reachOf(candidate: Candidate): Reach {
  const files = candidateFiles(candidate);
  return { places: placesOf(files), moves: files.some((file) => file.kind === 'renamed') };
}

/** Whether two changes may conflict at all: they touch one place, or one moves files. All other pairs need no merge. */
export function mayConflict(a: Reach, b: Reach): boolean {
  return a.moves || b.moves || meet(a.places, b.places);
}
