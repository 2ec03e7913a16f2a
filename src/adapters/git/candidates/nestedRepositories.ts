import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath } from '../../../core/ids.ts';
import { hasGitComponent, parentFolder } from '../../../core/paths.ts';
import type { FilePath, FolderPath } from '../../../core/ids.ts';

/** How many folders are looked at side by side. */
const AT_ONCE = 64;

/**
 * Folders below the root that hold a `.git` of any kind. Git would make a link of such a folder, or pass over it
 * without a word; rule 11 wants it told. `files` are the tracked and untracked files whose folders count: what lies
 * in ignored folders (a fetched dependency) is in no candidate and no violation.
 */
export async function nestedRepositories(worktree: AbsolutePath, files: Iterable<string>): Promise<FolderPath[]> {
  const folders = new Set<FolderPath>();
  const found = new Set<FolderPath>();
  for (const file of files) {
    // Git lists an untracked nested repository as a folder, with a slash at the end.
    if (file.endsWith('/')) found.add(file.slice(0, -1) as FolderPath);
    const odd = gitComponentAt(file);
    if (odd !== null) found.add(odd);
    for (let folder = parentFolder(file as FilePath); folder !== '' && !folders.has(folder); folder = parentFolder(folder)) folders.add(folder);
  }
  const list = [...folders];
  for (let i = 0; i < list.length; i += AT_ONCE) {
    await Promise.all(list.slice(i, i + AT_ONCE).map(async (folder) => {
      if (await exists(path.join(worktree, folder, '.git'))) found.add(folder);
    }));
  }
  return [...found].sort();
}

/** `.GIT/config` at the root, which git calls an invalid path, is told as the folder that it would be on other systems. */
function gitComponentAt(file: string): FolderPath | null {
  if (!hasGitComponent(file)) return null;
  const parts = file.split('/');
  const at = parts.findIndex((part) => hasGitComponent(part));
  return parts.slice(0, at + 1).join('/') as FolderPath;
}

export async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch {
    return false;
  }
}
