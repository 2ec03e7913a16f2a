import { lstat, readFile, readlink, rename, rm, rmdir } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import type { AbsolutePath, CommitId, FilePath } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import { CHECKOUT_TIMEOUT_MS } from '../door/door.ts';
import type { CallOptions, GitCalls, GitDoor } from '../door/door.ts';
import { nulTerminated } from '../door/nulList.ts';
import { STATUS_ARGUMENTS, WITH_IGNORED, parseStatus } from '../reading/status.ts';
import type { Status } from '../reading/status.ts';
import { leftOutBy, writePatterns, type CommitEntry, type SparseCheckout } from './sparseCheckout.ts';
import { removeTree } from './trash.ts';
import { isBrought } from './worktreeAccess.ts';
import type { WorktreeAccess } from './worktreeAccess.ts';

/**
 * Several checkout processes pay on an idle machine (a quarter less time at 9,000 files and more; below some hundred
 * git uses one by itself). On a busy one they wait for each other: twice the time.
 */
function checkoutConfig(): readonly string[] {
  const [lastMinute = 0] = loadavg();
  return lastMinute > availableParallelism() ? [] : ['checkout.workers=4'];
}

/** Mode and path of everything in a commit, submodules included. */
export async function commitEntries(git: GitCalls, commit: CommitId, signal?: AbortSignal): Promise<readonly CommitEntry[]> {
  const answer = await git.run(['ls-tree', '-r', '-z', '--full-tree', commit], { write: false, ...(signal === undefined ? {} : { signal }) });
  return names(answer.stdout).map((entry) => ({ mode: entry.slice(0, 6), path: entry.slice(entry.indexOf('\t') + 1) as FilePath }));
}

/** Writes the files of a commit into a worktree that holds none: those of its extent. `entries` are the commit's. */
export async function fillWorktree(door: GitDoor, access: WorktreeAccess, commit: CommitId, entries: readonly CommitEntry[], signal?: AbortSignal): Promise<void> {
  await checkOut(door, access, commit, entries, { scope: access.workTree, ...(signal === undefined ? {} : { signal }) });
}

/** From an index that knows the files that are on disk, if there are any. */
async function checkOut(git: GitCalls, access: WorktreeAccess, commit: CommitId, entries: readonly CommitEntry[], more: Pick<CallOptions, 'env' | 'scope' | 'signal'>): Promise<void> {
  const options = { ...access, ...more, write: true, timeoutMs: CHECKOUT_TIMEOUT_MS } as const;
  const allSaid = access.sparse === null || await writePatterns(access.gitDir, access.sparse, entries);
  await git.run(['read-tree', '--reset', '-u', commit], { ...options, config: [...access.config, ...checkoutConfig()] });
  if (access.sparse !== null && (!allSaid || access.sparse.opened.length > 0)) await checkOutRest(git, options, access.sparse);
}

