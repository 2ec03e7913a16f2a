import { chmod, copyFile, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import { exists } from '../candidates/nestedRepositories.ts';
import type { CallOptions } from '../door/door.ts';
import type { MoveFolder } from './moveFolder.ts';

/** A checkout whose index is to follow a line. */
export interface FollowingCheckout {
  readonly top: AbsolutePath;
  readonly gitDir: AbsolutePath;
}

/** The editor's own git refreshes the index now and then: a lock that is there for a moment is waited for. */
const LOCK_TRIES = 30;
const LOCK_PAUSE_MS = 100;

/**
 * The index of a person's checkout, locked as git locks it, and a copy on which the move works. The real index is
 * replaced in one rename, so that whenever we die it is either what the person had or what the accept makes, and their
 * own `git add` and `git commit` wait meanwhile instead of coming in between.
 */
export class CheckoutIndex {
  readonly checkout: FollowingCheckout;
  /** The copy. */
  readonly file: string;

  private constructor(checkout: FollowingCheckout, file: string) {
    this.checkout = checkout;
    this.file = file;
  }

  /** Throws `Refused` where another git holds the lock. Only before a first commit may there be no index: nothing is staged then. */
  static async lock(checkout: FollowingCheckout, folder: MoveFolder, name: string, missing: 'refused' | 'empty' = 'refused'): Promise<CheckoutIndex> {
    const lock = path.join(checkout.gitDir, 'index.lock');
    for (let attempt = 1; !(await createLock(lock, folder)); attempt++) {
      if (attempt === LOCK_TRIES) {
        throw new Refused({
          reason: 'git-failed',
          message: `Another git process is working in ${checkout.top} (${lock} exists).`,
          next: 'Wait until it has ended and try again. If none runs, it left its lock file behind: remove that file.',
        });
      }
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
    const index = new CheckoutIndex(checkout, folder.file(name));
    try {
      if (missing === 'refused' || await exists(path.join(checkout.gitDir, 'index'))) await index.refill();
      return index;
    } catch (error) {
      await index.release();
      throw error;
    }
  }

  /** Options of a git call on the copy and the checkout's files, with the checkout's own config for conversions. */
  options(more: Partial<CallOptions> = {}): CallOptions {
    const { top, gitDir } = this.checkout;
    return { write: true, gitDir, workTree: top, ...more, env: { ...more.env, GIT_INDEX_FILE: this.file } };
  }

  /** Makes the copy that of the index as it stands. */
  async refill(): Promise<void> {
    const index = path.join(this.checkout.gitDir, 'index');
    await rm(this.file, { force: true });
    await rm(`${this.file}.lock`, { force: true });
    try {
      await copyFile(index, this.file);
    } catch (cause) {
      throw new Refused({ reason: 'git-failed', message: `The index of ${this.checkout.top} cannot be read (${index}).`, next: 'Run git status there to see what is wrong with it, then try again.' }, { cause });
    }
    // What other users of a shared repository could read, they still can.
    await chmod(this.file, (await stat(index)).mode & 0o777);
  }

  /** Puts the copy in the place of the index. */
  async install(): Promise<void> {
    const index = path.join(this.checkout.gitDir, 'index');
    try {
      await rename(this.file, index);
    } catch (error) {
      if (codeOf(error) !== 'EXDEV') throw error;
      // A linked worktree's git folder on a file system of its own: only a file beside the index takes its place in one rename.
      const beside = `${index}.worldtree`;
      await copyFile(this.file, beside);
      await rename(beside, index);
      await rm(this.file, { force: true });
    }
  }

  async release(): Promise<void> {
    await rm(path.join(this.checkout.gitDir, 'index.lock'), { force: true });
  }
}

/** Whether the checkout's index is locked by this move, left behind by a process that died. */
export async function isOurIndexLock(gitDir: AbsolutePath, folder: MoveFolder): Promise<boolean> {
  return await readFile(path.join(gitDir, 'index.lock'), 'utf8').catch(() => null) === folder.signature;
}

/** False where the lock exists. A hard link appears with its content or not at all: a lock of ours is never unsigned. */
async function createLock(lock: string, folder: MoveFolder): Promise<boolean> {
  try {
    await link(folder.file('signature'), lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (codeOf(error) === 'ENOENT') throw error;
  }
  try {
    // A file system without hard links.
    await writeFile(lock, folder.signature, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
