import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { filePath, folderPath, type AbsolutePath, type FilePath, type FolderPath } from '../../core/ids.ts';
import { displayFolder, hasGitComponent, isInside } from '../../core/paths.ts';
import type { CommittedFiles } from './committedFiles.ts';

/** The folders that paths of a model are about. */
interface Bounds {
  readonly worktree: AbsolutePath;
  readonly checkout: AbsolutePath;
  readonly folder: FolderPath;
  /** Null where everything is checked out. */
  readonly committed: CommittedFiles | null;
}

/** A place in the worktree that a tool may use. Links are followed in both forms. */
export interface Place {
  /** Relative to the repository's root; the root is empty. */
  readonly path: FilePath | FolderPath;
  /** Of this machine, real: no component of it was a link when it was looked at. */
  readonly absolute: string;
}

type PlaceResult =
  | { readonly ok: true; readonly place: Place }
  /** Words for the model. */
  | { readonly ok: false; readonly words: string };

/** Anywhere in the worktree, and nowhere else; the place need not exist. */
export async function placeToRead(argument: string, bounds: Bounds): Promise<PlaceResult> {
  const relative = await relativePath(argument, bounds);
  if (typeof relative !== 'string') return relative;
  return realPlace(argument, relative, bounds);
}

/**
 * A file below the delegated folder, or with `outside` anywhere in the worktree: also after every link in its path,
 * dangling ones included, was followed. Nobody leaves the folder by mistake, or through a link.
 */
export async function placeToWrite(argument: string, bounds: Bounds, outside: boolean): Promise<PlaceResult> {
  const relative = await relativePath(argument, bounds);
  if (typeof relative !== 'string') return relative;
  if (relative === '') return refused(`"${argument}" is the repository's root folder. Name a file.`);
  if (argument.endsWith('/')) return refused(`"${argument}" names a folder. Name a file.`);
  const leaves = !isInside(folderPath.parse(relative), bounds.folder);
  if (leaves && !outside) return refused(`${isOutside(relative, bounds.folder)}, so nothing was written. If the goal cannot be reached without it, call again with outside true: the person is then asked to allow it.`);
  const real = await realPlace(argument, relative, bounds);
  if (!real.ok || real.place.path === relative || (!leaves && isInside(real.place.path, bounds.folder))) return real;
  return refused(`"${argument}" leads through a link to ${real.place.path}. ${isOutside(real.place.path, bounds.folder)}, so nothing was written.`);
}

/** What to know after a file outside the folder was written; empty for one inside. */
export function outsideNote(relative: string, folder: FolderPath): string {
  return isInside(folderPath.parse(relative), folder) ? '' : ` ${isOutside(relative, folder)}: commands see it, but it becomes part of your change only if the person allows it. Finish with include_outside true and say why, or undo it.`;
}

function isOutside(relative: string, folder: FolderPath): string {
  return `${relative} is outside your folder ${displayFolder(folder)}`;
}

/** The argument relative to the repository's root, as the words in it say; links are not looked at yet. */
async function relativePath(argument: string, bounds: Bounds): Promise<string | Extract<PlaceResult, { ok: false }>> {
  const given = process.platform === 'win32' ? argument.replaceAll('\\', '/') : argument;
  if (given.includes('\0')) return refused('A path cannot hold a NUL character.');
  if (given === '~' || given.startsWith('~/')) return refused(`"${argument}" is in the home folder, outside the repository. Give a path relative to the repository's root.`);
  const inner = path.isAbsolute(given) ? await mapped(given, bounds) : given;
  if (inner === null) return refused(`"${argument}" is outside the repository. Nothing there can be read or written. Give a path relative to the repository's root, like "${bounds.folder === '' ? 'README.md' : `${bounds.folder}/…`}".`);
  const normal = path.posix.normalize(inner === '' ? '.' : inner).replace(/\/+$/, '');
  if (normal === '.') return '';
  if (normal === '..' || normal.startsWith('../')) return refused(`"${argument}" leads out of the repository. Give a path relative to the repository's root.`);
  if (hasGitComponent(normal)) return refused(`"${argument}" belongs to git, which the tools leave alone.`);
  return normal;
}

/** An absolute path of the worktree, or of the person's checkout, relative to it; null for any other. */
async function mapped(absolute: string, bounds: Bounds): Promise<string | null> {
  for (const root of [bounds.worktree, await realOr(bounds.worktree), bounds.checkout, await realOr(bounds.checkout)]) {
    const relative = path.relative(root, path.normalize(absolute));
    if (relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative))) return relative.split(path.sep).join('/');
  }
  return null;
}

async function realOr(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}

async function realPlace(argument: string, relative: string, bounds: Bounds): Promise<PlaceResult> {
  const root = await realpath(bounds.worktree);
  const absolute = await followLinks(root, relative, bounds.committed);
  if (absolute === null) return refused(`"${argument}" leads through links without end.`);
  const inside = path.relative(root, absolute).split(path.sep).join('/');
  if (inside === '..' || inside.startsWith('../') || path.isAbsolute(inside)) return refused(`"${argument}" leads through a link out of the worktree. Nothing there can be read or written.`);
  if (inside !== '' && hasGitComponent(inside)) return refused(`"${argument}" leads through a link to git's own files, which the tools leave alone.`);
  return { ok: true, place: { path: inside === '' ? folderPath.parse('') : filePath.parse(inside), absolute } };
}

/**
 * Where a path really leads, whether or not its end exists: `realpath` fails on a dangling link, and a write through
 * one would make the file that it points to. Null where links go in circles.
 */
async function followLinks(root: string, relative: string, committed: CommittedFiles | null): Promise<string | null> {
  let current = root;
  const pending = relative.split('/');
  for (let links = 0; pending.length > 0;) {
    const part = pending.shift();
    if (part === undefined || part === '' || part === '.') continue;
    if (part === '..') {
      current = path.dirname(current);
      continue;
    }
    const next = path.join(current, part);
    const target = await linkTarget(next) ?? (committed === null ? null : await committedTarget(root, next, committed));
    if (target === null) {
      current = next;
      continue;
    }
    if (++links > 40) return null;
    if (path.isAbsolute(target)) current = path.parse(target).root;
    pending.unshift(...target.slice(path.isAbsolute(target) ? current.length : 0).split(path.sep));
  }
  return current;
}

async function linkTarget(file: string): Promise<string | null> {
  try {
    return (await lstat(file)).isSymbolicLink() ? await readlink(file) : null;
  } catch {
    // Not there, or a file where a folder should be: whoever opens it says so.
    return null;
  }
}

/** Where a link leads that is not checked out. */
async function committedTarget(root: string, file: string, committed: CommittedFiles): Promise<string | null> {
  const relative = path.relative(root, file).split(path.sep).join('/');
  if (committed.kindOf(relative) !== 'link' || await isThere(file)) return null;
  return new TextDecoder().decode(await committed.read(relative));
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(() => true, () => false);
}

function refused(words: string): Extract<PlaceResult, { ok: false }> {
  return { ok: false, words };
}
