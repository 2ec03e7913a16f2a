import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath, CommitId, FilePath } from '../../../core/ids.ts';
import type { PreparedMove } from '../../../core/ledger/events.ts';
import type { Lines } from '../../../runtime/ports/lines.ts';
import { CheckoutIndex, isOurIndexLock } from './checkoutIndex.ts';
import type { FollowingCheckout } from './checkoutIndex.ts';
import { onDisk } from './diskEntry.ts';
import type { GitCalls, GitPlace } from '../door/door.ts';
import { changesBetween, sameEntry } from './lineChange.ts';
import type { LineChange } from './lineChange.ts';
import { listCheckouts } from './lineCheckouts.ts';
import type { Checkout } from './lineCheckouts.ts';
import { MoveFolder } from './moveFolder.ts';
import { fields } from '../door/nulList.ts';
import { restoreFiles } from './restoreFiles.ts';
import { entriesAt, indexEntriesAt } from '../reading/treeEntries.ts';

export type Recovered = Awaited<ReturnType<Lines['recover']>>;

/** How long a git process that outlived us may take to end: it may be fetching large files. */
const ORPHAN_PATIENCE_MS = 60_000;
/** `update-ref` takes its locks away itself once its input has ended. */
const REF_LOCK_PATIENCE_MS = 2_000;
/** Ref and HEAD are locked in one go. */
const SAME_MOMENT_MS = 2_000;

/**
 * Finds out what became of a move that was cut off, and ends it. The ref tells: it moved last, so where it holds the new
 * commit, everything does; where it is at the old one, files and index are put back. A state that neither the move nor
 * its absence explains is somebody's work and is told, never repaired.
 */
export class LineRecovery {
  readonly #git: GitCalls;
  readonly #place: GitPlace;
  readonly #move: PreparedMove;
  readonly #folder: MoveFolder;

  constructor(git: GitCalls, place: GitPlace, move: PreparedMove) {
    this.#git = git;
    this.#place = place;
    this.#move = move;
    this.#folder = MoveFolder.at(place.commonDir, move.move);
  }

