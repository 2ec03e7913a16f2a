import { lstat, readdir } from 'node:fs/promises';
import type { AbsolutePath, CommitId } from '../../../core/ids.ts';
import { commitId } from '../../../core/ids.ts';
import type { Refusal } from '../../../core/refusal.ts';
import type { GitDoor } from '../door/door.ts';
import { registrationOf } from '../reading/checkouts.ts';
import { whereMade } from './registration.ts';
import { isMemoryLost } from './worktreeAccess.ts';

export type FoundWorktree =
  | { readonly kind: 'ready'; readonly head: CommitId }
  | { readonly kind: 'gone' }
  /** `out of sight`: made in another container or on another machine, which may still have it. */
  | { readonly kind: 'out of sight' | 'damaged'; readonly refusal: Refusal };

/** Looks at a worktree that a window before made. Nothing is believed that an agent could have written but that its files are there. */
export async function findWorktree(door: GitDoor, worktree: AbsolutePath): Promise<FoundWorktree> {
  const registration = await registrationOf(door.place, worktree);
  const names = await filesAt(worktree);
  if (names === null || names.length === 0) {
    const made = registration === null ? { here: true, where: '' } : await whereMade(registration);
    return made.here ? { kind: 'gone' } : { kind: 'out of sight', refusal: elsewhere(worktree, made.where) };
  }
  if (registration === null) return { kind: 'damaged', refusal: damaged(worktree, 'git does not know it any more') };
  const head = await door.run(['rev-parse', '--verify', '-q', 'HEAD^{commit}'], { write: false, gitDir: registration.gitDir, allowExit: [1, 128] });
  if (head.exitCode !== 0) return { kind: 'damaged', refusal: damaged(worktree, 'what git knows about it is damaged') };
  // A cleaner of caches took what was old: the files that are left would be proposed with all others removed.
  if (!names.includes('.git')) return { kind: 'damaged', refusal: damaged(worktree, 'it has no .git any more, so files of it may be gone') };
  // What was never checked out would be taken for deleted.
  if (await isMemoryLost(registration.gitDir, worktree)) return { kind: 'damaged', refusal: memoryLost(worktree) };
  return { kind: 'ready', head: commitId.parse(head.stdout.toString('utf8').trim()) };
}

/** Null where there is no folder; what a link points to is none of ours. */
async function filesAt(folder: string): Promise<readonly string[] | null> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true ? readdir(folder) : null;
}

function elsewhere(worktree: AbsolutePath, where: string): Refusal {
  return {
    reason: 'worktree-failed',
    message: `The agent's worktree ${worktree} was made in another place (${where}) and cannot be seen from here.`,
    next: 'Open the repository there and let the agent go on. If that container or machine is gone for good, end the agent here.',
  };
}

function damaged(worktree: AbsolutePath, how: string): Refusal {
  return {
    reason: 'worktree-failed',
    message: `The agent's worktree ${worktree} is not as it was left: ${how}.`,
    next: 'Look into the folder. Propose what it has to take its files as they are, or end the agent and keep them where they are.',
  };
}

/** Nothing can be proposed of it: what was never checked out would pass for deleted. */
export function memoryLost(worktree: AbsolutePath): Refusal {
  return {
    reason: 'worktree-failed',
    message: `The agent's worktree ${worktree} is not as it was left: what was remembered of it is gone, so it is not known which files were never checked out.`,
    next: 'End the agent and keep its files where they are; what you need of them can be copied from there.',
  };
}