export async function worktreeStatus(door: GitDoor, access: WorktreeAccess, options: { readonly ignored: boolean; readonly env?: Readonly<Record<string, string>>; readonly signal?: AbortSignal }): Promise<Status> {
  const answer = await door.run([...STATUS_ARGUMENTS, ...(options.ignored ? [WITH_IGNORED] : [])], {
    ...access,
    write: false,
    timeoutMs: CHECKOUT_TIMEOUT_MS,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return parseStatus(answer.stdout);
}

/**
 * Throws `Refused` (`worktree-differs`) unless the worktree is exactly the commit, or as much of it as is checked out:
 * HEAD, index, files, no bit that hides a file, nothing else there but what was brought (and ignored files, where those are allowed). Gives the files that git calls changed although they hold just what a
 * checkout of the commit writes (stored with line endings that its attributes do not ask for).
 */
export async function verifyWorktree(door: GitDoor, access: WorktreeAccess, commit: CommitId, brought: ReadonlySet<string>, signal?: AbortSignal, ignored: 'refused' | 'allowed' = 'refused'): Promise<readonly FilePath[]> {
  const options = { ...access, write: false, timeoutMs: CHECKOUT_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) } as const;
  const [head, staged, bits, status] = await Promise.all([
    door.run(['rev-parse', '--verify', 'HEAD'], options),
    door.run(['diff-index', '--cached', '--name-only', '-z', '--no-ext-diff', commit], options),
    door.run(['ls-files', '-v', '--stage', '-z'], options),
    worktreeStatus(door, access, { ignored: ignored === 'refused', ...(signal === undefined ? {} : { signal }) }),
  ]);
  if (head.stdout.toString('utf8').trim() !== commit) throw differs(commit, ['HEAD']);
  if (staged.stdout.length > 0) throw differs(commit, names(staged.stdout));
  const wrong = names(bits.stdout).filter(otherwiseThan(access));
  if (wrong.length > 0) throw differs(commit, wrong.map((entry) => entryOf(entry).path));
  const extra = [...status.untracked, ...status.nestedRepositories, ...status.ignored].filter((file) => !isBrought(file, brought));
  if (extra.length > 0) throw differs(commit, extra);
  for (const file of status.tracked) if (!(await isAsCheckedOut(door, access, commit, file))) throw differs(commit, [file]);
  return status.tracked;
}

/**
 * Makes the files those of a commit, as far as they are checked out. Ignored and brought files stay, other untracked ones go, unchanged files keep their
 * times. Nothing of the old index is believed: an agent could have set bits in it, or forged what it says about files.
 */
export function resetWorktree(door: GitDoor, access: WorktreeAccess, commit: CommitId, brought: ReadonlySet<string>): Promise<void> {
  return door.exclusive({ scope: access.workTree }, async (git) => {
    const options = { ...access, write: true, timeoutMs: CHECKOUT_TIMEOUT_MS } as const;
    const index = path.join(access.gitDir, 'index');
    const fresh = path.join(access.gitDir, 'index.worldtree');
    const env = { GIT_INDEX_FILE: fresh };
    const before = await git.run(['diff-tree', '-r', '-z', '--name-only', '--diff-filter=D', '--no-renames', 'HEAD', commit], { ...options, allowExit: [128] });
    const remove = async (files: readonly string[]): Promise<void> => {
      for (const file of files) if (!isBrought(file, brought)) await removeInside(access.workTree, file);
    };
    // Files of the old commit that an ignore rule matches would pass for build output. First, since a folder may come in a file's place.
    if (before.exitCode === 0) await remove(names(before.stdout));
    await Promise.all([fresh, `${fresh}.lock`].map((file) => rm(file, { force: true })));
    await git.run(['read-tree', commit], { ...options, env });
    // Hashes every file, which tells the unchanged ones. Exit code 1: some need an update.
    await git.run(['update-index', '-q', '--refresh', '--ignore-submodules'], { ...options, env, allowExit: [1] });
    await checkOut(git, access, commit, access.sparse === null ? [] : await commitEntries(git, commit), { env });
    await git.run(['update-ref', '--no-deref', 'HEAD', commit], options);
    // A command that was killed leaves its lock; none runs now, by the caller's word.
    await rm(`${index}.lock`, { force: true });
    await rename(fresh, index);
    const status = parseStatus((await git.run(STATUS_ARGUMENTS, { ...options, write: false })).stdout);
    await remove([...status.untracked, ...status.nestedRepositories]);
  });
}

/** What the patterns do not say and shall be on disk all the same. */
async function checkOutRest(git: GitCalls, options: CallOptions, sparse: SparseCheckout): Promise<void> {
  const isLeftOut = leftOutBy(sparse);
  const entries = names((await git.run(['ls-files', '-v', '--stage', '-z'], { ...options, write: false })).stdout);
  const rest = entries.filter((entry) => entry.startsWith('S ') && !isLeftOut(entryOf(entry))).map((entry) => entryOf(entry).path);
  if (rest.length === 0) return;
  const stdin = nulTerminated(rest);
  await git.run(['update-index', '-z', '--no-skip-worktree', '--stdin'], { ...options, stdin });
  await git.run(['checkout-index', '-z', '-f', '-u', '--stdin'], { ...options, stdin });
}

/** Removes a file or folder of a worktree and the folders that it leaves empty; what is reached through a link stays. */
async function removeInside(worktree: AbsolutePath, file: string): Promise<void> {
  const folders = file.split('/').slice(0, -1).map((_, i, parts) => path.join(worktree, ...parts.slice(0, i + 1)));
  for (const folder of folders) if (!((await lstat(folder).catch(() => null))?.isDirectory() ?? false)) return;
  await removeTree(path.join(worktree, file));
  for (const folder of folders.reverse()) await rmdir(folder).catch(() => undefined);
}

/**
 * Entries of `ls-files -v --stage` with another mark than they should have. `H` is a file like any other, `S` one that is
 * left out, which git says only where nothing is on disk; lower case makes git look away.
 */
function otherwiseThan({ sparse }: WorktreeAccess): (entry: string) => boolean {
  if (sparse === null) return (entry) => !entry.startsWith('H ');
  const isLeftOut = leftOutBy(sparse);
  return (entry) => {
    const { mode } = entryOf(entry);
    if (!isLeftOut(entryOf(entry))) return !entry.startsWith('H ');
    // Git takes a submodule for a folder or for a file, as its folder is there or not; it is empty either way.
    return !entry.startsWith('S ') && !(mode === '160000' && entry.startsWith('H '));
  };
}

/** Of `ls-files -v --stage`. */
function entryOf(entry: string): CommitEntry {
  return { mode: entry.slice(2, 8), path: entry.slice(entry.indexOf('\t') + 1) as FilePath };
}

/** Whether a file holds what a checkout writes for it: the blob through the filters that its attributes ask for. */
async function isAsCheckedOut(door: GitDoor, access: WorktreeAccess, commit: CommitId, file: FilePath): Promise<boolean> {
  const onDisk = path.join(access.workTree, file);
  const found = await lstat(onDisk).catch(() => null);
  if (found === null) return false;
  const bytes = found.isSymbolicLink() ? Buffer.from(await readlink(onDisk)) : found.isFile() ? await readFile(onDisk) : null;
  const wanted = await door.run(['cat-file', '--filters', `${commit}:${file}`], { ...access, write: false, allowExit: [128] });
  return bytes !== null && wanted.exitCode === 0 && bytes.equals(wanted.stdout);
}

function differs(commit: CommitId, files: readonly string[]): Refused {
  const shown = files.slice(0, 20);
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : '';
  return new Refused({
    reason: 'worktree-differs',
    message: `The agent's worktree does not hold exactly commit ${commit.slice(0, 7)}: ${shown.join(', ')}${more}.`,
    next: 'Try again. If it happens again, check the filters and attributes of these files (git check-attr -a), and that no other program writes into the folder for worktrees.',
    files: shown,
  });
}

function names(output: Buffer): string[] {
  return output.toString('utf8').split('\0').filter((name) => name !== '');
}
