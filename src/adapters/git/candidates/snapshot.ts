import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import type { FilePath, TreeId } from '../../../core/ids.ts';
import { hasGitComponent } from '../../../core/paths.ts';
import { Refused } from '../../../core/refusal.ts';
import type { SnapshotRequest } from '../../../runtime/ports/candidates.ts';
import { CHECKOUT_TIMEOUT_MS } from '../door/door.ts';
import type { CallOptions, GitDoor } from '../door/door.ts';
import { nestedRepositories } from './nestedRepositories.ts';
import { fields, nulTerminated } from '../door/nulList.ts';
import { onIndex, withPrivateIndex, writeTree } from './privateIndex.ts';
import { indexEntriesAt } from '../reading/treeEntries.ts';
import { submoduleFiles } from './submoduleFiles.ts';
import { keepWarmIndex, takeWarmIndex } from './warmIndex.ts';
import { isHalfWritten } from '../../tools/replaceFile.ts';
import { registrationOf } from '../reading/checkouts.ts';
import { memoryLost } from '../worktrees/foundWorktree.ts';
import { Absence, leftOutBy } from '../worktrees/sparseCheckout.ts';
import { isBrought, isMemoryLost, readMemory, type WorktreeMemory } from '../worktrees/worktreeAccess.ts';

interface StagedWorktree {
  readonly tree: TreeId;
  /** Of the files asked about: those that exist and did not get in. */
  readonly ignored: readonly FilePath[];
  readonly nestedRepositories: readonly string[];
  readonly insideSubmodules: readonly string[];
}

/** A command that was left running may write while the snapshot is taken; it is taken again that many times. */
const ATTEMPTS = 3;

/**
 * Stages everything that is in a worktree into an index of our own and gives its tree. The worktree's files are
 * hostile (rule 11): its `.git` and its index are not looked at. Nothing that is tracked or untracked and not ignored
 * is left out without a word: what git lists is staged, and afterwards git is asked whether anything is left.
 */
export async function stageWorktree(git: GitDoor, request: SnapshotRequest): Promise<StagedWorktree> {
  return withPrivateIndex(async (index) => {
    const registration = await registrationOf(git.place, request.worktree);
    if (registration !== null && await isMemoryLost(registration.gitDir, request.worktree)) throw new Refused(memoryLost(request.worktree));
    // A worktree that was made with its filters off holds what they would have replaced.
    const staging = new Staging(git, request, index, await readMemory(request.worktree));
    const warm = await takeWarmIndex(git.place.commonDir, request.worktree, index);
    if (warm !== null) {
      try {
        return await staging.run(warm === request.base ? null : ['read-tree', '-i', '-m', request.base]);
      } catch (error) {
        // A kept index may be torn, or name objects that were pruned since: begin without it.
        if (error instanceof Refused && (error.refusal.reason === 'filter-missing' || error.refusal.reason === 'worktree-differs')) throw error;
        await rm(index, { force: true });
        await rm(`${index}.lock`, { force: true });
      }
    }
    return staging.run(['read-tree', request.base]);
  });
}

interface Found {
  readonly changed: readonly FilePath[];
  /** Tracked paths where no file or link is any more, or a nested repository took the place. */
  readonly gone: readonly FilePath[];
  /** Untracked and not ignored, without what was brought. */
  readonly untracked: readonly FilePath[];
  readonly nested: Nested;
}

/** What is in the worktree and can be in no tree. */
interface Nested {
  readonly repositories: readonly string[];
  readonly insideSubmodules: readonly string[];
}

class Staging {
  readonly #git: GitDoor;
  readonly #request: SnapshotRequest;
  readonly #index: string;
  readonly #config: readonly string[];
  readonly #isLeftOut: ReturnType<typeof leftOutBy>;
  readonly #brought: ReadonlySet<string>;

  constructor(git: GitDoor, request: SnapshotRequest, index: string, { config, sparse }: Pick<WorktreeMemory, 'config' | 'sparse'>) {
    this.#git = git;
    this.#request = request;
    this.#index = index;
    this.#config = config;
    this.#isLeftOut = sparse === null ? () => false : leftOutBy(sparse);
    this.#brought = new Set(request.brought);
  }

