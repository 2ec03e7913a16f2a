import type { FilePath } from '../ids.ts';
import type { ChangedFile } from './candidate.ts';
import { sidesOf } from './scope.ts';

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
  const taken = new Set(files.filter((file) => wanted.has(file.path)));
  let grown: boolean;
  do {
    const more = files.filter((file) => !taken.has(file) && [...taken].some((other) => inseparable(file, other)));
    for (const file of more) taken.add(file);
    grown = more.length > 0;
  } while (grown);
  return { taken: files.filter((file) => taken.has(file)), rest: files.filter((file) => !taken.has(file)) };
}

/** Whether two entries touch one place: the same path, or one where the other needs a folder. Case counts for nothing, as on some disks. */
export function inseparable(a: ChangedFile, b: ChangedFile): boolean {
  return sidesOf(a).some((one) => sidesOf(b).some((other) => samePlace(one.toLowerCase(), other.toLowerCase())));
}

function samePlace(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
