import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { CommitId, FilePath, TreeId } from '../../core/ids.ts';
import { filesBelow, onDisk, pruneEmptyFolders } from '../git/diskEntry.ts';
import { CHECKOUT_TIMEOUT_MS } from '../git/door.ts';
import type { GitDoor } from '../git/door.ts';
import { fields } from '../git/nulList.ts';
import { onIndex, withPrivateIndex } from '../git/privateIndex.ts';
import { removeTree } from '../git/trash.ts';
import type { WorktreeAccess } from '../git/worktreeAccess.ts';

/** Files of a check worktree that are not under git, each with what tells whether it was touched since. */
export type Belongings = Readonly<Record<FilePath, string>>;

const AT_ONCE = 64;

/**
 * What is there besides the files of `tree`: copied in, made by setup, or left by a check. Asked of an index of our own,
 * since a check could have put its files into the worktree's.
 */
export async function belongingsOf(git: GitDoor, access: WorktreeAccess, tree: CommitId | TreeId, only: 'all' | 'ignored' = 'all'): Promise<Belongings> {
  const names = await withPrivateIndex(async (index) => {
    await git.run(['read-tree', tree], onIndex(index));
    const { stdout } = await git.run(['ls-files', '-z', '--others', ...(only === 'ignored' ? ['--ignored', '--exclude-standard'] : [])], onIndex(index, { gitDir: access.gitDir, workTree: access.workTree, timeoutMs: CHECKOUT_TIMEOUT_MS }));
    return fields(stdout);
  });
  const files: string[] = [];
  // Git names a repository within as a folder and does not look into it.
  for (const name of names) files.push(...(name.endsWith('/') ? await filesBelow(access.workTree, name.slice(0, -1)) : [name]));
  const found: [string, string][] = [];
  for (let i = 0; i < files.length; i += AT_ONCE) {
    found.push(...await Promise.all(files.slice(i, i + AT_ONCE).map(async (name): Promise<[string, string]> => [name, await fingerprint(path.join(access.workTree, name))])));
  }
  return Object.fromEntries(found);
}

/**
 * Takes away what came since `known` was recorded, so that no candidate's code can poison a later check. False where
 * something that was known is changed or gone: then only making the worktree anew helps.
 */
export async function removeForeign(access: WorktreeAccess, known: Belongings, now: Belongings): Promise<boolean> {
  if (Object.entries(known).some(([name, print]) => now[name as FilePath] !== print)) return false;
  for (const name of Object.keys(now) as FilePath[]) {
    if (Object.hasOwn(known, name) || (await onDisk(access.workTree, name)).kind !== 'entry') continue;
    await removeTree(path.join(access.workTree, name));
    await pruneEmptyFolders(access.workTree, name);
  }
  return true;
}

/** The time of the last change of the inode cannot be set back by a process, as the time of the content can. */
async function fingerprint(file: string): Promise<string> {
  const { size, mtimeMs, ctimeMs, ino, mode } = await lstat(file);
  return `${size} ${mtimeMs} ${ctimeMs} ${ino} ${mode}`;
}
