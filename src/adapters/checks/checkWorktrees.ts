import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { AbsolutePath, CommitId, FilePath, TreeId } from '../../core/ids.ts';
import { treeId } from '../../core/ids.ts';
import type { Setup } from '../../runtime/ports/worktrees.ts';
import type { RunRepositoryCommand } from '../commands/repositoryCommand.ts';
import { removeFoldersBeside, removeOwnCaches, removeScratch } from '../sandbox/besideWorktree.ts';
import { replaceFile } from '../durableFile.ts';
import { realPath, registrationOf } from '../git/reading/checkouts.ts';
import type { GitDoor } from '../git/door/door.ts';
import { bringIncluded } from '../git/worktrees/included.ts';
import { Lease, leaseExpired, readLease } from '../git/worktrees/lease.ts';
import { deregister, register } from '../git/worktrees/registration.ts';
import { runSetup, setupNote } from '../git/worktrees/setupScript.ts';
import { Trash } from '../git/worktrees/trash.ts';
import { worktreeAccess } from '../git/worktrees/worktreeAccess.ts';
import type { WorktreeAccess } from '../git/worktrees/worktreeAccess.ts';
import { fillWorktree, resetWorktree, verifyWorktree, worktreeStatus } from '../git/worktrees/worktreeFiles.ts';
import { belongingsOf, ignoredOnly, removeForeign } from './belongings.ts';

interface CheckWorktreesOptions {
  /** A cache folder outside the repository; several repositories share it. */
  readonly root: AbsolutePath;
  /** `cold`: every check starts from a worktree that was just made. */
  readonly temperature: 'warm' | 'cold';
  readonly environment: Readonly<Record<string, string>>;
  readonly run: RunRepositoryCommand;
}

export interface CheckWorktreeRequest {
  readonly commit: CommitId;
  readonly tree: TreeId;
  /** The line's commit before, whose build output may be kept. Null where there is none. */
  readonly line: CommitId | null;
  readonly setup: Setup | null;
  readonly setupKey: string;
  readonly signal: AbortSignal;
  readonly progress: (words: string) => void;
  readonly mayRun: (command: string, purpose: 'setup' | 'check' | 'hook') => Promise<boolean>;
}

export type CheckPlace =
  | { readonly kind: 'ready'; readonly access: WorktreeAccess; /** What lies at its top besides the files of the tree. */ readonly brought: readonly FilePath[] }
  | { readonly kind: 'refused'; readonly output: string }
  | { readonly kind: 'failed'; readonly output: string };

/** Warm worktrees kept per repository; each can be as large as its dependencies. */
const KEPT = 2;
const TRASH_DELAY_MS = 2_000;

/** What is known of a warm worktree, in a file beside it, out of reach of what runs in it. */
const memorySchema = z.object({
  /** What its files were set to last. */
  tree: treeId,
  belongings: z.record(z.string(), z.string()),
});
type Memory = z.infer<typeof memorySchema>;

/** Worktrees in which the host runs constraints and hooks (rule 5). One use at a time. */
export class CheckWorktrees {
  readonly #git: GitDoor;
  readonly #options: CheckWorktreesOptions;
  readonly #leases = new Map<AbsolutePath, Lease>();
  #home: Promise<AbsolutePath> | null = null;

  constructor(git: GitDoor, options: CheckWorktreesOptions) {
    this.#git = git;
    this.#options = options;
  }

  /** A worktree whose files are exactly the commit's, with what a build needs and nothing that another candidate left. */
  async prepare(request: CheckWorktreeRequest): Promise<CheckPlace> {
    const worktree = await this.#pathFor(request.setupKey);
    const reused = await this.#reuse(request, worktree);
    if (reused !== null) return reused;
    await this.#discard(worktree);
    try {
      const made = await this.#make(request, worktree);
      if (made.kind !== 'ready') await this.#discard(worktree);
      return made;
    } catch (error) {
      await this.#discard(worktree).catch(() => undefined);
      throw error;
    }
  }

