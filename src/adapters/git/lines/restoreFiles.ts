import { copyFile, lstat, readFile, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { FilePath } from '../../../core/ids.ts';
import type { CheckoutIndex } from './checkoutIndex.ts';
import { filesBelow, onDisk, pruneEmptyFolders } from './diskEntry.ts';
import { CHECKOUT_TIMEOUT_MS } from '../door/door.ts';
import type { CallOptions, GitCalls } from '../door/door.ts';
import { sameEntry } from './lineChange.ts';
import type { LineChange } from './lineChange.ts';
import { fields, nulTerminated } from '../door/nulList.ts';
import { setEntries } from '../candidates/privateIndex.ts';
import { indexEntriesAt } from '../reading/treeEntries.ts';

/** `unclear`: files that are neither what the line had nor what the move brings, so somebody's work. Nothing was touched. */
export type Restored = { readonly kind: 'restored' } | { readonly kind: 'unclear'; readonly files: readonly FilePath[] };

/**
 * Makes files and the copied index at the changed paths what `old` says, whatever a move that was cut off left there:
 * the old file, the new one, none, or the beginning of one. What else is staged in the index stays as it is.
 */
export async function restoreFiles(git: GitCalls, index: CheckoutIndex, changes: readonly LineChange[]): Promise<Restored> {
  const paths = changes.map((change) => change.path);
  const { entries, unmerged } = await indexEntriesAt(git, index.options(), paths);
  const staged = changes.filter(({ path: name, old, new: brought }) => unmerged.has(name) || (!sameEntry(entries.get(name), old) && !sameEntry(entries.get(name), brought)));
  if (staged.length > 0) return { kind: 'unclear', files: staged.map((change) => change.path) };

  const fromNew = await differingFromNew(git, index, changes);
  const fromOld = await differing(git, index.options(), index, changes, 'old');
  const wrong = changes.filter((change) => fromOld.has(change.path));
  const unclear: FilePath[] = [];
  for (const change of wrong) {
    if (!(await mayBeReplaced(git, index, change, changes, fromNew))) unclear.push(change.path);
  }
  if (unclear.length > 0) return { kind: 'unclear', files: unclear };

  for (const { path: name, old } of wrong) {
    if ((await onDisk(index.checkout.top, name)).kind === 'entry') await unlink(path.join(index.checkout.top, name));
    if (old === null) await pruneEmptyFolders(index.checkout.top, name);
  }
  const back = wrong.filter((change) => change.old !== null).map((change) => change.path);
  if (back.length > 0) await git.run(['checkout-index', '-f', '-u', '-z', '--stdin'], index.options({ stdin: nulTerminated(back), timeoutMs: CHECKOUT_TIMEOUT_MS }));
  return { kind: 'restored' };
}

/** On a second copy: the first one is installed afterwards, and must keep what it knows of entries that stay. */
async function differingFromNew(git: GitCalls, index: CheckoutIndex, changes: readonly LineChange[]): Promise<Set<FilePath>> {
  const file = `${index.file}-new`;
  await copyFile(index.file, file);
  try {
    const options = index.options();
    return await differing(git, { ...options, env: { ...options.env, GIT_INDEX_FILE: file } }, index, changes, 'new');
  } finally {
    await rm(file, { force: true });
  }
}

/** Sets an index at the changed paths to one side of the move, and gives the paths where the disk is not that side's. */
async function differing(git: GitCalls, options: CallOptions, index: CheckoutIndex, changes: readonly LineChange[], side: 'old' | 'new'): Promise<Set<FilePath>> {
  const paths = changes.map((change) => change.path);
  const { entries, skipped } = await indexEntriesAt(git, options, paths);
  const set = changes.filter((change) => !sameEntry(entries.get(change.path), change[side]));
  await setEntries(git, options, set.map((change) => ({ path: change.path, entry: change[side] })), '0'.repeat(objectLength(changes)));
  // What a sparse checkout leaves out is on no disk, and shall not come there by a repair.
  const skipAgain = set.filter((change) => change[side] !== null && skipped.has(change.path)).map((change) => change.path);
  if (skipAgain.length > 0) await git.run(['update-index', '-z', '--skip-worktree', '--stdin'], { ...options, stdin: nulTerminated(skipAgain) });
  await git.run(['update-index', '-q', '--refresh', '--ignore-submodules'], { ...options, allowExit: [1] });
  const { stdout } = await git.run(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], options);
  const changed = new Set(fields(stdout));
  const found = new Set<FilePath>();
  for (const change of changes) {
    const differs = change[side] === null ? (await onDisk(index.checkout.top, change.path)).kind === 'entry' : changed.has(change.path);
    if (differs) found.add(change.path);
  }
  return found;
}

/**
 * Whether what stands at a path is the move's and nobody's work. A folder or a file in the way counts as the move's
 * only where all of it is, since bringing the old file back takes it away.
 */
async function mayBeReplaced(git: GitCalls, index: CheckoutIndex, change: LineChange, changes: readonly LineChange[], fromNew: ReadonlySet<FilePath>): Promise<boolean> {
  const { top } = index.checkout;
  // Whether an added file is really the move's is asked for that file itself.
  const added = (name: FilePath): boolean => changes.some((other) => other.path === name && other.old === null);
  const there = await onDisk(top, change.path);
  switch (there.kind) {
    case 'absent': return true;
    case 'blocked': return added(there.by);
    case 'folder': return (await filesBelow(top, change.path)).every(added);
    case 'entry': return !fromNew.has(change.path) || isBeginning(git, index, change);
  }
}

/** The beginning of a file that git was writing when it ended. */
async function isBeginning(git: GitCalls, index: CheckoutIndex, change: LineChange): Promise<boolean> {
  const file = path.join(index.checkout.top, change.path);
  if (!(await lstat(file)).isFile()) return false;
  const there = await readFile(file);
  for (const side of [change.new, change.old]) {
    if (side?.mode.startsWith('100') !== true) continue;
    const { stdout } = await git.run(['cat-file', '--filters', `--path=${change.path}`, side.object], index.options());
    if (there.length < stdout.length && stdout.subarray(0, there.length).equals(there)) return true;
  }
  return false;
}

function objectLength(changes: readonly LineChange[]): number {
  return changes.map((change) => (change.old ?? change.new)?.object.length ?? 40)[0] ?? 40;
}
