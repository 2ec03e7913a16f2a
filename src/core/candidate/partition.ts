import type { FilePath } from '../ids.ts';
import type { ChangedFile } from './candidate.ts';
import { placesOf, touching } from './places.ts';

/** A change in two: what is taken, and what stays behind. */
export interface Partition {
  readonly taken: readonly ChangedFile[];
  readonly rest: readonly ChangedFile[];
}

/**
 * Takes some files of a change. What cannot stand apart comes along: both sides of a rename are one entry already, and a
 * folder that becomes a file is that file and all that was in it.
 */
export function partition(files: readonly ChangedFile[], picked: readonly FilePath[]): Partition {
  const wanted = new Set(picked);
  const places = placesOf(files);
  const taken = new Set(files.filter((file) => wanted.has(file.path)));
  // What is added meanwhile is gone through as well.
  for (const file of taken) for (const other of touching(places, file)) taken.add(other);
  return { taken: files.filter((file) => taken.has(file)), rest: files.filter((file) => !taken.has(file)) };
}
