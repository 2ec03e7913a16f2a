import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { episodeId, filePath } from '../../../core/ids.ts';
import type { AbsolutePath, CommitId, EpisodeId, FilePath } from '../../../core/ids.ts';
import type { DiskUse } from '../../../core/limits/diskBudget.ts';
import { Refused } from '../../../core/refusal.ts';
import { isCheckedOut, type FoldersExtent } from '../../../core/world/extent.ts';
import type { Adopted, PrepareRequest, PreparedWorktree, Worktrees } from '../../../runtime/ports/worktrees.ts';
import { commandEnvironment } from '../../commands/commandEnvironment.ts';
import type { RunRepositoryCommand } from '../../commands/repositoryCommand.ts';
import { runCommand } from '../../commands/runCommand.ts';
import { removeFoldersBeside } from '../../sandbox/besideWorktree.ts';
import { realPath, registrationOf } from '../reading/checkouts.ts';
import type { GitDoor } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';
import { fields } from '../door/nulList.ts';
import { diskUse } from './diskUse.ts';
import { filteredFiles, filtersOff, lfsPointers } from './filters.ts';
import { bringIncluded } from './included.ts';
import { findWorktree } from './foundWorktree.ts';
import { Lease, leaseExpired, readLease } from './lease.ts';
import { WorkQueue } from '../door/queue.ts';
import { deregister, register, registeredIn } from './registration.ts';
import { saveFiles } from './saved.ts';
import { runSetup, setupNote } from './setupScript.ts';
import { leftOutBy, sparseCheckoutOf, sparseNotes } from './sparseCheckout.ts';
import { fillSubmodules, submoduleNotes } from './submodules.ts';
import { Trash } from './trash.ts';
import { keepCheckoutIndex } from '../candidates/warmIndex.ts';
import { accessThrough, isBrought, readMemory, worktreeAccess, writeMemory } from './worktreeAccess.ts';
import type { WorktreeAccess } from './worktreeAccess.ts';
import { commitEntries, fillWorktree, resetWorktree, verifyWorktree, worktreeStatus } from './worktreeFiles.ts';

