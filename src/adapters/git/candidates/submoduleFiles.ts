import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath } from '../../../core/ids.ts';
import { exists } from './nestedRepositories.ts';

/** How many files of one folder are named; one of them tells enough. */
const MOST = 100;

/**
 * What lies in the folders of submodules, which git looks past: neither tracked nor untracked. Files where the submodule
 * is not checked out; else its folder alone, since no git of ours runs in a repository that an agent wrote (rule 11).
 */
export async function submoduleFiles(worktree: AbsolutePath, submodules: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of submodules) {
    if (await exists(path.join(worktree, folder, '.git'))) found.push(folder);
    else found.push(...await filesBelow(worktree, folder));
  }
  return found;
}

async function filesBelow(worktree: AbsolutePath, folder: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined && found.length < MOST; at = folders.pop()) {
    const entries = await readdir(path.join(worktree, at), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) (entry.isDirectory() ? folders : found).push(`${at}/${entry.name}`);
  }
  return found.slice(0, MOST).sort();
}
