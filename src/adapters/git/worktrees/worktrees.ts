import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { episodeId, filePath } from '../../../core/ids.ts';
import type { AbsolutePath, CommitId, EpisodeId, FilePath } from '../../../core/ids.ts';
import type { DiskUse } from '../../../core/limits/diskBudget.ts';
import { Refused } from '../../../core/refusal.ts';
import { isCheckedOut, type FoldersExtent } from '../../../core/world/extent.ts';
import type { Adopted, PrepareRequest, PreparedWorktree, Worktrees } from '../../../runtime/ports/worktrees.ts';
import type { RunRepositoryCommand } from '../../commands/repositoryCommand.ts';
import { removeFoldersBeside } from '../../sandbox/besideWorktree.ts';
import { realPath, registrationOf } from '../reading/checkouts.ts';
import type { GitDoor } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';
import { fields } from '../door/nulList.ts';
import { checkOut } from './checkout.ts';
import { diskUse } from './diskUse.ts';
import { equip } from './equipment.ts';
import { findWorktree } from './foundWorktree.ts';
import { Lease, leaseExpired, readLease } from './lease.ts';
import { WorkQueue } from '../door/queue.ts';
import { deregister, registeredIn } from './registration.ts';
import { saveFiles } from './saved.ts';
import { Trash } from './trash.ts';
import { accessThrough, isMemoryLost, readMemory, worktreeAccess, writeMemory } from './worktreeAccess.ts';
import { resetWorktree, verifyWorktree } from './worktreeFiles.ts';

interface WorktreesOptions {
  /** A short cache folder outside the repository; made when it is first needed. Several repositories may share it. */
  readonly root: AbsolutePath;
  /** Whether the submodules of a commit are checked out with it. */
  readonly submodules: () => 'leave' | 'init';
  /** Setup scripts, where they can do least. */
  readonly run: RunRepositoryCommand;
}

/** Milliseconds after which what was thrown away is deleted: not while somebody waits for the next worktree. */
const TRASH_DELAY_MS = 2_000;

/**
 * Worktrees of episodes, `<root>/<repository>/<episode>`, with a lease and what must be remembered in files beside each.
 * `close` stops the heartbeats; the worktrees stay for the next window.
 */
export class GitWorktrees implements Worktrees {
  readonly #door: GitDoor;
  readonly #options: WorktreesOptions;
  readonly #leases = new Map<EpisodeId, Lease>();
  /** Two checkouts keep a disk busy; twenty make each of them slow. */
  readonly #checkouts = new WorkQueue(2);
  /** Homes that hold trash: more than one where the setting for their folder was changed. */
  readonly #trashed = new Set<AbsolutePath>();
  #emptying: NodeJS.Timeout | null = null;

  constructor(door: GitDoor, options: WorktreesOptions) {
    this.#door = door;
    this.#options = options;
  }

  async prepare(request: PrepareRequest): Promise<PreparedWorktree> {
    const worktree = await this.#pathOf(request.episode);
    // An earlier try, or an earlier life of the episode: what it holds is kept, then the worktree is made anew.
    await this.#saveThenDiscard(request.episode, worktree);
    try {
      return await this.#make(request, worktree);
    } catch (error) {
      // What resists is left to a sweep: the reader must learn why the worktree could not be made, not why it lingers.
      await this.#discard(request.episode, worktree).catch(() => undefined);
      throw asRefusal(error, request.signal);
    }
  }

