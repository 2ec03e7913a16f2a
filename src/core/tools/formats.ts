import { shortCommit, type CommitId } from '../ids.ts';

/**
 * Reads what file tools answer. Models read those texts as prose; the survey reads them as data, through here. What is
 * not understood is left out: an error in words is an empty listing or no file.
 */

export interface ListedEntry {
  /** Relative to the repository's root, no trailing slash. */
  readonly path: string;
  readonly folder: boolean;
  /** Size of a file; null for a folder, or where the listing does not tell. */
  readonly bytes: number | null;
}

export interface Listing {
  /** In the order of the answer. */
  readonly entries: readonly ListedEntry[];
  /** Folders that are named but were not looked into. */
  readonly closed: readonly string[];
  /** True where the answer ended before the list did. */
  readonly cut: boolean;
}

/** `folder` is the one that was listed: what does not lie below it is no entry. */
export function parseListing(text: string, folder: string): Listing {
  const entries: ListedEntry[] = [];
  const closed: string[] = [];
  let cut = false;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '');
    if (/^(The list was cut|\[.*\s.*\]$)/.test(line)) cut = true;
    else if (!NO_ENTRY.test(line)) {
      const isClosed = line.endsWith('/ …');
      const entry = listedEntry(isClosed ? line.slice(0, -2) : line);
      if (entry === null || (folder !== '' && !entry.path.startsWith(`${folder}/`))) continue;
      entries.push(entry);
      if (isClosed) closed.push(entry.path);
    }
  }
  return { entries, closed, cut };
}

/** Heads and notes of a listing, and what is said instead of one. */
const NO_ENTRY = /^(Below .*:$|Folders that end in … |What is not checked out is as commit |\s*$)| is empty, or everything in it is ignored\.$| cannot be listed: | is a file\. Use read_file\.$/;

/** The note of a listing that names what is not on disk. */
export function committedListing(commit: CommitId): string {
  return `What is not checked out is as commit ${shortCommit(commit)} has it.`;
}

function listedEntry(line: string): ListedEntry | null {
  const sized = /^(.*) \((\d+) bytes\)$/.exec(line);
  const path = (sized?.[1] ?? line).replace(/ \(link\)$/, '');
  if (path === '' || path === '/') return null;
  const folder = path.endsWith('/');
  return { path: folder ? path.slice(0, -1) : path, folder, bytes: sized && !folder ? Number(sized[2]) : null };
}

export interface FileText {
  readonly lines: readonly string[];
  /** Number of the first line, counted from 1. */
  readonly from: number;
  /** Whether lines follow the last one; null where the answer does not tell. */
  readonly more: boolean | null;
}

/** Null where the text holds no numbered line: an error in words, or an empty file. */
export function parseFile(text: string): FileText | null {
  const lines: string[] = [];
  let from: number | null = null;
  let more: boolean | null = null;
  for (const raw of text.split('\n')) {
    const numbered = /^\s*(\d+)\t(.*)$/s.exec(raw.replace(/\r$/, ''));
    if (numbered) {
      from ??= Number(numbered[1]);
      lines.push(numbered[2] ?? '');
    } else if (from === null) {
      const counted = /, lines \d+ to (\d+) of (\d+|many more)\./.exec(raw);
      if (counted) more = counted[2] === 'many more' || Number(counted[1]) < Number(counted[2]);
    }
  }
  return from === null ? null : { lines, from, more };
}

/** Null where the write did not happen; `kept` is false where the file will not be part of the change. */
export function parseWrote(text: string, path: string): { readonly kept: boolean } | null {
  if (!text.startsWith(`${path}: `)) return null;
  const said = text.slice(path.length + 2);
  return /^(made|replaced)\b/.test(said) ? { kept: !/(not|never) (be )?part of your change/.test(said) } : null;
}
