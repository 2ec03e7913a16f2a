import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { CommitId, FilePath, TreeId } from '../../core/ids.ts';
import { filesBelow, onDisk, pruneEmptyFolders } from '../git/lines/diskEntry.ts';
import { CHECKOUT_TIMEOUT_MS } from '../git/door/door.ts';
import type { GitDoor } from '../git/door/door.ts';
import { fields } from '../git/door/nulList.ts';
import { onIndex, withPrivateIndex } from '../git/candidates/privateIndex.ts';
import { removeTree } from '../git/worktrees/trash.ts';
import type { WorktreeAccess } from '../git/worktrees/worktreeAccess.ts';

/** Files of a check worktree that are not under git, each with what tells whether it was touched since. */
type Belongings = Readonly<Record<FilePath, string>>;

const AT_ONCE = 64;

/**
 * What is on disk besides the files of `tree`: copied in, made by setup, or left by a check. Looked up on disk, since git
 * would pass over what lies in `.git` folders, and a check could have put its files into the worktree's index.
 */
export async function belongingsOf(git: GitDoor, access: WorktreeAccess, tree: CommitId | TreeId): Promise<Belongings> {
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree], { write: false });
  const tracked = new Set(fields(stdout));
  const files = (await filesBelow(access.workTree, '')).filter((name) => name !== '.git' && !tracked.has(name));
  const found: [string, string][] = [];
  for (let i = 0; i < files.length; i += AT_ONCE) {
    found.push(...await Promise.all(files.slice(i, i + AT_ONCE).map(async (name): Promise<[string, string]> => [name, await fingerprint(path.join(access.workTree, name))])));
  }
  return Object.fromEntries(found);
}

/** Which of them an ignore rule of the worktree's own files matches: what a build leaves, if the tree is to be trusted. */
export async function ignoredOnly(git: GitDoor, access: WorktreeAccess, tree: CommitId | TreeId, belongings: Belongings): Promise<Belongings> {
  const names = await withPrivateIndex(async (index) => {
    await git.run(['read-tree', tree], onIndex(index));
    const { stdout } = await git.run(['ls-files', '-z', '--others', '--ignored', '--exclude-standard'], onIndex(index, { gitDir: access.gitDir, workTree: access.workTree, timeoutMs: CHECKOUT_TIMEOUT_MS }));
    return new Set(fields(stdout));
  });
  return Object.fromEntries(Object.entries(belongings).filter(([name]) => names.has(name)));
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