  async adopt(episode: EpisodeId, worktree: AbsolutePath): Promise<Adopted> {
    const found = await findWorktree(this.#door, worktree);
    if (found.kind !== 'ready') return found;
    if (!this.#leases.has(episode)) await this.#lease(episode, worktree, (await readLease(leaseFile(worktree)))?.commit ?? found.head);
    return { kind: 'ready' };
  }

  async reset(worktree: AbsolutePath, commit: CommitId, base: CommitId): Promise<void> {
    const memory = await readMemory(worktree);
    const sparse = memory.sparse && { ...memory.sparse, commit, opened: [...new Set([...memory.sparse.opened, ...await this.#changedOutside(memory.sparse.extent, base, commit)])] };
    const access = { ...await worktreeAccess(this.#door, worktree), sparse };
    const known = new Set<string>(memory.brought);
    await resetWorktree(this.#door, access, commit, known);
    await verifyWorktree(this.#door, access, commit, known, undefined, 'allowed');
    if (sparse !== null) await writeMemory(worktree, { ...memory, sparse });
  }

  async remove(episode: EpisodeId, worktree: AbsolutePath | null): Promise<void> {
    const at = worktree ?? await this.#pathOf(episode);
    if ((await findWorktree(this.#door, at)).kind !== 'out of sight') await this.#discard(episode, at);
  }

  giveBack(episode: EpisodeId, worktree: AbsolutePath): Promise<void> {
    return this.#saveThenDiscard(episode, worktree);
  }

  async diskUse(signal: AbortSignal): Promise<DiskUse> {
    const home = await this.#homeFolder();
    return diskUse(path.dirname(home), home, signal);
  }

  async release(episode: EpisodeId): Promise<void> {
    const lease = this.#leases.get(episode);
    this.#leases.delete(episode);
    await lease?.release();
  }

  async sweep(mayGo: (episode: EpisodeId) => boolean): Promise<readonly EpisodeId[]> {
    const home = await this.#homeFolder();
    const removed: EpisodeId[] = [];
    for (const { episode, worktree } of await this.#abandoned(home)) {
      if (!mayGo(episode)) continue;
      // What cannot be kept stays where it is, for the next sweep or for the person.
      const gone = await this.#saveThenDiscard(episode, worktree).then(() => true, () => false);
      if (gone) removed.push(episode);
    }
    this.#emptyLater(home);
    return removed;
  }

  /** Deletes at once what was thrown away. */
  async emptyTrash(): Promise<void> {
    await trashOf(await this.#homeFolder()).empty();
  }

  async close(): Promise<void> {
    if (this.#emptying !== null) clearTimeout(this.#emptying);
    await Promise.all([...this.#leases.values()].map((lease) => lease.pause()));
    this.#leases.clear();
  }

  async #make(request: PrepareRequest, worktree: AbsolutePath): Promise<PreparedWorktree> {
    request.signal.throwIfAborted();
    // First of all: from here on a crash leaves something that a sweep finds and understands.
    await this.#lease(request.episode, worktree, request.commit);
    const made = await checkOut(this.#door, request, worktree, { inTurn: (work) => this.#checkouts.run('interactive', request.signal, work), submodules: this.#options.submodules() });
    const equipped = await equip(this.#door, request, made, this.#options.run);
    return { path: worktree, brought: equipped.brought, notes: [...made.notes, ...equipped.notes] };
  }

  async #changedOutside(extent: FoldersExtent, base: CommitId, commit: CommitId): Promise<readonly FilePath[]> {
    const { stdout } = await this.#door.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, commit], { write: false });
    return fields(stdout).map((name) => filePath.parse(name)).filter((file) => !isCheckedOut(extent, file));
  }

  async #lease(episode: EpisodeId, worktree: AbsolutePath, commit: CommitId): Promise<void> {
    await this.#leases.get(episode)?.pause();
    this.#leases.set(episode, await Lease.take(leaseFile(worktree), commit));
  }

  async #saveThenDiscard(episode: EpisodeId, worktree: AbsolutePath): Promise<void> {
    if (await isFolder(worktree)) {
      const registration = await registrationOf(this.#door.place, worktree);
      const memory = await readMemory(worktree);
      const lease = await readLease(leaseFile(worktree));
      // Without its registration the files are still there: they are read through the common git folder.
      const access = accessThrough(registration?.gitDir ?? this.#door.place.commonDir, worktree, memory);
      // Where it is not known what was never checked out, the files are kept as they are, as changes of no commit.
      const isWhole = registration === null || !(await isMemoryLost(registration.gitDir, worktree));
      await saveFiles(this.#door, access, { episode, commit: isWhole ? lease?.commit ?? null : null, brought: new Set(memory.brought) });
    }
    await this.#discard(episode, worktree);
  }

  /** In this order, so that a crash at any point leaves something that the next sweep finds: the lease goes last. */
  async #discard(episode: EpisodeId, worktree: AbsolutePath): Promise<void> {
    const home = path.dirname(worktree) as AbsolutePath;
    await trashOf(home).take(worktree);
    await deregister(this.#door, worktree);
    await removeBeside(worktree);
    // What resists costs disk and nothing else: its name is that of this episode, whose own it was.
    await removeFoldersBeside(worktree).catch(() => undefined);
    await this.release(episode);
    await rm(leaseFile(worktree), { force: true });
    this.#emptyLater(home);
  }

  /** Worktrees with something on disk or in git that nobody uses any more; also under a folder that the settings named before. */
  async #abandoned(home: AbsolutePath): Promise<readonly { readonly episode: EpisodeId; readonly worktree: AbsolutePath }[]> {
    const registered = new Map((await registeredIn(this.#door, path.basename(home))).map((linked) => [linked.checkout, linked]));
    const here = (await readdir(home)).map((name) => path.join(home, name.split('.', 1)[0] ?? '') as AbsolutePath);
    const found: { episode: EpisodeId; worktree: AbsolutePath }[] = [];
    for (const worktree of new Set([...here, ...registered.keys()])) {
      const episode = episodeId.safeParse(path.basename(worktree));
      if (!episode.success) continue;
      const lease = await readLease(leaseFile(worktree));
      // A lease that cannot be read may be a newer version's. Where there is none, only what was made here is judged.
      const expired = lease !== null ? await leaseExpired(lease, Date.now()) : !(await exists(leaseFile(worktree))) && registered.get(worktree)?.madeHere !== false;
      if (expired) found.push({ episode: episode.data, worktree });
    }
    return found;
  }

  async #pathOf(episode: EpisodeId): Promise<AbsolutePath> {
    return path.join(await this.#homeFolder(), episode) as AbsolutePath;
  }

  /** Short, since it stands before every path of the repository, and one per repository. */
  async #homeFolder(): Promise<AbsolutePath> {
    // Each time, since people empty their caches while the window is open.
    const name = createHash('sha256').update(this.#door.place.commonDir).digest('hex').slice(0, 8);
    const folder = path.join(this.#options.root, name);
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw new Refused({ reason: 'worktree-failed', message: `The folder for worktrees could not be made: ${String(error)}`, next: 'Choose another folder for worktrees in the settings, or free space on its disk.' }, { cause: error });
    });
    return realPath(folder);
  }

  #emptyLater(home: AbsolutePath): void {
    this.#trashed.add(home);
    if (this.#emptying !== null) clearTimeout(this.#emptying);
    this.#emptying = setTimeout(() => {
      for (const folder of this.#trashed) void trashOf(folder).empty();
      this.#trashed.clear();
    }, TRASH_DELAY_MS);
    this.#emptying.unref();
  }
}

function trashOf(home: AbsolutePath): Trash {
  return new Trash(path.join(home, '.trash'));
}

/** What stands beside a worktree under its name besides the lease: its memory, and what a killed window had half written. */
async function removeBeside(worktree: AbsolutePath): Promise<void> {
  const prefix = `${path.basename(worktree)}.`;
  for (const entry of await readdir(path.dirname(worktree), { withFileTypes: true })) {
    const file = path.join(path.dirname(worktree), entry.name);
    if (entry.isFile() && entry.name.startsWith(prefix) && file !== leaseFile(worktree)) await rm(file, { force: true });
  }
}

function leaseFile(worktree: AbsolutePath): string {
  return `${worktree}.lease`;
}

async function isFolder(at: string): Promise<boolean> {
  return (await lstat(at).catch(() => null))?.isDirectory() ?? false;
}

async function exists(at: string): Promise<boolean> {
  return (await lstat(at).catch(() => null)) !== null;
}

function asRefusal(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof Refused) return error;
  if (signal.aborted) return new GitFailure('cancelled', { args: ['worktree'] }, { cause: error });
  return new Refused({ reason: 'worktree-failed', message: `The agent's worktree could not be made: ${error instanceof Error ? error.message : String(error)}`, next: 'Check the folder for worktrees in the settings and the space on its disk, then try again.' }, { cause: error });
}
