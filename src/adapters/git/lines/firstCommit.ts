import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import type { OfferedFile } from '../../../core/firstCommit/firstCommitItems.ts';
import { refName, type AbsolutePath, type BlobId, type CommitId, type FilePath, type RefName, type TreeId } from '../../../core/ids.ts';
import { isInside } from '../../../core/paths.ts';
import { branchName } from '../../../core/projections/episodeWords.ts';
import { Refused } from '../../../core/refusal.ts';
import type { FirstCommit, FirstCommitOffer, FirstCommitRequest } from '../../../runtime/ports/firstCommit.ts';
import { nestedRepositories } from '../candidates/nestedRepositories.ts';
import { onIndex, setEntries, withPrivateIndex, writeTree } from '../candidates/privateIndex.ts';
import type { CallOptions, GitCalls, GitDoor } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';
import { fields, nulTerminated } from '../door/nulList.ts';
import { operationIn } from '../reading/checkouts.ts';
import { parseStatus, STATUS_ARGUMENTS } from '../reading/status.ts';
import type { Entry } from '../reading/treeEntries.ts';
import { CheckoutIndex, isOurIndexLock } from './checkoutIndex.ts';
import { onDisk } from './diskEntry.ts';
import { listCheckouts } from './lineCheckouts.ts';
import { MoveFolder } from './moveFolder.ts';
import { commitAsPerson, identityRequired } from './personCommit.ts';
import { RefTransaction } from './refTransaction.ts';

type Entries = ReadonlyMap<FilePath, Entry>;

export function createFirstCommit(git: GitDoor): FirstCommit {
  return { offer: () => offer(git), make: (request) => make(git, request) };
}

async function offer(git: GitDoor): Promise<FirstCommitOffer> {
  const ref = await unbornBranch(git, git);
  // Asked now rather than after everything was picked and written.
  await identityRequired(git);
  const { checkout, gitDir } = git.place;
  const status = parseStatus((await git.run(STATUS_ARGUMENTS, { write: false, gitDir, workTree: checkout })).stdout);
  const staged = await entriesOf(git, { write: false });
  const paths = [...new Set([...staged.keys(), ...status.tracked, ...status.untracked])];
  const nested = await nestedRepositories(checkout, [...paths, ...status.nestedRepositories.map((folder) => `${folder}/`)]);
  const files: OfferedFile[] = [];
  for (const name of paths.filter((p) => !nested.some((folder) => isInside(p, folder))).sort()) {
    const bytes = await lstat(path.join(checkout, name)).then(({ size }) => size, () => null);
    // Announced with `add --intent-to-add` and gone since: there is nothing of it.
    if (bytes !== null || staged.has(name)) files.push({ path: name, bytes, staged: staged.has(name) });
  }
  return { ref, files, nestedRepositories: nested };
}

/**
 * Commit, then index, then branch. A crash before the index is replaced leaves everything as it was, and at most the
 * index's lock, which the next try knows as ours. A crash between index and branch leaves no commit and the picked files
 * staged, as `git add` does. The files themselves are only ever read.
 */
async function make(git: GitDoor, { files, message, signal }: FirstCommitRequest): Promise<CommitId> {
  const { checkout, gitDir, commonDir } = git.place;
  const ref = await unbornBranch(git, git);
  const operation = operationIn(gitDir);
  if (operation !== null) throw new Refused({ reason: 'operation-in-progress', message: `A ${operation} is under way in ${checkout}.`, next: 'Finish it or give it up, then try again.' });
  const elsewhere = (await listCheckouts(git, git.place)).find((other) => other.branch === ref && other.gitDir !== gitDir);
  if (elsewhere) throw new Refused({ reason: 'branch-moved', message: `${branchName(ref)} is checked out in ${elsewhere.top} too, which would then miss its files.`, next: 'Make the first commit there, or check out another branch in one of them.' });
  const { tree, picked, staged } = await stage(git, files);
  const commit = await commitAsPerson(git, { tree, parents: [], message }, signal);
  const folder = MoveFolder.at(commonDir, `first commit in ${gitDir}`);
  await git.exclusive({ signal }, async (calls) => {
    await folder.create();
    try {
      const branch = await lockedBranch(calls, git, ref, commit, message);
      try {
        await indexThenBranch(calls, git, ref, folder, { picked, staged }, () => branch.commit());
      } finally {
        await branch.abort();
      }
    } finally {
      await folder.remove();
    }
  });
  return commit;
}

/** Under the branch's lock: the checkout's index gets the picked files, then the branch its commit. */
async function indexThenBranch(calls: GitCalls, git: GitDoor, ref: RefName, folder: MoveFolder, { picked, staged }: { readonly picked: Entries; readonly staged: Entries }, moveBranch: () => Promise<void>): Promise<void> {
  const { checkout, gitDir } = git.place;
  // The branch's lock locks HEAD as well: looked at again, it stays as it is.
  if (await unbornBranch(calls, git) !== ref) throw changedMeanwhile();
  // Whoever made a lock of ours held the branch's lock then, which is ours now: it was left behind by a crash.
  if (await isOurIndexLock(gitDir, folder)) await rm(path.join(gitDir, 'index.lock'), { force: true });
  const index = await CheckoutIndex.lock({ top: checkout, gitDir }, folder, 'index-0', 'empty');
  try {
    const now = await entriesOf(calls, index.options());
    if (!sameEntries(now, staged)) throw changedMeanwhile();
    await setEntries(calls, index.options(), [...picked].map(([name, entry]) => ({ path: name, entry })), nullObject(picked));
    // A file gives way to a folder of its name: what the person staged must not go that way.
    const after = await entriesOf(calls, index.options());
    const lost = [...staged.keys()].filter((name) => !after.has(name));
    if (lost.length > 0) throw oneOfBoth(lost);
    await calls.run(['update-index', '-q', '--refresh'], { ...index.options(), allowExit: [1] });
    await index.install();
    await moveBranch();
  } finally {
    await index.release();
  }
}

