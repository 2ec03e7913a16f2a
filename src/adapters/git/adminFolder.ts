import { readFile, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath } from '../../core/ids.ts';

/**
 * The git folder of a linked worktree, `<common>/worktrees/<name>`, found from the registrations and never from the
 * worktree's own `.git`, which an agent can replace (rule 11). Null where no registration names the worktree.
 */
export async function adminFolderOf(commonDir: AbsolutePath, worktree: string): Promise<AbsolutePath | null> {
  const wanted = await real(worktree);
  const root = path.join(commonDir, 'worktrees');
  let names: string[];
  try {
    names = await readdir(root);
  } catch {
    return null;
  }
  for (const name of names) {
    const folder = path.join(root, name);
    try {
      const link = path.resolve(folder, (await readFile(path.join(folder, 'gitdir'), 'utf8')).replace(/\r?\n$/, ''));
      if (samePath(await real(path.dirname(link)), wanted)) return folder as AbsolutePath;
    } catch {
      // Half made or half removed: not the one.
    }
  }
  return null;
}

async function real(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    return path.resolve(folder);
  }
}

function samePath(a: string, b: string): boolean {
  return process.platform === 'win32' ? a.toLowerCase() === b.toLowerCase() : a === b;
}
