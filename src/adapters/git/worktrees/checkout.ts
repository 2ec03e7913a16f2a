import type { AbsolutePath, FilePath } from '../../../core/ids.ts';
import type { PrepareRequest } from '../../../runtime/ports/worktrees.ts';
import { keepCheckoutIndex } from '../candidates/warmIndex.ts';
import type { GitDoor } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';
import { filteredFiles, filtersOff, lfsPointers } from './filters.ts';
import { register } from './registration.ts';
import { leftOutBy, sparseCheckoutOf, sparseNotes } from './sparseCheckout.ts';
import { fillSubmodules, submoduleNotes } from './submodules.ts';
import { worktreeAccess, writeMemory } from './worktreeAccess.ts';
import type { WorktreeAccess } from './worktreeAccess.ts';
import { commitEntries, fillWorktree, verifyWorktree } from './worktreeFiles.ts';

/** A worktree that holds exactly its commit, or as much of it as was asked for. */
export interface CheckedOut {
  readonly access: WorktreeAccess;
  /** Submodules of the commit, and those of them that are checked out too. */
  readonly submodules: readonly FilePath[];
  readonly filled: readonly FilePath[];
  /** Paths of the commit that are not on disk. */
  readonly leftOut: ReadonlySet<string>;
  /** What is to be known of it. */
  readonly notes: readonly string[];
}

interface CheckoutOptions {
  /** Runs the part that keeps a disk busy when it is its turn. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly submodules: 'leave' | 'init';
}

/** Makes a worktree exactly at the commit and proves it, or throws (rule 1); what is half made is the caller's to remove. */
export async function checkOut(door: GitDoor, request: PrepareRequest, worktree: AbsolutePath, { inTurn, submodules: wanted }: CheckoutOptions): Promise<CheckedOut> {
  const { commit, signal, progress } = request;
  const config = request.withoutFilters === true ? await filtersOff(door) : [];
  const sparse = sparseCheckoutOf(request.extent, commit);
  await writeMemory(worktree, { brought: [], config, sparse, linked: [] });
  const all = await commitEntries(door, commit, signal);
  const isLeftOut = sparse === null ? () => false : leftOutBy(sparse);
  const entries = all.filter((entry) => !isLeftOut(entry));
  refuseLongPaths(worktree, entries);
  const access = await inTurn(async () => {
    progress(`checking out ${entries.length.toLocaleString('en-US')} files`);
    await register(door, worktree, commit, signal);
    const made = await worktreeAccess(door, worktree);
    await fillWorktree(door, made, commit, all, signal);
    return made;
  });
  const [untidy, pointers] = await Promise.all([verifyWorktree(door, access, commit, new Set(), signal), lfsPointers(door, access)]);
  // The bits of a sparse one would be believed; few files are there to be hashed anew.
  if (sparse === null) await keepCheckoutIndex(door.place.commonDir, worktree, commit);
  const submodules = all.filter((entry) => entry.mode === '160000').map((entry) => entry.path);
  const filled = submodules.length > 0 && wanted === 'init' ? await fillSubmodules(door, access, commit, { progress, signal }) : null;
  const onDisk = new Set(entries.map((entry) => entry.path));
  const stored = request.withoutFilters === true ? (await filteredFiles(door, access)).filter((file) => onDisk.has(file) && !pointers.includes(file)) : [];
  return {
    access,
    submodules,
    filled: filled?.there ?? [],
    leftOut: new Set(all.filter(isLeftOut).map((entry) => entry.path)),
    notes: [
      ...(sparse === null ? [] : sparseNotes(sparse, all)),
      ...noted('Git calls these files changed although they are as committed, since their line endings are not what .gitattributes asks for', untidy),
      ...submoduleNotes(submodules, filled),
      ...noted('These files hold Git LFS pointers, not their content', pointers),
      ...noted('These files are as git stores them, not as a checkout would have them, since a filter of theirs could not be run', stored),
    ],
  };
}

/** One note that names files, at most twenty of them; none where there are none. */
export function noted(words: string, files: readonly string[]): string[] {
  if (files.length === 0) return [];
  return [`${words}: ${files.length <= 20 ? files.join(', ') : `${files.slice(0, 20).join(', ')} and ${files.length - 20} more`}.`];
}

/** Bytes of an absolute path that the system opens. Git itself goes further, by relative paths; an agent's tools do not. */
const LONGEST_PATH: Partial<Record<NodeJS.Platform, number>> = { linux: 4_095, darwin: 1_023 };

function refuseLongPaths(worktree: AbsolutePath, entries: readonly { readonly path: FilePath }[]): void {
  const room = (LONGEST_PATH[process.platform] ?? Infinity) - Buffer.byteLength(worktree) - 1;
  const tooLong = entries.find((entry) => Buffer.byteLength(entry.path) > room);
  if (tooLong !== undefined) throw new GitFailure('path-too-long', { args: ['worktree', 'add'], stderr: `File name too long: ${tooLong.path}` });
}
