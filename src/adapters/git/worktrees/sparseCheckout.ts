import { lstat, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { commitId, filePath, shortCommit } from '../../../core/ids.ts';
import type { AbsolutePath, CommitId, FilePath, FolderPath } from '../../../core/ids.ts';
import { isInside, parentFolder, ROOT } from '../../../core/paths.ts';
import { foldersExtent, isCheckedOut, RULES_OF_GIT } from '../../../core/world/extent.ts';
import type { Extent } from '../../../core/world/extent.ts';

/** What is remembered of a worktree that has not all of its commit on disk. */
export const sparseCheckout = z.object({
  extent: foldersExtent,
  /** What its files are of: in the object store is what is not on disk. */
  commit: commitId,
  /** Files outside of the extent that were put on disk since, or that were taken away on purpose. */
  opened: z.array(filePath).readonly(),
});
export type SparseCheckout = z.infer<typeof sparseCheckout>;

/**
 * For every call on such a worktree. With the third, git would believe that what its index marks as left out is not on
 * disk, whatever is there.
 */
export const SPARSE_CONFIG: readonly string[] = ['core.sparseCheckout=true', 'core.sparseCheckoutCone=false', 'sparse.expectFilesOutsideOfPatterns=false'];

/** Null where everything is checked out. */
export function sparseCheckoutOf(of: Extent, commit: CommitId): SparseCheckout | null {
  return of.kind === 'everything' ? null : { extent: of, commit, opened: [] };
}

export interface CommitEntry {
  readonly mode: string;
  readonly path: FilePath;
}

/** Tells entries of the commit that are not checked out: that they are not on disk says nothing. */
export function leftOutBy({ extent: of, opened }: Pick<SparseCheckout, 'extent' | 'opened'>): (entry: CommitEntry) => boolean {
  const isOpened = new Set<string>(opened);
  return ({ path: at, mode }) => !isCheckedOut(of, at, mode === '160000' ? 'submodule' : 'file') && !isOpened.has(at);
}

/** Told to the agent. `entries` are all of the commit. */
export function sparseNotes({ extent: { whole, above }, commit }: SparseCheckout, entries: readonly CommitEntry[]): string[] {
  const is = (folder: FolderPath): boolean => entries.some((entry) => isInside(entry.path, folder));
  const [there, missing] = [whole.filter(is), whole.filter((folder) => !is(folder))];
  const own = above.map((folder) => (folder === ROOT ? 'the root' : folder)).join(', ');
  const onDisk = whole.length === 0
    ? `No folder is checked out, only the files directly in ${own}.`
    : `Only these folders are checked out: ${there.join(', ')}; besides them the files directly in ${own}.`;
  const commands = whole.length === 0 ? '' : ' Commands see only what is on disk; edit_file and write_file bring a file there, also one that is to be moved or removed.';
  return [
    `${onDisk} read_file, list_files and search see the whole repository all the same: what is not checked out as it is at commit ${shortCommit(commit)}.${commands}`,
    ...(missing.length === 0 ? [] : [`genesis.toml says that a worktree needs ${missing.join(', ')}, which commit ${shortCommit(commit)} does not have.`]),
  ];
}

/** Where git looks for a linked worktree's own patterns. */
export function patternsFile(gitDir: AbsolutePath): string {
  return path.join(gitDir, 'info', 'sparse-checkout');
}

/**
 * What `read-tree` shall put on disk of a commit with these entries; false where a name cannot be said in patterns. Written
 * before each use, since it lies where an agent's commands can write. Files are named one by one: with a pattern for all
 * that is not in a folder git would look on the disk for each file of the commit (five times the time).
 */
export async function writePatterns(gitDir: AbsolutePath, sparse: SparseCheckout, entries: readonly CommitEntry[]): Promise<boolean> {
  const above = new Set<string>(sparse.extent.above);
  const paths = new Set<string>(entries.map((entry) => entry.path));
  // What is no folder to git (a submodule) is said by its own name.
  const names = [...sparse.extent.whole.map((folder) => paths.has(folder) ? folder : `${folder}/`), ...entries.filter((entry) => above.has(parentFolder(entry.path)) && entry.mode !== '160000').map((entry) => entry.path)];
  const said = names.filter((name) => !/\n|\r$/.test(name));
  await mkdir(path.dirname(patternsFile(gitDir)), { recursive: true });
  await writeFile(patternsFile(gitDir), [...said.map(pattern), ...RULES_OF_GIT].map((line) => `${line}\n`).join(''));
  return said.length === names.length;
}

/** In gitignore syntax, of a file or, with a slash at its end, of what lies in a folder. */
function pattern(name: string): string {
  const literal = `/${name.replace(/[\\*?[\]]/g, '\\$&').replace(/ +$/, (spaces) => '\\ '.repeat(spaces.length))}`;
  return name.endsWith('/') ? `${literal}*` : literal;
}

/** Looks at paths of one worktree, each folder of them once. */
export class Absence {
  readonly #worktree: AbsolutePath;
  readonly #folders = new Map<string, Promise<'folder' | 'absent' | 'other'>>();

  constructor(worktree: AbsolutePath) {
    this.#worktree = worktree;
  }

  /** True where nothing is at the path, and nothing stands where a folder above it would be. */
  async isAbsent(file: string): Promise<boolean> {
    const above = await this.#folder(path.posix.dirname(file));
    return above === 'absent' || (above === 'folder' && (await lookAt(path.join(this.#worktree, file))) === 'absent');
  }

  #folder(folder: string): Promise<'folder' | 'absent' | 'other'> {
    if (folder === '.') return Promise.resolve('folder');
    const known = this.#folders.get(folder) ?? this.#folder(path.posix.dirname(folder)).then((above) => (above === 'folder' ? lookAt(path.join(this.#worktree, folder)) : above));
    this.#folders.set(folder, known);
    return known;
  }
}

async function lookAt(absolute: string): Promise<'folder' | 'absent' | 'other'> {
  const found = await lstat(absolute).catch(() => null);
  return found === null ? 'absent' : found.isDirectory() ? 'folder' : 'other';
}
