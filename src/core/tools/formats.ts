/**
 * The texts in which file tools answer, each as the function that writes it beside the one that reads it: models read
 * them as prose, the survey reads them as data. Readers take anything and give what they understand of it.
 */

export interface ListedEntry {
  /** Relative to the repository's root, no trailing slash. */
  readonly path: string;
  readonly folder: boolean;
  /** Size of a file; null for a folder or where it is not known. */
  readonly bytes: number | null;
}

export interface Listing {
  readonly entries: readonly ListedEntry[];
  /** The note in brackets that says what was left out; null where the listing is whole. */
  readonly cut: string | null;
}

/** One path a line, folders end in `/`, a file may have its size after it; `cut` is the last line, in brackets. */
export function formatListing({ entries, cut }: Listing): string {
  const lines = entries.map((e) => quotedPath(e.path, e.folder ? '/' : '') + (e.bytes === null || e.folder ? '' : ` (${e.bytes} bytes)`));
  return [...lines, ...(cut === null ? [] : [bracketed(cut)])].join('\n');
}

/** Lines that cannot be a path under `folder` (an error in words, for one) are left out. */
export function parseListing(text: string, folder: string): Listing {
  const entries: ListedEntry[] = [];
  let cut: string | null = null;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '');
    const note = noteIn(line);
    if (note !== null) cut = note;
    else {
      const entry = listedEntry(line);
      if (entry && isUnder(entry.path, folder)) entries.push(entry);
    }
  }
  return { entries, cut };
}

export interface FileText {
  readonly lines: readonly string[];
  /** Number of the first line, counted from 1. */
  readonly from: number;
  /** The note in brackets after the last line; null where the file ends there. */
  readonly cut: string | null;
}

/** `   12<tab>text` for each line; a line in brackets before the first or after the last is a note. */
export function formatFile({ lines, from, cut }: FileText, note: string | null = null): string {
  const numbered = lines.map((line, i) => `${String(from + i).padStart(5)}\t${line}`);
  return [...(note === null ? [] : [bracketed(note)]), ...numbered, ...(cut === null ? [] : [bracketed(cut)])].join('\n');
}

/** Null where the text holds no numbered line: an error in words, or an empty file. */
export function parseFile(text: string): FileText | null {
  const lines: string[] = [];
  let from: number | null = null;
  let cut: string | null = null;
  for (const raw of text.split('\n')) {
    const match = /^\s*(\d+)\t(.*)$/s.exec(raw.replace(/\r$/, ''));
    if (match) {
      from ??= Number(match[1]);
      lines.push(match[2] ?? '');
    } else if (from !== null) cut = noteIn(raw.trimEnd()) ?? cut;
  }
  return from === null ? null : { lines, from, cut };
}

/** The answer to a write. `ignored` names why the file will not be in the change, though it is on disk. */
export function formatWrote(path: string, bytes: number, existed: boolean, ignored: string | null = null): string {
  const wrote = `${existed ? 'Replaced' : 'Wrote'} ${quotedPath(path)} (${bytes} bytes).`;
  return ignored === null ? wrote : `${wrote}\n${bracketed(`ignored: ${ignored}`)}`;
}

/** Null where the write did not happen. `path` is what was written, whose own name says nothing about ignore rules. */
export function parseWrote(text: string, path: string): { readonly ignored: boolean } | null {
  return /^(?:wrote|replaced|created|written|saved)\b/i.test(text) ? { ignored: /\bignore(?:d|s)?\b/i.test(text.replaceAll(path, '')) } : null;
}

/** A name that would not survive as a line of its own is written as a JSON string. */
function quotedPath(path: string, suffix = ''): string {
  const ambiguous = /[\u0000-\u001f\u007f]|^[["]|^\s|\s$| \(\d+ bytes\)$/.test(path);
  return ambiguous ? JSON.stringify(path + suffix) : path + suffix;
}

function listedEntry(line: string): ListedEntry | null {
  const sized = /^(.*?) \((\d+) bytes\)$/.exec(line);
  const name = unquoted(sized?.[1] ?? line);
  if (name === null || name.trim() === '' || name === '/') return null;
  const folder = name.endsWith('/');
  return { path: folder ? name.slice(0, -1) : name, folder, bytes: sized && !folder ? Number(sized[2]) : null };
}

function unquoted(name: string): string | null {
  if (!name.startsWith('"')) return name.replace(/^\.\//, '');
  try {
    const parsed: unknown = JSON.parse(name);
    return typeof parsed === 'string' ? parsed : null;
  } catch {
    return name;
  }
}

function isUnder(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

function bracketed(note: string): string {
  return `[${note}]`;
}

/** A path may begin with a bracket too (`[slug].tsx`); a note is a sentence in brackets. */
function noteIn(line: string): string | null {
  return /^\[[^\]]*\s.*\]$/.exec(line) ? line.slice(1, -1) : null;
}