/** The tree of exactly these files, made in an index of our own: what is staged of each, else what is on disk. */
async function stage(git: GitDoor, files: readonly FilePath[]): Promise<{ readonly tree: TreeId; readonly picked: Entries; readonly staged: Entries }> {
  const { checkout, gitDir } = git.place;
  const staged = await entriesOf(git, { write: false });
  return withPrivateIndex(async (index) => {
    const chosen = files.flatMap((name) => {
      const entry = staged.get(name);
      return entry ? [{ path: name, entry }] : [];
    });
    await setEntries(git, onIndex(index), chosen, nullObject(staged));
    const fromDisk = files.filter((name) => !staged.has(name));
    if (fromDisk.length > 0) {
      await git.run(['update-index', '--add', '-z', '--stdin'], onIndex(index, { gitDir, workTree: checkout, stdin: nulTerminated(fromDisk) })).catch(async (error: unknown) => {
        throw (await notThere(checkout, fromDisk)) ?? error;
      });
    }
    const picked = await entriesOf(git, onIndex(index));
    const missing = files.filter((name) => !picked.has(name));
    if (missing.length > 0) throw oneOfBoth(missing);
    if (picked.size === 0) throw new Refused({ reason: 'nothing-to-accept', message: 'A first commit needs at least one file.', next: 'Pick one, then try again.' });
    return { tree: await writeTree(git, index), picked, staged };
  });
}

/** The refusal where some files are no files any more; null where all are. */
async function notThere(checkout: AbsolutePath, files: readonly FilePath[]): Promise<Refused | null> {
  const gone: FilePath[] = [];
  for (const name of files) if ((await onDisk(checkout, name)).kind !== 'entry') gone.push(name);
  return gone.length === 0 ? null : new Refused({ reason: 'dirty-files', message: 'Some of the picked files were deleted since, or are no files any more. Nothing was committed.', next: 'Make the first commit again and pick from what is there now.', files: gone });
}

/** What an index would commit, by path. Files that are only announced (`add --intent-to-add`) are left out. */
async function entriesOf(git: GitCalls, options: CallOptions): Promise<Map<FilePath, Entry>> {
  const empty = await git.run(['hash-object', '-t', 'tree', '--stdin'], { write: false, stdin: '' });
  const { stdout } = await git.run(['diff-index', '--cached', '--ita-invisible-in-index', '--raw', '-z', '--no-renames', '--no-abbrev', empty.stdout.toString('utf8').trim()], options);
  const found = new Map<FilePath, Entry>();
  const [...parts] = fields(stdout);
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [, mode = '', , object = '', kind = ''] = (parts[i] ?? '').split(' ');
    const name = parts[i + 1] ?? '';
    if (kind === 'U') throw new Refused({ reason: 'operation-in-progress', message: `${name} has a conflict in it.`, next: 'Resolve it and stage the file, then try again.', files: [name] });
    found.set(name as FilePath, { mode, object: object as BlobId });
  }
  return found;
}

/** Throws `Refused` where the branch that is checked out has a commit. */
async function unbornBranch(calls: GitCalls, { place }: GitDoor): Promise<RefName> {
  const call = { write: false, gitDir: place.gitDir } as const;
  const head = await calls.run(['symbolic-ref', '-q', 'HEAD'], { ...call, allowExit: [1] });
  const born = await calls.run(['rev-parse', '--verify', '-q', 'HEAD'], { ...call, allowExit: [1, 128] });
  if (head.exitCode !== 0 || born.exitCode === 0) throw new Refused({ reason: 'wrong-state', message: 'What is checked out has its first commit already.', next: 'Delegate a folder: an agent can start from it.' });
  return refName.parse(head.stdout.toString('utf8').trim());
}

async function lockedBranch(calls: GitCalls, git: GitDoor, ref: RefName, commit: CommitId, message: string): Promise<RefTransaction> {
  try {
    return await RefTransaction.prepare(calls, { gitDir: git.place.gitDir, ref, old: null, new: commit, reflog: `commit (initial): ${message.split('\n')[0] ?? ''}` });
  } catch (error) {
    throw error instanceof GitFailure && error.kind === 'ref-moved' ? changedMeanwhile(error) : error;
  }
}

function sameEntries(a: Entries, b: Entries): boolean {
  return a.size === b.size && [...a].every(([name, { mode, object }]) => b.get(name)?.mode === mode && b.get(name)?.object === object);
}

/** As long as the repository's object names. */
function nullObject(entries: Entries): string {
  return '0'.repeat([...entries.values()][0]?.object.length ?? 40);
}

function changedMeanwhile(cause?: GitFailure): Refused {
  return new Refused({ reason: 'branch-moved', message: 'The branch, or what is staged, has changed since the files were picked. Nothing was committed.', next: 'Try again.' }, { cause });
}

function oneOfBoth(names: readonly FilePath[]): Refused {
  return new Refused({ reason: 'dirty-files', message: 'Some names stand for a staged file and for a folder on disk, and a commit can hold only one of the two.', next: 'Unstage one of them, then try again.', files: names });
}
