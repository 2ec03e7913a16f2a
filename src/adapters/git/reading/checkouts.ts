import { existsSync, readFileSync } from 'node:fs';
import { readFile, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath } from '../../../core/ids.ts';
import type { OperationInProgress } from '../../../runtime/ports/repository.ts';
import type { GitPlace } from '../door/door.ts';

/** What is under way in the checkout of a git folder: these files are each checkout's own, never the common folder's. */
export function operationIn(gitDir: AbsolutePath): OperationInProgress | null {
  const has = (name: string): boolean => existsSync(path.join(gitDir, name));
  // First, since a rebase that stopped at a conflict has a CHERRY_PICK_HEAD as well.
  if (has('rebase-merge') || has('rebase-apply')) return 'rebase';
  if (has('MERGE_HEAD')) return 'merge';
  if (has('CHERRY_PICK_HEAD')) return 'cherry-pick';
  if (has('REVERT_HEAD')) return 'revert';
  // Several picks, of which one was just committed by hand: no head is left, the list is.
  if (has('sequencer/todo')) return readFileSync(path.join(gitDir, 'sequencer/todo'), 'utf8').startsWith('revert') ? 'revert' : 'cherry-pick';
  if (has('BISECT_LOG')) return 'bisect';
  return null;
}

export interface LinkedCheckout {
  /** The registration's own name, which is its folder's under `<common>/worktrees`. */
  readonly name: string;
  readonly checkout: AbsolutePath;
  readonly gitDir: AbsolutePath;
}

/** Every registration of a linked worktree, also of those whose folder is gone. */
export async function linkedCheckouts(place: Pick<GitPlace, 'commonDir'>): Promise<readonly LinkedCheckout[]> {
  const names = await readdir(path.join(place.commonDir, 'worktrees')).catch(() => []);
  const found = await Promise.all(names.map((name) => registration(place, name)));
  return found.filter((linked) => linked !== null);
}

/** The registration of one linked worktree; null where git knows none at this path. */
export async function registrationOf(place: Pick<GitPlace, 'commonDir'>, checkout: AbsolutePath): Promise<LinkedCheckout | null> {
  // Git names a registration after the folder unless that name was taken: the look that nearly always suffices.
  const likely = await registration(place, path.basename(checkout));
  if (likely !== null && samePath(likely.checkout, checkout)) return likely;
  return (await linkedCheckouts(place)).find((linked) => samePath(linked.checkout, checkout)) ?? null;
}

async function registration(place: Pick<GitPlace, 'commonDir'>, name: string): Promise<LinkedCheckout | null> {
  const gitDir = path.join(place.commonDir, 'worktrees', name) as AbsolutePath;
  const pointer = await readFile(path.join(gitDir, 'gitdir'), 'utf8').catch(() => null);
  if (pointer === null) return null;
  return { name, gitDir, checkout: path.dirname(path.resolve(gitDir, pointer.replace(/\r?\n$/, ''))) as AbsolutePath };
}

/** A path without links in it, as git stores paths; itself where it does not exist. */
export async function realPath(of: string): Promise<AbsolutePath> {
  return (await realpath(of).catch(() => path.resolve(of))) as AbsolutePath;
}

function samePath(a: string, b: string): boolean {
  const fold = (p: string): string => (process.platform === 'win32' ? path.resolve(p).toLowerCase() : path.resolve(p));
  return fold(a) === fold(b);
}
