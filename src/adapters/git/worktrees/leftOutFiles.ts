import type { AbsolutePath, FilePath } from '../../../core/ids.ts';
import { ROOT } from '../../../core/paths.ts';
import type { TreeEntry } from '../../../runtime/ports/repository.ts';
import type { CommittedFiles, CommittedKind } from '../../tools/committedFiles.ts';
import type { GitDoor } from '../door/door.ts';
import { nulTerminated } from '../door/nulList.ts';
import type { GitRepository } from '../reading/repository.ts';
import { leftOutBy, type SparseCheckout } from './sparseCheckout.ts';
import { readMemory, worktreeAccess, writeMemory } from './worktreeAccess.ts';

/** Worktrees of which it is remembered: of a large repository it is megabytes. */
const KEPT = 4;

/** What is not checked out in the worktrees of one repository, for the tools. */
export class LeftOutFiles {
  readonly #door: GitDoor;
  readonly #repository: Pick<GitRepository, 'list' | 'readBlob'>;
  readonly #trees = new Map<string, Promise<LeftOutTree>>();

  constructor(door: GitDoor, repository: Pick<GitRepository, 'list' | 'readBlob'>) {
    this.#door = door;
    this.#repository = repository;
  }

  /** Null where everything is checked out. */
  async of(worktree: AbsolutePath): Promise<CommittedFiles | null> {
    const { sparse } = await readMemory(worktree);
    return sparse === null ? null : this.#view(worktree, sparse, await this.#treeOf(sparse));
  }

  #view(worktree: AbsolutePath, { commit, opened }: SparseCheckout, { entries, folders }: LeftOutTree): CommittedFiles {
    const isOpened = new Set<string>(opened);
    const kindOf = (path: string): CommittedKind | null => {
      const entry = isOpened.has(path) ? undefined : entries.get(path);
      return entry !== undefined ? kindOfMode(entry.mode) : folders.has(path) ? 'folder' : null;
    };
    const entryAt = (path: string): TreeEntry => {
      const entry = entries.get(path);
      if (entry === undefined) throw new Error(`${path} is no file that was left out`);
      return entry;
    };
    return {
      commit,
      kindOf,
      namesIn: (folder) => new Map([...folders.get(folder) ?? []].flatMap((name) => {
        const kind = kindOf(folder === '' ? name : `${folder}/${name}`);
        return kind === null ? [] : [[name, kind]];
      })),
      sizeOf: (path) => entryAt(path).size,
      read: (path) => this.#repository.readBlob(entryAt(path).blob),
      asCheckedOut: async (path) => {
        const access = await worktreeAccess(this.#door, worktree);
        const { stdout } = await this.#door.run(['cat-file', '--filters', `${commit}:${path}`], { ...access, write: false });
        return { bytes: stdout, executable: entryAt(path).mode === '100755' };
      },
      broughtIn: (path) => this.#broughtIn(worktree, path),
    };
  }

  async #broughtIn(worktree: AbsolutePath, file: FilePath): Promise<void> {
    const memory = await readMemory(worktree);
    if (memory.sparse === null) return;
    await writeMemory(worktree, { ...memory, sparse: { ...memory.sparse, opened: [...memory.sparse.opened, file] } });
    // So that a `git diff` of the agent's shows the edit. Nothing of ours believes this index.
    const access = await worktreeAccess(this.#door, worktree);
    await this.#door.run(['update-index', '-z', '--no-skip-worktree', '--stdin'], { ...access, write: true, scope: worktree, stdin: nulTerminated([file]), allowExit: [1, 128] });
  }

  #treeOf(sparse: SparseCheckout): Promise<LeftOutTree> {
    const key = JSON.stringify([sparse.commit, sparse.extent]);
    let tree = this.#trees.get(key);
    if (tree === undefined) {
      tree = this.#repository.list(sparse.commit, ROOT).then((entries) => treeOf(entries.filter(leftOutBy({ ...sparse, opened: [] }))));
      this.#trees.set(key, tree);
      for (const old of [...this.#trees.keys()].slice(0, -KEPT)) this.#trees.delete(old);
      // A failure is not kept: the next call asks again.
      tree.catch(() => this.#trees.delete(key));
    }
    return tree;
  }
}

interface LeftOutTree {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** Of each folder that holds any the names directly in it. */
  readonly folders: ReadonlyMap<string, ReadonlySet<string>>;
}

function treeOf(entries: readonly TreeEntry[]): LeftOutTree {
  const folders = new Map<string, Set<string>>();
  for (const { path } of entries) {
    for (let end = path.length; end > 0;) {
      const slash = path.lastIndexOf('/', end - 1);
      const folder = path.slice(0, Math.max(slash, 0));
      const names = folders.get(folder) ?? new Set();
      folders.set(folder, names);
      const name = path.slice(slash + 1, end);
      // An earlier entry named the folders above.
      if (names.has(name)) break;
      names.add(name);
      end = slash;
    }
  }
  return { entries: new Map(entries.map((entry) => [entry.path, entry])), folders };
}

function kindOfMode(mode: string): CommittedKind {
  // A submodule is an empty folder where it is not checked out.
  return mode === '160000' ? 'folder' : mode === '120000' ? 'link' : 'file';
}
