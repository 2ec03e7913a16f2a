import { readlinkSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRunning } from './isRunning.ts';

/**
 * What `mkdtemp` is given for a folder in the system's folder for what is temporary. The name says whose it is, so that
 * what a process left that was killed goes when the next world opens.
 */
export function temporaryPrefix(label: 'index' | 'merge' | 'git'): string {
  return path.join(tmpdir(), `worldtree-${label}-${namespace}-${process.pid}-`);
}

/** Removes the folders of processes that are gone. What resists is another user's, or is tried again next time. */
export async function removeLeftFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const owner = /^worldtree-(?:index|merge|git)-(\d+)-(\d+)-/.exec(name);
    if (owner === null || owner[1] !== namespace || isRunning(Number(owner[2]))) continue;
    await rm(path.join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Containers may share the folder: a pid of another namespace says nothing here. */
const namespace = pidNamespace();

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
