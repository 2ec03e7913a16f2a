import type { FilePath, FolderPath } from './ids.ts';

export const ROOT = '' as FolderPath;

/** Whether a file or folder lies in `folder`; a folder lies in itself, and everything lies in the root. */
export function isInside(path: FilePath | FolderPath, folder: FolderPath): boolean {
  return folder === ROOT || path === folder || path.startsWith(`${folder}/`);
}

/** The folder that holds a file or folder; the root holds itself. */
export function parentFolder(path: FilePath | FolderPath): FolderPath {
  const end = path.lastIndexOf('/');
  return (end < 0 ? '' : path.slice(0, end)) as FolderPath;
}

/** The folder directly below `folder` that holds a file; null where it lies in `folder` itself, or outside. */
export function childOf(folder: FolderPath, file: FilePath): FolderPath | null {
  if (!isInside(file, folder)) return null;
  const below = folder === ROOT ? file : file.slice(folder.length + 1);
  const end = below.indexOf('/');
  return end < 0 ? null : fileIn(folder, below.slice(0, end)) as string as FolderPath;
}

/** Last component; for the root the empty string. */
export function baseName(path: FilePath | FolderPath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A file of `folder`. */
export function fileIn(folder: FolderPath, name: string): FilePath {
  return (folder === ROOT ? name : `${folder}/${name}`) as FilePath;
}

/** The folders from the root down to `folder`, both included: the order in which context files are read. */
export function chainTo(folder: FolderPath): FolderPath[] {
  const chain = [ROOT];
  const parts = folder === ROOT ? [] : folder.split('/');
  for (let i = 1; i <= parts.length; i++) chain.push(parts.slice(0, i).join('/') as FolderPath);
  return chain;
}

/**
 * Rule 11: no tool writes a path with a `.git` component. Case and the forms that NTFS and HFS+ fold to it count,
 * as git's own `core.protectNTFS` and `core.protectHFS` do.
 */
export function hasGitComponent(path: string): boolean {
  return path.split(/[/\\]/).some((part) => {
    const folded = part.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').replace(/:.*$/, '').replace(/[ .]+$/, '').toLowerCase();
    return folded === '.git' || folded === 'git~1';
  });
}

/** How a folder is shown to people and models: the root has a name too. */
export function displayFolder(folder: FolderPath): string {
  return folder === ROOT ? '/' : folder;
}
