import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, withRetries } from '../../retry.ts';

/**
 * Where worktrees go at once (a rename, whatever their size), to be deleted when nobody waits. It must lie on the same
 * file system as what is thrown away. Links are unlinked, never followed.
 */
export class Trash {
  readonly #folder: string;
  #emptying: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Gone from its place when this resolves. Nothing happens where there is nothing. */
  async take(target: string): Promise<void> {
    const found = await lstat(target).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (found === null) return;
    if (!found.isDirectory()) {
      await withRetries(() => unlink(target));
      return;
    }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const away = path.join(this.#folder, `${path.basename(target)}-${randomBytes(4).toString('hex')}`);
    await withRetries(() => rename(target, away));
  }

  /** Deletes what was taken, also by a process that died since. Never rejects: what resists is tried again next time. */
  empty(): Promise<void> {
    this.#emptying = this.#emptying.then(async () => {
      const names = await readdir(this.#folder).catch(() => []);
      for (const name of names) await removeTree(path.join(this.#folder, name)).catch(() => undefined);
    });
    return this.#emptying;
  }
}

/** Removes a file, link or folder, also folders that were made unwritable or too deep to be named. Links are unlinked, never followed. */
export async function removeTree(target: string): Promise<void> {
  try {
    await withRetries(() => rm(target, { recursive: true, force: true }));
  } catch (error) {
    if (!RESISTING.has(errorCode(error) ?? '')) throw error;
    await makeRemovable(target);
    await withRetries(() => rm(target, { recursive: true, force: true }));
  }
}

const RESISTING: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOTEMPTY', 'ENAMETOOLONG']);

/** Bytes of a path from which on a folder is moved up: one more name must still fit into what systems take (4,096; macOS 1,024). */
const FAR = 700;

/** Module caches make their folders read-only, and a program can nest folders until no path reaches them; `rename` and an entry's own type keep this from reaching through a link. */
async function makeRemovable(target: string): Promise<void> {
  if (!(await lstat(target)).isDirectory()) return;
  const open = [target];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const inner = path.join(folder, entry.name);
      const near = path.join(target, randomBytes(8).toString('hex'));
      if (Buffer.byteLength(inner) > FAR && Buffer.byteLength(near) < Buffer.byteLength(inner)) {
        await rename(inner, near);
        open.push(near);
      } else open.push(inner);
    }
  }
}
