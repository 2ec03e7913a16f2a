import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { filePath } from '../../../core/ids.ts';
import type { AbsolutePath, FilePath } from '../../../core/ids.ts';
import { hasGitComponent } from '../../../core/paths.ts';
import { CHECKOUT_TIMEOUT_MS } from '../door/door.ts';
import type { GitDoor } from '../door/door.ts';
import { errorCode } from '../../retry.ts';
import { isBrought } from './worktreeAccess.ts';

interface IncludeRequest {
  /** What `.worktreeinclude` holds. */
  readonly patterns: string;
  readonly worktree: AbsolutePath;
  /** Paths of the commit that are not checked out. */
  readonly leftOut: ReadonlySet<string>;
  readonly progress: (words: string) => void;
  readonly signal?: AbortSignal;
}

interface Included {
  readonly copied: readonly FilePath[];
  /** Why files that were asked for are not there. */
  readonly notes: readonly string[];
}

/**
 * Copies ignored files of the person's checkout that the patterns match into a worktree. Links are copied as links
 * where they stay inside, else left out; nothing is written through a link, over a file of the commit, or below `.git`.
 */
export async function bringIncluded(door: GitDoor, request: IncludeRequest): Promise<Included> {
  const { checkout } = door.place;
  const files = await includedFiles(door, request);
  const sizes = await Promise.all(files.map((file) => lstat(path.join(checkout, file)).then((found) => found.size, () => 0)));
  if (files.length > 0) request.progress(`copying ${count(files.length)} of your ignored files, ${megabytes(sizes.reduce((sum, size) => sum + size, 0))}`);
  const copied: FilePath[] = [];
  const left = new Map<string, FilePath[]>();
  const folders = new Map<string, Promise<boolean>>();
  const pending = [...files];
  const copyNext = async (): Promise<void> => {
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      request.signal?.throwIfAborted();
      const why = hasGitComponent(file) ? 'their path has a .git component' : isBrought(file, request.leftOut) ? 'the commit has a file of that name' : await copyOne(checkout, request.worktree, file, folders);
      if (why === null) copied.push(file);
      else {
        const list = left.get(why) ?? [];
        list.push(file);
        left.set(why, list);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, copyNext));
  return { copied: copied.sort(), notes: [...left].map(([why, list]) => `Not copied in, since ${why}: ${list.slice(0, 10).join(', ')}${list.length > 10 ? ` and ${list.length - 10} more` : ''}.`) };
}

/** Ignored in the checkout *and* matched: two walks by git itself, so that its own rules decide both. */
async function includedFiles(door: GitDoor, request: IncludeRequest): Promise<FilePath[]> {
  const patterns = `${request.worktree}.include`;
  await writeFile(patterns, request.patterns, { mode: 0o600 });
  try {
    const walk = async (exclude: string): Promise<string[]> => {
      const answer = await door.run(['ls-files', '-z', '--others', '--ignored', exclude], { write: false, workTree: door.place.checkout, timeoutMs: CHECKOUT_TIMEOUT_MS, ...(request.signal === undefined ? {} : { signal: request.signal }) });
      return answer.stdout.toString('utf8').split('\0').filter((name) => name !== '');
    };
    const [matched, ignored] = await Promise.all([walk(`--exclude-from=${patterns}`), walk('--exclude-standard')]);
    const isIgnored = new Set(ignored);
    // A trailing slash is a repository of its own: git names it and nothing below.
    return matched.filter((name) => isIgnored.has(name) && !name.endsWith('/')).map((name) => filePath.parse(name));
  } finally {
    await rm(patterns, { force: true });
  }
}

/** Null when it is there; else why not. */
async function copyOne(checkout: AbsolutePath, worktree: AbsolutePath, file: FilePath, folders: Map<string, Promise<boolean>>): Promise<string | null> {
  const from = path.join(checkout, file);
  const to = path.join(worktree, file);
  if (!(await realFolder(worktree, path.posix.dirname(file), folders))) return 'the commit has a link or a file where their folder would be';
  const found = await lstat(from).catch(() => null);
  if (found === null) return 'they vanished meanwhile';
  try {
    if (found.isSymbolicLink()) {
      const target = await readlink(from);
      if (!staysInside(file, target)) return 'they are links that leave the checkout';
      await symlink(target, to);
    } else if (found.isFile()) {
      await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      // Build tools compare times.
      await utimes(to, found.atime, found.mtime);
    } else {
      return 'they are neither files nor links';
    }
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return 'the commit has a file of that name';
    if (code === 'EACCES' || code === 'EPERM') return 'they may not be read';
    throw error;
  }
}

/** Makes a folder of the worktree, one component at a time: false where a link or file of the commit stands in the way. */
function realFolder(worktree: AbsolutePath, folder: string, known: Map<string, Promise<boolean>>): Promise<boolean> {
  if (folder === '.') return Promise.resolve(true);
  const made = known.get(folder) ?? makeRealFolder(worktree, folder, known);
  known.set(folder, made);
  return made;
}

async function makeRealFolder(worktree: AbsolutePath, folder: string, known: Map<string, Promise<boolean>>): Promise<boolean> {
  if (!(await realFolder(worktree, path.posix.dirname(folder), known))) return false;
  const at = path.join(worktree, folder);
  await mkdir(at).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  return (await lstat(at)).isDirectory();
}

/** By its text alone, as it will resolve in the worktree: an absolute target names the person's own checkout. */
function staysInside(file: FilePath, target: string): boolean {
  if (path.isAbsolute(target)) return false;
  const resolved = path.posix.normalize(path.posix.join(path.posix.dirname(file), target.replaceAll('\\', '/')));
  return resolved !== '..' && !resolved.startsWith('../');
}

function count(files: number): string {
  return files.toLocaleString('en-US');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
}
