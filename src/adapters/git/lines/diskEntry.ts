import { lstat, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath, FilePath, FolderPath } from '../../../core/ids.ts';
import { chainTo, parentFolder, ROOT } from '../../../core/paths.ts';

/** What stands at a repository path on disk. */
export type OnDisk =
  | { readonly kind: 'absent' }
  | { readonly kind: 'folder' }
  /** A file or link. */
  | { readonly kind: 'entry' }
  /** A folder of its path is a file or link: nothing is at the path itself, whatever a link leads to. */
  | { readonly kind: 'blocked'; readonly by: FilePath };

/** Looks along the path without ever following a link: what a link of an agent or a person leads to is not ours to touch. */
export async function onDisk(top: AbsolutePath, file: FilePath): Promise<OnDisk> {
  for (const folder of chainTo(parentFolder(file))) {
    if (folder === ROOT) continue;
    const kind = await kindOf(path.join(top, folder));
    if (kind === 'absent') return { kind: 'absent' };
    if (kind === 'entry') return { kind: 'blocked', by: folder as string as FilePath };
  }
  return { kind: await kindOf(path.join(top, file)) };
}

/** Every file and link below a folder, repository-relative, also those in `.git` folders; empty folders count for nothing. Links are not followed. */
export async function filesBelow(top: AbsolutePath, folder: string): Promise<FilePath[]> {
  const found: FilePath[] = [];
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of await readdir(path.join(top, next), { withFileTypes: true })) {
      const name = next === '' ? entry.name : `${next}/${entry.name}`;
      if (entry.isDirectory()) open.push(name);
      else found.push(name as FilePath);
    }
  }
  return found;
}

/** Removes the folders of a removed file that hold nothing any more, upwards. */
export async function pruneEmptyFolders(top: AbsolutePath, file: FilePath): Promise<void> {
  for (let folder: FolderPath = parentFolder(file); folder !== ROOT; folder = parentFolder(folder)) {
    try {
      await rmdir(path.join(top, folder));
    } catch {
      return;
    }
  }
}

async function kindOf(file: string): Promise<'absent' | 'folder' | 'entry'> {
  try {
    return (await lstat(file)).isDirectory() ? 'folder' : 'entry';
  } catch (error) {
    // Anything but absence (no permission, an I/O error) must not read as "nothing is there".
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return 'absent';
    throw error;
  }
}
