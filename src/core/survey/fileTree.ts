import type { FilePath, FolderPath } from '../ids.ts';
import { baseName, isInside, parentFolder, ROOT } from '../paths.ts';
import type { ListedEntry } from '../tools/formats.ts';

/** The files and folders of a repository as far as they were listed. */
export class FileTree {
  readonly #files = new Map<FilePath, number | null>();
  readonly #children = new Map<FolderPath, { readonly files: Set<FilePath>; readonly folders: Set<FolderPath> }>();
  readonly #whole = new Set<FolderPath>();

  add(entries: readonly ListedEntry[]): void {
    for (const entry of entries) {
      if (entry.folder) this.#addFolder(entry.path as FolderPath);
      else {
        const path = entry.path as FilePath;
        this.#files.set(path, entry.bytes ?? this.#files.get(path) ?? null);
        this.#addFolder(parentFolder(path));
        this.#of(parentFolder(path)).files.add(path);
      }
    }
  }

  /** Everything that lies directly in the folder has been added. */
  markWhole(folder: FolderPath): void {
    this.#addFolder(folder);
    this.#whole.add(folder);
  }

  isWhole(folder: FolderPath): boolean {
    return this.#whole.has(folder);
  }

  has(path: FilePath): boolean {
    return this.#files.has(path);
  }

  hasFolder(path: FolderPath): boolean {
    return this.#children.has(path);
  }

  /** Bytes; a middling guess where the listing did not say. */
  size(path: FilePath): number {
    return this.#files.get(path) ?? 3000;
  }

  /** Files directly in the folder, in alphabetical order. */
  filesIn(folder: FolderPath): FilePath[] {
    return [...(this.#children.get(folder)?.files ?? [])].sort(compare);
  }

  /** Folders directly in the folder, in alphabetical order. */
  foldersIn(folder: FolderPath): FolderPath[] {
    return [...(this.#children.get(folder)?.folders ?? [])].sort(compare);
  }

  /** The file of the folder whose name is one of these, in their order of preference, whatever its case. */
  named(folder: FolderPath, ...names: readonly string[]): FilePath | null {
    const files = this.filesIn(folder);
    for (const name of names) {
      const found = files.find((f) => baseName(f) === name) ?? files.find((f) => baseName(f).toLowerCase() === name.toLowerCase());
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Every known folder below this one, itself left out. */
  foldersBelow(folder: FolderPath): FolderPath[] {
    return [...this.#children.keys()].filter((f) => f !== folder && isInside(f, folder)).sort(compare);
  }

  #of(folder: FolderPath) {
    let children = this.#children.get(folder);
    if (!children) this.#children.set(folder, (children = { files: new Set(), folders: new Set() }));
    return children;
  }

  #addFolder(folder: FolderPath): void {
    this.#of(folder);
    if (folder === ROOT) return;
    const parent = parentFolder(folder);
    this.#addFolder(parent);
    this.#of(parent).folders.add(folder);
  }
}

/** By code units: the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