  /** To be told after each use. */
  finish(access: WorktreeAccess): Promise<void> {
    return this.#options.temperature === 'cold' ? this.#discard(access.workTree) : this.#evict(access.workTree);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#leases.values()].map((lease) => lease.pause()));
    this.#leases.clear();
  }

  async #reuse(request: CheckWorktreeRequest, worktree: AbsolutePath): Promise<CheckPlace | null> {
    const memory = await readMemory(worktree);
    const registration = await registrationOf(this.#git.place, worktree);
    if (memory === null || registration === null || !(await isIntact(worktree, registration.gitDir))) return null;
    request.progress('setting the check worktree to the merged files');
    await this.#lease(worktree, request.commit);
    const access = await worktreeAccess(this.#git, worktree);
    const now = await belongingsOf(this.#git, access, memory.tree);
    // Where the line has taken this very tree, what its check built may serve the next one.
    const accepted = request.line !== null && await this.#treeOf(request.line) === memory.tree;
    const kept = accepted ? { ...stillThere(memory.belongings, now), ...await ignoredOnly(this.#git, access, memory.tree, now) } : memory.belongings;
    if (!(await removeForeign(access, kept, now))) return null;
    await removeScratch(worktree);
    // Caches hold what the tree before it built: like its build output, they serve the next one only where the line has taken it.
    if (!accepted) await removeOwnCaches(worktree);
    await this.#setTo(request, access, kept);
    return { kind: 'ready', access, brought: topOf(kept) };
  }

  async #make(request: CheckWorktreeRequest, worktree: AbsolutePath): Promise<CheckPlace> {
    const { commit, signal, progress } = request;
    const { include, script } = request.setup ?? { include: null, script: null };
    progress('making a check worktree');
    await removeFoldersBeside(worktree);
    await this.#lease(worktree, commit);
    await register(this.#git, worktree, commit, signal);
    const access = await worktreeAccess(this.#git, worktree);
    await fillWorktree(this.#git, access, commit, [], signal);
    const included = include === null ? null : await bringIncluded(this.#git, { patterns: include, worktree, leftOut: new Set(), progress, signal });
    if (script !== null) {
      if (!(await request.mayRun(script.run, 'setup'))) return { kind: 'refused', output: `The setup script (${script.run}) was not allowed to run.` };
      progress(`running setup: ${script.run}`);
      const result = await runSetup({ setup: script, place: this.#git.place, worktree, environment: this.#options.environment, progress, signal, run: this.#options.run, caches: 'own', brought: included?.copied ?? [] });
      if (result.kind !== 'passed') return { kind: 'failed', output: setupNote(script, result) ?? '' };
    }
    const belongings = await belongingsOf(this.#git, access, commit);
    await this.#setTo(request, access, belongings);
    return { kind: 'ready', access, brought: topOf(belongings) };
  }

  async #setTo(request: CheckWorktreeRequest, access: WorktreeAccess, belongings: Readonly<Record<string, string>>): Promise<void> {
    const known = new Set(Object.keys(belongings));
    // A repository that setup cloned: git names its folder, and nothing below.
    for (const name of Object.keys(belongings)) if (/\/\.git(?:$|\/)/.test(name)) known.add(name.slice(0, name.indexOf('/.git')));
    // Not to be believed until it is done: a crash in between makes the worktree anew.
    await rm(memoryFile(access.workTree), { force: true });
    await resetWorktree(this.#git, access, request.commit, known);
    // Git names a folder for all that is ignored in it; file by file they were looked at before.
    const { ignored } = await worktreeStatus(this.#git, access, { ignored: true, signal: request.signal });
    await verifyWorktree(this.#git, access, request.commit, new Set([...known, ...ignored]), request.signal);
    await writeMemory(access.workTree, { tree: request.tree, belongings });
  }

  async #treeOf(commit: CommitId): Promise<TreeId> {
    return (await this.#git.run(['rev-parse', '--verify', `${commit}^{tree}`], { write: false })).stdout.toString('utf8').trim() as TreeId;
  }

  /** Another window of this repository may hold the usual one. */
  async #pathFor(key: string): Promise<AbsolutePath> {
    const usual = path.join(await this.#homeFolder(), key.slice(0, 8)) as AbsolutePath;
    if (this.#leases.has(usual)) return usual;
    const lease = await readLease(leaseFile(usual));
    return lease === null || await leaseExpired(lease, Date.now()) ? usual : `${usual}-${process.pid}` as AbsolutePath;
  }

  async #lease(worktree: AbsolutePath, commit: CommitId): Promise<void> {
    await this.#leases.get(worktree)?.pause();
    this.#leases.set(worktree, await Lease.take(leaseFile(worktree), commit));
    const now = new Date();
    await utimes(leaseFile(worktree), now, now);
  }

  /** Beyond the newest few, what no living window uses goes. */
  async #evict(inUse: AbsolutePath): Promise<void> {
    const home = await this.#homeFolder();
    const leases = (await readdir(home)).filter((name) => name.endsWith('.lease'));
    const aged = await Promise.all(leases.map(async (name) => ({ worktree: path.join(home, name.slice(0, -'.lease'.length)) as AbsolutePath, at: (await stat(path.join(home, name)).catch(() => null))?.mtimeMs ?? 0 })));
    const others = aged.filter(({ worktree }) => worktree !== inUse).sort((a, b) => b.at - a.at);
    for (const { worktree } of others.slice(KEPT - 1)) {
      const lease = await readLease(leaseFile(worktree));
      if (this.#leases.has(worktree) || (lease !== null && await leaseExpired(lease, Date.now()))) await this.#discard(worktree);
    }
  }

  async #discard(worktree: AbsolutePath): Promise<void> {
    const trash = new Trash(path.join(path.dirname(worktree), '.trash'));
    await rm(memoryFile(worktree), { force: true });
    await trash.take(worktree);
    // What resists is met by nobody: one that is made in this place begins by removing it.
    await removeFoldersBeside(worktree).catch(() => undefined);
    await deregister(this.#git, worktree);
    const lease = this.#leases.get(worktree);
    this.#leases.delete(worktree);
    await lease?.release();
    await rm(leaseFile(worktree), { force: true });
    setTimeout(() => void trash.empty(), TRASH_DELAY_MS).unref();
  }

  #homeFolder(): Promise<AbsolutePath> {
    this.#home ??= (async () => {
      const name = createHash('sha256').update(this.#git.place.commonDir).digest('hex').slice(0, 8);
      const folder = path.join(this.#options.root, `${name}-checks`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return realPath(folder);
    })();
    return this.#home;
  }
}

/** What was known already, as it is now: a build may well have changed it. */
function stillThere(known: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(now).filter(([name]) => Object.hasOwn(known, name)));
}

function topOf(belongings: Readonly<Record<string, string>>): readonly FilePath[] {
  return Object.keys(belongings).filter((name) => !name.includes('/')) as FilePath[];
}

/** What a check could have put there to have its repository discovered by a command of a later check. */
async function isIntact(worktree: AbsolutePath, gitDir: AbsolutePath): Promise<boolean> {
  const pointer = path.join(worktree, '.git');
  const found = await lstat(pointer).catch(() => null);
  if (found?.isFile() !== true) return false;
  return path.resolve(worktree, (await readFile(pointer, 'utf8')).replace(/^gitdir: /, '').trim()) === path.resolve(gitDir);
}

async function readMemory(worktree: AbsolutePath): Promise<Memory | null> {
  try {
    return memorySchema.parse(JSON.parse(await readFile(memoryFile(worktree), 'utf8')));
  } catch {
    // None, torn, or of another version: the worktree is made anew.
    return null;
  }
}

function writeMemory(worktree: AbsolutePath, memory: Memory): Promise<void> {
  return replaceFile(memoryFile(worktree), JSON.stringify(memory));
}

function memoryFile(worktree: AbsolutePath): string {
  return `${worktree}.check`;
}

function leaseFile(worktree: AbsolutePath): string {
  return `${worktree}.lease`;
}

