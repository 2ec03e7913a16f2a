import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath, CommitId } from '../../../core/ids.ts';
import { registrationOf } from '../reading/checkouts.ts';

/**
 * Our copy of a worktree's index at a commit, kept beside its registration. An index knows the time and size of each
 * file, so a snapshot that starts from it hashes only what changed (4 to 11 times faster). It must never be a copy of
 * an index that an agent could write: skip-worktree bits would hide edits. So it is taken before the agent starts, and
 * afterwards only from indexes of our own. Its name says which commit it holds, with nothing staged on top.
 */
const PREFIX = 'worldtree-index-';

/** To be called once the worktree is checked out at the commit, before setup and agent get to see it. Worth nothing later. */
export async function keepCheckoutIndex(commonDir: AbsolutePath, worktree: AbsolutePath, commit: CommitId): Promise<void> {
  const admin = (await registrationOf({ commonDir }, worktree))?.gitDir;
  if (admin) await store(path.join(admin, 'index'), admin, commit);
}

/** Copies the kept index to `target`, and says which commit it holds; null where there is none. */
export async function takeWarmIndex(commonDir: AbsolutePath, worktree: AbsolutePath, target: string): Promise<string | null> {
  const admin = (await registrationOf({ commonDir }, worktree))?.gitDir;
  if (!admin) return null;
  try {
    const kept = (await keptIn(admin))[0];
    if (kept === undefined) return null;
    await copyFile(path.join(admin, kept), target);
    return kept.slice(PREFIX.length);
  } catch {
    return null;
  }
}

/** Keeps an index of our own, at a commit, for the next snapshot. Losing it costs time only. */
export async function keepWarmIndex(commonDir: AbsolutePath, worktree: AbsolutePath, index: string, commit: CommitId): Promise<void> {
  const admin = (await registrationOf({ commonDir }, worktree))?.gitDir;
  if (admin) await store(index, admin, commit);
}

async function store(index: string, admin: string, commit: CommitId): Promise<void> {
  const fresh = path.join(admin, `${PREFIX}${process.pid}.new`);
  const name = `${PREFIX}${commit}`;
  try {
    await copyFile(index, fresh);
    await rename(fresh, path.join(admin, name));
    for (const other of await keptIn(admin)) if (other !== name) await rm(path.join(admin, other), { force: true });
  } catch {
    await rm(fresh, { force: true });
  }
}

async function keptIn(admin: string): Promise<readonly string[]> {
  return (await readdir(admin)).filter((name) => name.startsWith(PREFIX) && !name.endsWith('.new'));
}
