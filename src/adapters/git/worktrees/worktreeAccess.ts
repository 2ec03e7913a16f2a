import { lstat, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { filePath } from '../../../core/ids.ts';
import type { AbsolutePath, FilePath } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import { replaceFile } from '../../durableFile.ts';
import { errorCode } from '../../retry.ts';
import { registrationOf } from '../reading/checkouts.ts';
import type { GitDoor } from '../door/door.ts';
import { patternsFile, SPARSE_CONFIG, sparseCheckout, type SparseCheckout } from './sparseCheckout.ts';

/**
 * For every call on a worktree of ours. What a main checkout may have switched on must not reach it, and caches in
 * an index that an agent could write must not hide files.
 */
const WORKTREE_CONFIG: readonly string[] = ['core.sparseCheckout=false', 'index.sparse=false', 'core.splitIndex=false', 'core.untrackedCache=false'];

/** What a call on a worktree of ours is made with: spread it into the options of `run` and `hold`. */
export interface WorktreeAccess {
  /** `<common>/worktrees/<name>`: the worktree's own `.git` file is never read (rule 11). */
  readonly gitDir: AbsolutePath;
  readonly workTree: AbsolutePath;
  readonly config: readonly string[];
  /** Null where everything is checked out. */
  readonly sparse: SparseCheckout | null;
}

/** Throws `Refused` (`worktree-failed`) where git knows no worktree there. */
export async function worktreeAccess(door: GitDoor, worktree: AbsolutePath): Promise<WorktreeAccess> {
  const registration = await registrationOf(door.place, worktree);
  if (registration === null) {
    throw new Refused({ reason: 'worktree-failed', message: `Git does not know the agent's worktree ${worktree} any more.`, next: 'Start the agent again; its proposed changes are kept.' });
  }
  return accessThrough(registration.gitDir, worktree, await readMemory(worktree));
}

export function accessThrough(gitDir: AbsolutePath, workTree: AbsolutePath, { config, sparse }: WorktreeMemory): WorktreeAccess {
  return { gitDir, workTree, config: [...WORKTREE_CONFIG, ...(sparse === null ? [] : SPARSE_CONFIG), ...config], sparse };
}

const memorySchema = z.object({ brought: z.array(filePath), config: z.array(z.string()), sparse: sparseCheckout.nullable().default(null), linked: z.array(filePath).default([]) });

/** What must be known about a worktree for as long as it is there, in a file beside it, out of an agent's reach. */
export interface WorktreeMemory {
  /** Copied in, or made by setup; a folder stands for everything in it. */
  readonly brought: readonly FilePath[];
  /** Settings that it was made with and that every later call needs: filters that are off. */
  readonly config: readonly string[];
  /** Null where everything is checked out, as it always is where an earlier version of ours made the worktree. */
  readonly sparse: SparseCheckout | null;
  /** Links that setup left to the same place in a checkout of the person's, which commands may read through them. */
  readonly linked: readonly FilePath[];
}

export async function readMemory(worktree: AbsolutePath): Promise<WorktreeMemory> {
  const text = await readFile(memoryFile(worktree), 'utf8').catch((error: unknown) => {
    // Taken for one without memory, a sparse worktree would have deleted all that was never checked out.
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  });
  return text === null ? { brought: [], config: [], sparse: null, linked: [] } : memorySchema.parse(JSON.parse(text));
}

/** Whether a worktree that has not all of its commit on disk lost what says how much it has: a cleaner of caches may take files beside it. */
export async function isMemoryLost(gitDir: AbsolutePath, worktree: AbsolutePath): Promise<boolean> {
  return await exists(patternsFile(gitDir)) && !(await exists(memoryFile(worktree)));
}

export function writeMemory(worktree: AbsolutePath, memory: WorktreeMemory): Promise<void> {
  return replaceFile(memoryFile(worktree), JSON.stringify(memory));
}

/** Beside the worktree, with an ending that no module resolver tries: `require()` of the worktree's own path found `e1.json`. */
function memoryFile(worktree: AbsolutePath): string {
  return `${worktree}.brought`;
}

/** Whether a path was brought, or lies in a folder that was. */
export function isBrought(path: string, brought: ReadonlySet<string>): boolean {
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) if (brought.has(path.slice(0, at))) return true;
  return false;
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null)) !== null;
}
