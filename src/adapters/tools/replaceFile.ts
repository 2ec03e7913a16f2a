import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

const HALF_WRITTEN = '.worldtree-half';
const HALF_WRITTEN_NAME = /(?:^|\/)\.[0-9a-f]{12}\.worldtree-half$/;

/** Whether a file is a half of ours that a crash left behind: it is never listed, and never part of a change. */
export function isHalfWritten(name: string): boolean {
  return HALF_WRITTEN_NAME.test(name);
}

export interface ExistingFile {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** A regular file's bytes and mode; null where there is none. Throws the system's error, also for a folder. */
export async function readExisting(absolute: string): Promise<ExistingFile | null> {
  let file: FileHandle;
  try {
    file = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw new Error('it is a folder');
    if (!stat.isFile()) throw new Error('it is neither a file nor a folder');
    if (stat.size > MAX_BYTES) throw new Error('it is larger than 32 MiB; change it with a command');
    return { bytes: await file.readFile(), mode: stat.mode & 0o7777 };
  } finally {
    await file.close();
  }
}

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Puts a file in place whole or not at all, with the mode of the one it replaces, or for a new one with what a checkout
 * gives it. A new file behind the old name also leaves a hard-linked copy elsewhere (a package store) as it was. The
 * folder must be the real one that was judged: a command that still runs could have put a link there since.
 */
export async function replaceFile(absolute: string, bytes: Uint8Array, mode: number | 'executable' | null): Promise<void> {
  const folder = path.dirname(absolute);
  if (!(await isRealFolder(folder))) throw new Error('a folder of its path became a link');
  const half = path.join(folder, `.${randomBytes(6).toString('hex')}${HALF_WRITTEN}`);
  const file = await open(half, 'wx', mode === 'executable' ? 0o777 : 0o666);
  try {
    try {
      await file.writeFile(bytes);
      if (typeof mode === 'number') await file.chmod(mode);
    } finally {
      await file.close();
    }
    await rename(half, absolute);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

/** Whether no part of an absolute path is a link. Disks that fold case and accents give their own spelling back. */
export async function isRealFolder(folder: string): Promise<boolean> {
  const real = await realpath(folder);
  const folds = process.platform === 'darwin' || process.platform === 'win32';
  return real === folder || (folds && real.normalize('NFC').toLowerCase() === folder.normalize('NFC').toLowerCase());
}
