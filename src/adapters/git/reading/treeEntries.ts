import type { BlobId, CommitId, FilePath, TreeId } from '../../../core/ids.ts';
import type { CallOptions, GitCalls } from '../door/door.ts';
import { fields } from '../door/nulList.ts';

export interface Entry {
  readonly mode: string;
  readonly object: BlobId;
}

/** Enough paths for one command line of any system. */
const PATHS_A_CALL = 200;

/** The entries of a tree at given paths; a path that the tree does not have, or has as a folder, is left out. */
export async function entriesAt(git: GitCalls, tree: CommitId | TreeId, paths: readonly FilePath[]): Promise<Map<FilePath, Entry>> {
  const found = new Map<FilePath, Entry>();
  for (let i = 0; i < paths.length; i += PATHS_A_CALL) {
    const { stdout } = await git.run(['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', tree, '--', ...paths.slice(i, i + PATHS_A_CALL)], { write: false });
    for (const line of fields(stdout)) {
      const [meta = '', name = ''] = splitOnce(line, '\t');
      const [mode = '', type = '', object = ''] = meta.split(' ');
      if (type !== 'tree') found.set(name as FilePath, { mode, object: object as BlobId });
    }
  }
  return found;
}

interface IndexEntries {
  /** Merged ones. */
  readonly entries: ReadonlyMap<FilePath, Entry>;
  /** Paths with a conflict in them. */
  readonly unmerged: ReadonlySet<FilePath>;
  /** Paths that a sparse checkout leaves out, or that somebody marked so by hand. */
  readonly skipped: ReadonlySet<FilePath>;
  /** Paths at which git was told not to look. */
  readonly assumed: ReadonlySet<FilePath>;
}

/** What an index has at exactly these paths. */
export async function indexEntriesAt(git: GitCalls, options: CallOptions, paths: readonly FilePath[]): Promise<IndexEntries> {
  const wanted = new Set<string>(paths);
  const entries = new Map<FilePath, Entry>();
  const unmerged = new Set<FilePath>();
  const skipped = new Set<FilePath>();
  const assumed = new Set<FilePath>();
  if (paths.length === 0) return { entries, unmerged, skipped, assumed };
  // Each name is matched against every entry: with many names, reading all entries once is quicker.
  const named = paths.length <= PATHS_A_CALL ? ['--', ...paths] : [];
  const { stdout } = await git.run(['--literal-pathspecs', 'ls-files', '-z', '-v', '--stage', ...named], options);
  for (const line of fields(stdout)) {
    const [meta = '', name = ''] = splitOnce(line, '\t');
    if (!wanted.has(name)) continue;
    const [tag = '', mode = '', object = '', stage = ''] = meta.split(' ');
    if (stage === '0') entries.set(name as FilePath, { mode, object: object as BlobId });
    else unmerged.add(name as FilePath);
    if (tag.toUpperCase() === 'S') skipped.add(name as FilePath);
    if (tag !== tag.toUpperCase()) assumed.add(name as FilePath);
  }
  return { entries, unmerged, skipped, assumed };
}

function splitOnce(text: string, separator: string): [string, string] | [string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
