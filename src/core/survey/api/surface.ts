import type { FilePath, FolderPath } from '../../ids.ts';
import type { FileTree } from '../fileTree.ts';
import type { Reading } from '../reading.ts';
import type { ApiItem } from './apiItem.ts';

/** What a folder gives to the rest of the world, in one language. */
export interface Surface {
  /** `Package \`vite\`, from \`src/node/index.ts\``: what the items are the surface of, as a line of Markdown. */
  readonly of: string;
  readonly items: readonly ApiItem[];
  /** The file that others import; where its folder has a page of its own, the details stand there. */
  readonly entry: FilePath | null;
  /** For a folder without an entry: its files, each with what it exports. */
  readonly modules: readonly ModuleLine[];
  /** Programs that it installs or builds. */
  readonly programs: readonly { readonly name: string; readonly file: FilePath }[];
  /** Further entries: import path and file. */
  readonly entries: readonly { readonly name: string; readonly file: FilePath }[];
  /** What the entry's own documentation says it is. */
  readonly doc: string | null;
}

export interface ModuleLine {
  readonly file: FilePath;
  /** What it exports, values first, each with what its documentation says. */
  readonly names: readonly { readonly name: string; readonly doc: string | null }[];
  /** What it says of itself. */
  readonly doc: string | null;
}

export interface Place {
  readonly folder: FolderPath;
  readonly tree: FileTree;
  readonly reading: Reading;
}

export const EMPTY_SURFACE: Omit<Surface, 'of'> = { items: [], modules: [], programs: [], entries: [], doc: null, entry: null };

/** Files of a folder that are listed one by one, and names that are told of each. */
const MOST_MODULES = 16;

/** The largest of a folder's files, in alphabetical order. */
export function largest(tree: FileTree, files: readonly FilePath[]): FilePath[] {
  return [...files].sort((a, b) => tree.size(b) - tree.size(a)).slice(0, MOST_MODULES).sort((a, b) => (a < b ? -1 : 1));
}

export function isEmpty(surface: Surface): boolean {
  return surface.items.length === 0 && surface.modules.length === 0 && surface.programs.length === 0 && surface.entries.length === 0;
}

/** Joins a folder and a relative path; null where it leaves the repository. */
export function resolvePath(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}
