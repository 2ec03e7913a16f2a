import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { absolutePath, commitId, treeId } from '../../../core/ids.ts';
import type { CommitId, FilePath, FolderPath, TreeId } from '../../../core/ids.ts';
import { chainTo, fileIn, parentFolder } from '../../../core/paths.ts';
import type { MergeResult } from '../../../runtime/ports/candidates.ts';
import type { GitCalls, GitPlace } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';
import { fields } from '../door/nulList.ts';
import type { GitRepository } from '../reading/repository.ts';
import { temporaryPrefix } from '../../temporaryFolders.ts';

/** Git, and where its repository is. */
export type MergeCalls = GitCalls & { readonly place: GitPlace };

/** How many commits and differences are remembered; beyond, all are forgotten. */
const MOST_REMEMBERED = 2_000;

/**
 * Three-way merges from a base that is given: git 2.39 can only search one, so the three trees are put into commits
 * that say so. A person's config must not bend what an accept brings, so what decides is set here. What one merge had to
 * ask is remembered for the next: of many waiting changes each is merged with all others, and each question is a process.
 */
export class TreeMerges {
  readonly #reading: Pick<GitRepository, 'treeOf' | 'read'>;
  /** Commits that are in the object store already. */
  readonly #written = new Set<string>();
  /** How often they turned out to be gone. */
  #pruned = 0;
  /** Folders of files that differ between two trees, and the folders above. */
  readonly #folders = new Map<string, readonly FolderPath[]>();

  constructor(reading: Pick<GitRepository, 'treeOf' | 'read'>) {
    this.#reading = reading;
  }

  async merge(git: MergeCalls, sides: Sides): Promise<MergeResult> {
    const pruned = this.#pruned;
    try {
      return await this.#merge(git, sides);
    } catch (error) {
      // The person may have pruned what no ref holds, commits of an earlier merge among it.
      if (!(error instanceof GitFailure) || error.kind !== 'missing-object') throw error;
      // Another merge that met the same may have forgotten them already.
      if (this.#pruned === pruned) {
        if (this.#written.size === 0) throw error;
        this.#written.clear();
        this.#pruned++;
      }
      return this.#merge(git, sides);
    }
  }

  async #merge(git: MergeCalls, sides: Sides): Promise<MergeResult> {
    const folder = await mkdtemp(temporaryPrefix('merge'));
    try {
      const workTree = path.join(folder, 'files');
      const [[left, right]] = await Promise.all([
        Promise.all([sides.base, sides.ours, sides.theirs].map((of) => this.#reading.treeOf(of))).then((trees) => this.#commits(git, trees, folder)),
        this.#writeAttributes(git, sides, workTree),
      ]);
      const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', left, right];
      const { stdout, stderr, exitCode } = await git.run(
        args,
        { write: false, gitDir: git.place.commonDir, workTree: absolutePath.parse(workTree), config: ['merge.renames=true', 'merge.directoryRenames=conflict', 'merge.renormalize=false', 'merge.conflictStyle=merge'], allowExit: [1] },
      );
      const [tree, ...names] = fields(stdout);
      // A commit that is not there ends with the exit code of a conflict.
      if (tree === undefined || tree === '') throw new GitFailure('missing-object', { args, exitCode, stderr });
      if (exitCode === 0) return { kind: 'clean', tree: treeId.parse(tree) };
      return { kind: 'conflict', files: [...new Set(names.filter((name) => name !== ''))] as FilePath[] };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Two commits on one parent, written by one process at most: what they will be called is known before git says so. The
   * same trees give the same commits, so that a merge that is asked for again leaves no further objects behind.
   */
  async #commits(git: MergeCalls, [base, ours, theirs]: readonly TreeId[], folder: string): Promise<readonly [CommitId, CommitId]> {
    if (base === undefined || ours === undefined || theirs === undefined) throw new Error('a merge is of three trees');
    const root = commitText(base, null);
    const [left, right] = [ours, theirs].map((tree) => commitText(tree, commitName(root, base))) as [string, string];
    const missing = [root, left, right].map((text) => ({ text, name: commitName(text, base) })).filter(({ name }) => !this.#written.has(name));
    if (missing.length > 0) {
      await Promise.all(missing.map(({ name, text }) => writeFile(path.join(folder, name), text)));
      const { stdout } = await git.run(['hash-object', '-t', 'commit', '-w', '--no-filters', '--stdin-paths'], { write: false, stdin: missing.map(({ name }) => `${path.join(folder, name)}\n`).join('') });
      const names = stdout.toString('utf8').trim().split('\n');
      if (missing.some(({ name }, i) => names[i] !== name)) throw new Error('git hash-object answered something else than it was asked');
      if (this.#written.size > MOST_REMEMBERED) this.#written.clear();
      for (const name of names) this.#written.add(name);
    }
    return [commitId.parse(commitName(left, base)), commitId.parse(commitName(right, base))];
  }

  /**
   * The line's own `.gitattributes`, as far as they bear on what is merged. Git 2.39 reads attributes from files only, and
   * without them `merge=union` or `-merge` (lock files) would be merged as plain text.
   */
  async #writeAttributes(git: MergeCalls, sides: Sides, workTree: string): Promise<void> {
    await mkdir(workTree);
    for (const folder of await this.#changedFolders(git, sides)) {
      const name = fileIn(folder, '.gitattributes');
      const bytes = await this.#reading.read(sides.ours, name);
      if (bytes === null) continue;
      await mkdir(path.dirname(path.join(workTree, name)), { recursive: true });
      await writeFile(path.join(workTree, name), bytes);
    }
  }

  async #changedFolders(git: MergeCalls, { base, theirs }: Sides): Promise<readonly FolderPath[]> {
    const key = `${base} ${theirs}`;
    const known = this.#folders.get(key);
    if (known !== undefined) return known;
    const { stdout } = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, theirs], { write: false });
    const folders = [...new Set(fields(stdout).flatMap((file) => chainTo(parentFolder(file as FilePath))))];
    if (this.#folders.size > MOST_REMEMBERED) this.#folders.clear();
    this.#folders.set(key, folders);
    return folders;
  }
}

interface Sides {
  readonly base: CommitId | TreeId;
  readonly ours: CommitId | TreeId;
  readonly theirs: CommitId | TreeId;
}

function commitText(tree: TreeId, parent: string | null): string {
  const nobody = 'Worldtree <worldtree@localhost> 0 +0000';
  return `tree ${tree}\n${parent === null ? '' : `parent ${parent}\n`}author ${nobody}\ncommitter ${nobody}\n\nmerge\n`;
}

/** What git calls a commit of this text, in the repository of this tree: SHA-1, or SHA-256 where names are longer. */
function commitName(text: string, tree: TreeId): string {
  return createHash(tree.length === 40 ? 'sha1' : 'sha256').update(`commit ${Buffer.byteLength(text)}\0${text}`).digest('hex');
}
