import { accessSync, constants, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const roomNeeded = 512 * 1024 * 1024;

/**
 * A new empty folder, in memory where the machine has room for it: journalling disks make timings of git jump. A command in
 * a sandbox has a `/dev` of its own, so what it is to see must lie `on disk`.
 */
export function makeTemporaryFolder(label: string, where: 'in memory' | 'on disk' = 'in memory'): string {
  return realpathSync(mkdtempSync(path.join(where === 'in memory' ? temporaryRoot() : tmpdir(), `worldtree-${label}-`)));
}

/** Removes a folder also while a process that is just ending still writes into it. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function temporaryRoot(): string {
  const memory = '/dev/shm';
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    // Containers often give 64 MB only.
    if (bavail * bsize > roomNeeded) return memory;
  } catch {
    // No such folder on this system.
  }
  return tmpdir();
}
