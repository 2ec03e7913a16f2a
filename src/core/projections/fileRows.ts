import { unreachable } from '../exhaustive.ts';
import { lineTotals, type Candidate, type ChangedFile } from '../candidate/candidate.ts';
import type { FilePath, FolderPath } from '../ids.ts';
import { baseName, isInside, parentFolder, ROOT } from '../paths.ts';

/** Why a file stands where it does in a change. */
export type FilePart = 'inside' | 'companion' | 'outside';

export interface FileRow {
  readonly file: ChangedFile;
  readonly part: FilePart;
  readonly name: string;
  /** Folder below the agent's folder, then what is special about the change. */
  readonly description: string;
}

const SYMLINK_MODE = '120000';
export const SUBMODULE_MODE = '160000';

export function fileRow(file: ChangedFile, part: FilePart, folder: FolderPath): FileRow {
  const parts = [folderWords(file.path, folder), ...changeWords(file), linesWords([file])];
  if (part === 'companion') parts.push('comes along');
  return { file, part, name: baseName(file.path), description: parts.filter((p) => p !== '').join(' · ') };
}

/** What a person must know about a changed file besides its lines: `renamed from a.ts`, `now executable`, `binary`. */
export function changeWords(file: ChangedFile): string[] {
  const words: string[] = [];
  const kind = kindWords(file);
  if (kind !== '') words.push(kind);
  if (isSymlink(file)) words.push('symbolic link');
  else if (file.lines === null && file.kind !== 'submodule' && file.kind !== 'mode') words.push('binary');
  if (file.kind !== 'type' && becomesExecutable(file) !== null) words.push(becomesExecutable(file) === true ? 'now executable' : 'no longer executable');
  return words;
}

/** `+12 −3`; empty where nothing is counted. */
export function linesWords(files: readonly ChangedFile[]): string {
  if (files.every((f) => f.lines === null)) return '';
  const { added, removed } = lineTotals(files);
  return `+${added} −${removed}`;
}

export function isSymlink(file: ChangedFile): boolean {
  return file.newMode === SYMLINK_MODE || (file.newMode === null && file.oldMode === SYMLINK_MODE);
}

/** All files of a candidate that are part of its commit, as rows: inside first, then what comes along. */
export function candidateRows(candidate: Candidate, folder: FolderPath): FileRow[] {
  return [...candidate.inside.map((f) => fileRow(f, 'inside', folder)), ...candidate.companions.map((f) => fileRow(f, 'companion', folder))];
}

function kindWords(file: ChangedFile): string {
  switch (file.kind) {
    case 'added': return 'added';
    case 'deleted': return 'deleted';
    case 'renamed': return `renamed from ${renamedFrom(file)}`;
    case 'copied': return `copied from ${renamedFrom(file)}`;
    case 'type': return 'type changed';
    case 'submodule': return 'submodule';
    case 'modified': case 'mode': return '';
    default: return unreachable(file.kind);
  }
}

/** The old name; with its folder only where that differs. */
function renamedFrom(file: ChangedFile): string {
  if (file.from === null) return 'another file';
  return parentFolder(file.from) === parentFolder(file.path) ? baseName(file.from) : file.from;
}

function folderWords(path: FilePath, folder: FolderPath): string {
  const parent = parentFolder(path);
  if (parent === folder) return '';
  if (folder !== ROOT && isInside(parent, folder)) return parent.slice(folder.length + 1);
  return parent === ROOT ? '/' : parent;
}

function becomesExecutable({ oldMode, newMode }: ChangedFile): boolean | null {
  if (newMode === '100755' && oldMode !== '100755') return true;
  return oldMode === '100755' && newMode === '100644' ? false : null;
}