  async run(): Promise<Recovered> {
    if (!(await this.#folder.waitForOrphan(ORPHAN_PATIENCE_MS))) return unclear('A git process of the interrupted accept is still writing files.', []);
    const all = await listCheckouts(this.#git, this.#place);
    const checkouts = all.filter((checkout) => this.#move.checkouts.includes(checkout.top));
    await this.#removeRefLocks(checkouts);
    const outcome = await this.#outcome(checkouts);
    for (const { gitDir } of checkouts) await this.#removeIndexLock(gitDir);
    if (outcome.kind !== 'unclear') await this.#folder.remove();
    return outcome;
  }

  async #outcome(checkouts: readonly Checkout[]): Promise<Recovered> {
    const { old, new: to, ref } = this.#move;
    const now = await this.#resolve();
    if (now !== null && (now === to || await this.#isAncestor(to, now))) return { kind: 'new' };
    if (old === null) return now === null ? { kind: 'old' } : unclear(`${ref} exists and does not hold the accepted commit.`, []);
    // A branch that the person deleted or renamed since holds nothing of the move; its checkout may.
    const changes = await changesBetween(this.#git, old, to);
    for (const top of this.#move.checkouts) {
      const checkout = checkouts.find((found) => found.top === top);
      // Removed and forgotten by git: no files are left that could be put right.
      if (checkout === undefined && !(await anyExists([top]))) continue;
      if (!checkout?.reachable || checkout.gitDir === null) return unclear(`The checkout at ${top} cannot be reached.`, this.#move.paths);
      const following = { top, gitDir: checkout.gitDir };
      const result = now === old && this.#isOn(checkout) ? await this.#putBack(following, changes) : await this.#leftAlone(following, changes);
      if (result.length > 0) return unclear(`${top} holds files that are neither as they were before the accept nor as it brings them.`, result);
    }
    return { kind: 'old' };
  }

  #isOn(checkout: Checkout): boolean {
    return checkout.branch === (this.#move.ref === 'HEAD' ? null : this.#move.ref);
  }

  /** Gives the files that are in the way of putting things back; none where that is done. */
  async #putBack(checkout: FollowingCheckout, changes: readonly LineChange[]): Promise<readonly FilePath[]> {
    await this.#removeIndexLock(checkout.gitDir);
    await this.#folder.create();
    const index = await CheckoutIndex.lock(checkout, this.#folder, 'index-repair');
    try {
      const restored = await restoreFiles(this.#git, index, changes);
      if (restored.kind === 'unclear') return restored.files;
      await index.install();
      return [];
    } finally {
      await index.release();
    }
  }

  /** The person went on to another commit meanwhile. Gives the paths where something of the move may still show. */
  async #leftAlone(checkout: FollowingCheckout, changes: readonly LineChange[]): Promise<readonly FilePath[]> {
    const paths = changes.map((change) => change.path);
    const options = { write: false, gitDir: checkout.gitDir, workTree: checkout.top } as const;
    const [{ entries }, head] = await Promise.all([indexEntriesAt(this.#git, options, paths), this.#headEntries(checkout, paths)]);
    const { stdout } = await this.#git.run(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], options);
    const dirty = new Set(fields(stdout));
    const odd = await Promise.all(paths.map(async (name) => {
      const untracked = !head.has(name) && (await onDisk(checkout.top, name)).kind === 'entry';
      return !sameEntry(entries.get(name), head.get(name)) || dirty.has(name) || untracked;
    }));
    return paths.filter((_, i) => odd[i] === true);
  }

  async #headEntries(checkout: FollowingCheckout, paths: readonly FilePath[]): ReturnType<typeof entriesAt> {
    const { stdout } = await this.#git.run(['rev-parse', '--verify', 'HEAD^{commit}'], { write: false, gitDir: checkout.gitDir });
    return entriesAt(this.#git, stdout.toString('utf8').trim() as CommitId, paths);
  }

  async #removeIndexLock(gitDir: AbsolutePath | null): Promise<void> {
    if (gitDir && await isOurIndexLock(gitDir, this.#folder)) await rm(path.join(gitDir, 'index.lock'), { force: true });
  }

  /** Lock files of an `update-ref` that was killed with us. One that is not shown to be ours stays. */
  async #removeRefLocks(checkouts: readonly Checkout[]): Promise<void> {
    const branch = this.#move.ref === 'HEAD' ? null : path.join(this.#place.commonDir, `${this.#move.ref}.lock`);
    const heads = [...new Set([this.#place.gitDir, ...checkouts.flatMap((c) => (c.gitDir ? [c.gitDir] : []))])].map((gitDir) => path.join(gitDir, 'HEAD.lock'));
    const end = performance.now() + REF_LOCK_PATIENCE_MS;
    while (performance.now() < end && await anyExists(branch ? [branch, ...heads] : heads)) await new Promise((resolve) => setTimeout(resolve, 50));
    const branchIsOurs = branch !== null && await this.#holdsNewCommit(branch);
    for (const head of heads) {
      const ours = await this.#holdsNewCommit(head) || await this.#folder.isNotedLock(head) || (branchIsOurs && await isEmptyAndOfTheSameMoment(head, branch));
      if (ours) await rm(head, { force: true });
    }
    if (branchIsOurs || (branch !== null && await this.#folder.isNotedLock(branch))) await rm(branch, { force: true });
  }

  /** A ref's lock holds the commit that it was to get: nobody else moves this ref to this commit. */
  async #holdsNewCommit(lock: string): Promise<boolean> {
    return (await readFile(lock, 'utf8').catch(() => '')).trim() === this.#move.new;
  }

  async #resolve(): Promise<CommitId | null> {
    const { stdout, exitCode } = await this.#git.run(['rev-parse', '--verify', '-q', `${this.#move.ref}^{commit}`], { write: false, gitDir: this.#place.gitDir, allowExit: [1, 128] });
    return exitCode === 0 ? stdout.toString('utf8').trim() as CommitId : null;
  }

  async #isAncestor(commit: CommitId, of: CommitId): Promise<boolean> {
    return (await this.#git.run(['merge-base', '--is-ancestor', commit, of], { write: false, allowExit: [1] })).exitCode === 0;
  }
}

async function anyExists(files: readonly string[]): Promise<boolean> {
  for (const file of files) {
    if (await stat(file).then(() => true, () => false)) return true;
  }
  return false;
}

async function isEmptyAndOfTheSameMoment(lock: string, other: string): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([stat(lock), stat(other)]);
    return a.size === 0 && Math.abs(a.mtimeMs - b.mtimeMs) < SAME_MOMENT_MS;
  } catch {
    return false;
  }
}

function unclear(words: string, files: readonly FilePath[]): Recovered {
  return { kind: 'unclear', words, files };
}
