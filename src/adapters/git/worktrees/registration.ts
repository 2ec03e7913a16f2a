import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath, CommitId } from '../../../core/ids.ts';
import { linkedCheckouts, registrationOf } from '../reading/checkouts.ts';
import type { LinkedCheckout } from '../reading/checkouts.ts';
import { CHECKOUT_TIMEOUT_MS } from '../door/door.ts';
import type { GitDoor } from '../door/door.ts';
import { thisProcess } from '../../processIdentity.ts';
import { removeTree } from './trash.ts';

/**
 * Registers an empty, detached, locked worktree at a commit. Locked, since a `prune` that runs where its path cannot be
 * seen (in a container, say) would delete its registration.
 */
export async function register(door: GitDoor, worktree: AbsolutePath, commit: CommitId, signal?: AbortSignal): Promise<void> {
  await door.run(['worktree', 'add', '--detach', '--no-checkout', '--lock', '--reason', await lockReason(), '--', worktree, commit], { write: true, ...(signal === undefined ? {} : { signal }) });
  const registered = await registrationOf(door.place, worktree);
  // Git copies the main checkout's sparse patterns into the new registration.
  if (registered !== null) await rm(path.join(registered.gitDir, 'info', 'sparse-checkout'), { force: true });
}

/** Forgets the worktree at a path, whose folder must be gone already. Nothing happens where git knows none. */
export async function deregister(door: GitDoor, worktree: AbsolutePath): Promise<void> {
  const registered = await registrationOf(door.place, worktree);
  if (registered === null) return;
  const answer = await door.run(['worktree', 'remove', '--force', '--force', '--', worktree], { write: true, timeoutMs: CHECKOUT_TIMEOUT_MS, allowExit: [128], priority: 'background' });
  // Damaged (a file of it is gone): git then refuses to touch it.
  if (answer.exitCode !== 0) await removeTree(registered.gitDir);
}

/**
 * Registrations of ours, and whether they were made where this process runs: below a folder of the given name, which is
 * this repository's alone, under whatever folder for worktrees the settings named when they were made.
 */
export async function registeredIn(door: GitDoor, home: string): Promise<readonly (LinkedCheckout & { readonly madeHere: boolean })[]> {
  const ours = (await linkedCheckouts(door.place)).filter(({ checkout }) => path.basename(path.dirname(checkout)) === home);
  return Promise.all(ours.map(async (linked) => ({ ...linked, madeHere: (await whereMade(linked)).here })));
}

/** Where a worktree was made, by the reason that it is locked for. One without a reason of ours was not made here. */
export async function whereMade({ gitDir }: LinkedCheckout): Promise<{ readonly here: boolean; readonly where: string }> {
  const reason = (await readFile(path.join(gitDir, 'locked'), 'utf8').catch(() => '')).trim();
  return { here: reason === await lockReason(), where: reason.startsWith(LOCKED_BY) ? reason.slice(LOCKED_BY.length) : 'where is not known' };
}

const LOCKED_BY = 'Worldtree agent on ';

async function lockReason(): Promise<string> {
  const { host, pidNamespace } = await thisProcess();
  return `${LOCKED_BY}${host} ${pidNamespace ?? ''}`.trim();
}
