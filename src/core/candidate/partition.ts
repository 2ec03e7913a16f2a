import type { FilePath, FolderPath } from '../ids.ts';
import { isInside, parentFolder } from '../paths.ts';
import type { ChangedFile } from './candidate.ts';
import { placesOf, touching } from './places.ts';

/** A change in two: what is taken, and what stays behind. */
export interface Partition {
  readonly taken: readonly ChangedFile[];
  readonly rest: readonly ChangedFile[];
}

/**
 * Takes some files of a change. What cannot stand apart comes along: both sides of a rename are one entry already, and a
 * folder that becomes a file is that file and all that was in it. `folders` together: what comes into a folder goes with
 * the files that leave it, since a merge that sees the folder move as a whole takes the rest for something that should too.
 */
export function partition(files: readonly ChangedFile[], picked: readonly FilePath[], folders: 'apart' | 'together' = 'apart'): Partition {
  const wanted = new Set(picked);
  const places = placesOf(files);
  const taken = new Set(files.filter((file) => wanted.has(file.path)));
  // What is added meanwhile is gone through as well.
  for (const file of taken) {
    for (const other of touching(places, file)) taken.add(other);
    if (folders === 'together') for (const other of files.filter((one) => followsMove(file, one) || followsMove(one, file))) taken.add(other);
  }
  return { taken: files.filter((file) => taken.has(file)), rest: files.filter((file) => !taken.has(file)) };
}

/** Whether files leave a folder, which may move as a whole then. */
export function movesFolders(files: readonly ChangedFile[]): boolean {
  return files.some((file) => leftFolder(file) !== null);
}

function followsMove(moved: ChangedFile, other: ChangedFile): boolean {
  const left = leftFolder(moved);
  return left !== null && ((other.kind !== 'deleted' && isInside(other.path, left)) || leftFolder(other) === left);
}

function leftFolder({ kind, from, path }: ChangedFile): FolderPath | null {
  return kind === 'renamed' && from !== null && parentFolder(from) !== parentFolder(path) ? parentFolder(from) : null;
}