  /** `readBase` makes the index one of the base; null where it is that already. */
  async run(readBase: readonly string[] | null): Promise<StagedWorktree> {
    if (readBase !== null) await this.#readBase(readBase);
    for (let attempt = 1; ; attempt++) {
      const found = await this.#find();
      if (isEmpty(found)) return this.#finish(await writeTree(this.#git, this.#index), found.nested);
      await this.#stage(found);
      const [left, tree] = await Promise.all([
        // What became a repository of its own in a tracked file's place shows only once the file is out of the index.
        this.#find(found.gone.length > 0 ? null : found.nested),
        // Meanwhile, since nearly always nothing is left.
        writeTree(this.#git, this.#index),
      ]);
      if (isEmpty(left)) return this.#finish(tree, left.nested);
      if (attempt === ATTEMPTS) {
        const files = [...left.changed, ...left.gone, ...left.untracked];
        throw new Refused({
          reason: 'worktree-differs',
          message: `Files of the worktree keep changing while the change is taken: ${files.slice(0, 5).join(', ')}`,
          next: 'Stop the command that still writes them, then finish again.',
          files: files.slice(0, 100),
        });
      }
    }
  }

  /** Looked at once, so that it tells changed files from others also next time. Exit code 1: there are changed ones. */
  async #readBase(readBase: readonly string[]): Promise<void> {
    await this.#call(readBase);
    await this.#call(['update-index', '-q', '--refresh', '--ignore-submodules'], { allowExit: [1] });
    await keepWarmIndex(this.#git.place.commonDir, this.#request.worktree, this.#index, this.#request.base);
  }

  /**
   * No refresh of the index before: an entry whose file has other times is listed as differing, and staging it finds out.
   * `nested` gives what is known of nested repositories and submodules; null has them looked for.
   */
  async #find(nested: Nested | null = null): Promise<Found> {
    const [differing, listed] = await Promise.all([
      // `dirty`: a submodule's new commit counts, but no git runs inside of it with a config that an agent wrote.
      this.#list(['diff-files', '-z', '--raw', '--no-abbrev', '--ignore-submodules=dirty']),
      this.#list(['ls-files', '-z', '-t', '--stage', ...(nested === null ? ['--cached'] : []), '--others', '--exclude-standard']),
    ]);
    // `? path` is untracked; `H mode object stage<tab>path` tracked.
    const others = listed.filter((line) => line.startsWith('? ')).map((line) => line.slice(2));
    const entries = listed.filter((line) => !line.startsWith('? ')).map((line) => ({ submodule: line.slice(2, 8) === '160000', name: line.slice(line.indexOf('\t') + 1) }));
    const changed: FilePath[] = [];
    const gone: FilePath[] = [];
    const absence = new Absence(this.#request.worktree);
    for (let i = 0; i + 1 < differing.length; i += 2) {
      const name = differing[i + 1] as FilePath;
      const mode = (differing[i] ?? '').slice(1, 7);
      if (this.#isLeftOut({ path: name, mode }) && await absence.isAbsent(name)) continue;
      const submodule = mode === '160000';
      (await holdsEntry(path.join(this.#request.worktree, name), submodule) ? changed : gone).push(name);
    }
    return {
      changed,
      gone,
      untracked: others.filter((name) => !name.endsWith('/') && !isBrought(name, this.#brought) && !hasGitComponent(name) && !isHalfWritten(name)) as FilePath[],
      nested: nested ?? await this.#nested(entries.filter((e) => e.submodule).map((e) => e.name), [...entries.filter((e) => !e.submodule).map((e) => e.name), ...others]),
    };
  }

  async #nested(submodules: readonly string[], files: readonly string[]): Promise<Nested> {
    const { worktree } = this.#request;
    const [repositories, inside] = await Promise.all([nestedRepositories(worktree, files), submoduleFiles(worktree, submodules)]);
    return { repositories: repositories.filter((folder) => !this.#isBrought(folder)), insideSubmodules: inside.filter((file) => !this.#isBrought(file)) };
  }

  /** What goes, goes first: a file that became a folder must be out before the files in it come in. */
  async #stage(found: Found): Promise<void> {
    if (found.gone.length > 0) await this.#call(['update-index', '-z', '--force-remove', '--stdin'], { stdin: nulTerminated(found.gone) });
    const present = [...found.changed, ...found.untracked];
    if (present.length > 0) await this.#call(['update-index', '-z', '--add', '--remove', '--stdin'], { stdin: nulTerminated(present) });
  }

  async #finish(written: TreeId, nested: Nested): Promise<StagedWorktree> {
    for (const name of this.#request.forced) await this.#force(name);
    const tree = this.#request.forced.length === 0 ? written : await writeTree(this.#git, this.#index);
    const { entries } = await indexEntriesAt(this.#git, onIndex(this.#index), this.#request.written);
    const missing = this.#request.written.filter((name) => !entries.has(name));
    const present = await Promise.all(missing.map((name) => holdsEntry(path.join(this.#request.worktree, name), false)));
    return { tree, ignored: missing.filter((_, i) => present[i] === true), nestedRepositories: nested.repositories, insideSubmodules: nested.insideSubmodules };
  }

  /**
   * One at a time, since git refuses some (behind a link, in a submodule) and one refusal would take the others with
   * it. What is refused shows as ignored.
   */
  async #force(name: FilePath): Promise<void> {
    if (isBrought(name, this.#brought) || hasGitComponent(name)) return;
    if (!(await holdsEntry(path.join(this.#request.worktree, name), false))) return;
    await this.#call(['update-index', '-z', '--add', '--stdin'], { stdin: nulTerminated([name]), allowExit: [1, 128] });
  }

  /** A nested repository that setup cloned is no deed of the agent. */
  #isBrought(folder: string): boolean {
    return isBrought(folder, this.#brought) || [...this.#brought].some((file) => file.startsWith(`${folder}/`));
  }

  async #list(args: readonly string[]): Promise<string[]> {
    return fields((await this.#call(args)).stdout);
  }

  #call(args: readonly string[], more: Partial<CallOptions> = {}): ReturnType<GitDoor['run']> {
    const { place } = this.#git;
    return this.#git.run(args, onIndex(this.#index, { gitDir: place.commonDir, workTree: this.#request.worktree, config: this.#config, timeoutMs: CHECKOUT_TIMEOUT_MS, priority: 'background', ...more }));
  }
}

function isEmpty(found: Found): boolean {
  return found.changed.length + found.gone.length + found.untracked.length === 0;
}

/** Whether something that git can keep is there: a file or a link, or for a submodule a folder. */
async function holdsEntry(file: string, submodule: boolean): Promise<boolean> {
  try {
    const found = await lstat(file);
    return found.isFile() || found.isSymbolicLink() || (submodule && found.isDirectory());
  } catch {
    return false;
  }
}

