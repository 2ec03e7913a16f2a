import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Refused } from '../../core/refusal.ts';
import { removeTree } from '../git/worktrees/trash.ts';

/** Folders beside a worktree that its commands may write, outside of the worktree itself. */
export interface FoldersBeside {
  /** `$TMPDIR`: stays between calls, gone with the worktree. */
  readonly scratch: string;
  readonly caches: string;
}

/**
 * Caches of tools are shared by the agents of a repository. Those of a check worktree are its own: what one candidate's
 * build left there must not reach another's check (C14), and nothing that an agent left (rule 5).
 */
export async function foldersBeside(worktree: string, caches: 'shared' | 'own'): Promise<FoldersBeside> {
  const folders = { scratch: scratchOf(worktree), caches: caches === 'shared' ? path.join(path.dirname(worktree), 'caches') : ownCachesOf(worktree) };
  await Promise.all(Object.values(folders).map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
  return folders;
}

/** Once the worktree goes. Like the two below it throws `Refused` where something resists. */
export async function removeFoldersBeside(worktree: string): Promise<void> {
  await Promise.all([removeScratch(worktree), removeOwnCaches(worktree)]);
}

export function removeScratch(worktree: string): Promise<void> {
  return removeWritable(scratchOf(worktree));
}

export function removeOwnCaches(worktree: string): Promise<void> {
  return removeWritable(ownCachesOf(worktree));
}

function scratchOf(worktree: string): string {
  return path.join(path.dirname(worktree), 'scratch', path.basename(worktree));
}

function ownCachesOf(worktree: string): string {
  return path.join(path.dirname(worktree), 'caches', path.basename(worktree));
}

/** Whoever goes on although something resists must not let another command meet it. */
async function removeWritable(folder: string): Promise<void> {
  try {
    await removeTree(folder);
  } catch (error) {
    throw new Refused({ reason: 'worktree-failed', message: `What an earlier command left in ${folder} could not be removed: ${error instanceof Error ? error.message : String(error)}.`, next: 'Delete this folder, then try again.' }, { cause: error });
  }
}