interface WorktreesOptions {
  /** A short cache folder outside the repository; made when it is first needed. Several repositories may share it. */
  readonly root: AbsolutePath;
  /** Whether the submodules of a commit are checked out with it. */
  readonly submodules: () => 'leave' | 'init';
  /** Left out, setup scripts run with the person's rights. */
  readonly run?: RunRepositoryCommand;
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
    const { commit, signal, progress } = request;
    signal.throwIfAborted();
    // First of all: from here on a crash leaves something that a sweep finds and understands.
    await this.#lease(request.episode, worktree, commit);
    const config = request.withoutFilters === true ? await filtersOff(this.#door) : [];
    const sparse = sparseCheckoutOf(request.extent, commit);
    await writeMemory(worktree, { brought: [], config, sparse });
    const all = await commitEntries(this.#door, commit, signal);
    const isLeftOut = sparse === null ? () => false : leftOutBy(sparse);
    const entries = all.filter((entry) => !isLeftOut(entry));
    const leftOut = all.filter(isLeftOut);
    refuseLongPaths(worktree, entries);
    const notes = sparse === null ? [] : sparseNotes(sparse, all);
    const access = await this.#checkouts.run('interactive', signal, async () => {
      progress(`checking out ${entries.length.toLocaleString('en-US')} files`);
      await register(this.#door, worktree, commit, signal);
      const made = await worktreeAccess(this.#door, worktree);
      await fillWorktree(this.#door, made, commit, all, signal);
      return made;
    });
    const [untidy, pointers] = await Promise.all([verifyWorktree(this.#door, access, commit, new Set(), signal), lfsPointers(this.#door, access)]);
    // The bits of a sparse one would be believed; few files are there to be hashed anew.
    if (sparse === null) await keepCheckoutIndex(this.#door.place.commonDir, worktree, commit);
    if (untidy.length > 0) notes.push(`Git calls these files changed although they are as committed, since their line endings are not what .gitattributes asks for: ${listed(untidy)}.`);
    const submodules = all.filter((entry) => entry.mode === '160000').map((entry) => entry.path);
    const filled = submodules.length > 0 && this.#options.submodules() === 'init' ? await fillSubmodules(this.#door, access, commit, { progress, signal }) : null;
    notes.push(...submoduleNotes(submodules, filled));
    if (pointers.length > 0) notes.push(`These files hold Git LFS pointers, not their content: ${listed(pointers)}.`);
    const onDisk = new Set(entries.map((entry) => entry.path));
    const stored = request.withoutFilters === true ? (await filteredFiles(this.#door, access)).filter((file) => onDisk.has(file) && !pointers.includes(file)) : [];
    if (stored.length > 0) notes.push(`These files are as git stores them, not as a checkout would have them, since a filter of theirs could not be run: ${listed(stored)}.`);
    const brought = await this.#bring(request, access, { commit, submodules, filled: filled?.there ?? [], leftOut: new Set(leftOut.map((entry) => entry.path)) }, notes);
    return { path: worktree, brought, notes };
  }

  /** What a fresh checkout lacks to build: ignored files of the person's, and what setup makes. */
  async #bring(request: PrepareRequest, access: WorktreeAccess, { commit, submodules, filled, leftOut }: { readonly commit: CommitId; readonly submodules: readonly FilePath[]; readonly filled: readonly FilePath[]; readonly leftOut: ReadonlySet<string> }, notes: string[]): Promise<readonly FilePath[]> {
    const { signal, progress, setup } = request;
    const worktree = access.workTree;
    const memory = await readMemory(worktree);
    const patterns = setup?.include ?? null;
    const included = patterns === null ? null : await bringIncluded(this.#door, { patterns, worktree, leftOut, progress, signal });
    notes.push(...(included?.notes ?? []));
    let brought: readonly FilePath[] = [...included?.copied ?? [], ...filled];
    // Before setup runs: when the window dies meanwhile, what was copied in must still not pass for the agent's.
    await writeMemory(worktree, { ...memory, brought });
    const script = setup?.script ?? null;
    if (script === null) return brought;
    if (!(await request.mayRun(script.run))) {
      notes.push(`The setup script (${script.run}) was not run, since the person did not allow it. Tools or dependencies may be missing.`);
      return brought;
    }
    progress(`running setup: ${script.run}`);
    const result = await runSetup({ setup: script, place: this.#door.place, worktree, environment: commandEnvironment(process.env), progress, signal, run: this.#options.run ?? runCommand, caches: 'shared' });
    const note = setupNote(script, result);
    if (note !== null) notes.push(note);
    const status = await worktreeStatus(this.#door, access, { ignored: true, signal });
    const before = new Set<string>(brought);
    const made = [...status.ignored, ...status.untracked, ...status.nestedRepositories].filter((file) => !isBrought(file, before));
    brought = [...brought, ...(made as FilePath[]), ...await checkedOut(worktree, submodules.filter((folder) => !before.has(folder)))];
    await writeMemory(worktree, { ...memory, brought });
    const changed = await this.#setBack(access, commit, new Set(brought), signal);
    if (changed.length > 0) notes.push(`The setup script changed files of the commit; they were set back: ${listed(changed)}.`);
    return brought;
  }

  /** The agent starts from exactly the commit (rule 1): what setup did to its files is no change of the agent's. */
  async #setBack(access: WorktreeAccess, commit: CommitId, brought: ReadonlySet<string>, signal: AbortSignal): Promise<readonly string[]> {
    try {
      await verifyWorktree(this.#door, access, commit, brought, signal);
      return [];
    } catch (error) {
      if (!(error instanceof Refused) || error.refusal.reason !== 'worktree-differs') throw error;
      await resetWorktree(this.#door, access, commit, brought);
      await verifyWorktree(this.#door, access, commit, brought, signal);
      return error.refusal.files ?? [];
    }
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
      await saveFiles(this.#door, access, { episode, commit: lease?.commit ?? null, brought: new Set(memory.brought) });
    }
    await this.#discard(episode, worktree);
  }

  /** In this order, so that a crash at any point leaves something that the next sweep finds: the lease goes last. */
  async #discard(episode: EpisodeId, worktree: AbsolutePath): Promise<void> {
    const home = path.dirname(worktree) as AbsolutePath;
    await trashOf(home).take(worktree);
    await deregister(this.#door, worktree);
    await removeBeside(worktree);
    await removeFoldersBeside(worktree);
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

function listed(files: readonly string[]): string {
  return files.length <= 20 ? files.join(', ') : `${files.slice(0, 20).join(', ')} and ${files.length - 20} more`;
}

/** Bytes of an absolute path that the system opens. Git itself goes further, by relative paths; an agent's tools do not. */
const LONGEST_PATH: Partial<Record<NodeJS.Platform, number>> = { linux: 4_095, darwin: 1_023 };

function refuseLongPaths(worktree: AbsolutePath, entries: readonly { readonly path: FilePath }[]): void {
  const room = (LONGEST_PATH[process.platform] ?? Infinity) - Buffer.byteLength(worktree) - 1;
  const tooLong = entries.find((entry) => Buffer.byteLength(entry.path) > room);
  if (tooLong !== undefined) throw new GitFailure('path-too-long', { args: ['worktree', 'add'], stderr: `File name too long: ${tooLong.path}` });
}

/** Submodules that are there: git's status looks past them. */
async function checkedOut(worktree: AbsolutePath, submodules: readonly FilePath[]): Promise<readonly FilePath[]> {
  const there = await Promise.all(submodules.map((folder) => exists(path.join(worktree, folder, '.git'))));
  return submodules.filter((_, i) => there[i]);
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
