import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRunning } from './isRunning.ts';
import { withRetries } from './retry.ts';

/** What agents did and said is for the person's eyes only, whatever the umask of a shared machine says. */
const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
}

/** Replaces a file as a whole: a reader, or a start after a power cut, finds the old text or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const next = await writeBeside(path, text);
  try {
    // On Windows a rename fails for the moment in which somebody reads the file that it replaces.
    await withRetries(() => rename(next, path));
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A flushed file with this text in the same folder, under a name of its own, to be renamed by the caller. */
export async function writeBeside(path: string, text: string): Promise<string> {
  const beside = `${path}.${String(process.pid)}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(beside, 'wx', FILE_MODE);
    try {
      await writeAll(handle, Buffer.from(text));
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return beside;
}

/**
 * Removes what processes that were killed left beside a file. To be called by who alone may write it; a process in
 * another container, whose pid says nothing here, would at worst have to write once more.
 */
export async function removeLeftBeside(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(`${basename(path)}.`) ? /\.(\d+)-[0-9a-f]{12}\.tmp$/.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** Writes every byte at the handle's end, or throws; a write may stop half-way where the disk is full. */
export async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += (await handle.write(bytes, written, bytes.length - written, null)).bytesWritten;
}

/** Makes new and renamed names last over a power cut. Windows has no such thing for folders and refuses. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
