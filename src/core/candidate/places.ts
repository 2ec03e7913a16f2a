import type { ChangedFile } from './candidate.ts';
import { sidesOf } from './scope.ts';

/** Where the entries of a change lie, to be asked once for each entry: changes have thousands, and pairs of changes millions of pairs. */
export interface Places {
  readonly at: ReadonlyMap<string, readonly ChangedFile[]>;
  /** By each folder that an entry needs. */
  readonly below: ReadonlyMap<string, readonly ChangedFile[]>;
}

export function placesOf(files: readonly ChangedFile[]): Places {
  const at = new Map<string, ChangedFile[]>();
  const below = new Map<string, ChangedFile[]>();
  for (const file of files) {
    for (const place of placesOfOne(file)) {
      add(at, place, file);
      for (const folder of foldersAbove(place)) add(below, folder, file);
    }
  }
  return { at, below };
}

/** Entries that touch one place with this one: the same path, or one where the other needs a folder. */
export function touching(places: Places, file: ChangedFile): readonly ChangedFile[] {
  return placesOfOne(file).flatMap((place) => [...(places.at.get(place) ?? []), ...(places.below.get(place) ?? []), ...foldersAbove(place).flatMap((folder) => places.at.get(folder) ?? [])]);
}

/** Whether any entry of one change touches one place with any of the other's. */
export function meet(a: Places, b: Places): boolean {
  for (const place of a.at.keys()) if (b.at.has(place) || b.below.has(place)) return true;
  for (const place of b.at.keys()) if (a.below.has(place)) return true;
  return false;
}

/** Case counts for nothing, as on some disks. */
function placesOfOne(file: ChangedFile): readonly string[] {
  return sidesOf(file).map((side) => side.toLowerCase());
}

function foldersAbove(place: string): string[] {
  const folders: string[] = [];
  for (let end = place.lastIndexOf('/'); end > 0; end = place.lastIndexOf('/', end - 1)) folders.push(place.slice(0, end));
  return folders;
}

function add(index: Map<string, ChangedFile[]>, place: string, file: ChangedFile): void {
  const there = index.get(place);
  if (there) there.push(file);
  else index.set(place, [file]);
}
