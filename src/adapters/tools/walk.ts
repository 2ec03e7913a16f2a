import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { hasGitComponent } from '../../core/paths.ts';
import type { CommittedFiles, CommittedKind } from './committedFiles.ts';
import type { IgnoreRules } from './ignoreRules.ts';
import { isHalfWritten } from './replaceFile.ts';

interface WalkEntry {
  /** Relative to the worktree. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** A folder whose content was not walked: too deep, or too large to be listed whole. */
  readonly closed: boolean;
  /** Not on disk: the commit has it, and it is not checked out. */
  readonly committed: boolean;
}

export interface WalkOptions {
  readonly root: string;
  /** Where to begin, relative to the root. */
  readonly folder: string;
  readonly rules: IgnoreRules;
  /** Files that git has although a rule matches them, and the folders that hold them. */
  readonly tracked: ReadonlySet<string>;
  /** Null where everything is checked out. */
  readonly committed: CommittedFiles | null;
  /** Folders below this many levels are not entered. */
  readonly depth: number;
  readonly signal: AbortSignal;
}

/** A folder with more entries is cut there: its names alone would fill the memory. */
const MAX_ENTRIES = 50_000;

/**
 * Everything below a folder that git would not ignore, folders before what is in them, by name. Links are named and
 * not followed. When the folder itself is ignored, whoever asks for it wants to see it: then no rule applies below.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkEntry> {
  const isIgnored = options.folder !== '' && await options.rules.ignoredBy(options.folder, true) !== null;
  yield* walkFolder(options, options.folder, 1, isIgnored ? 'all' : 'rules');
}

/** What is shown of a folder: what no rule matches, everything, or, in an ignored folder, what git has nevertheless. */
type Showing = 'rules' | 'all' | 'tracked';

async function* walkFolder(options: WalkOptions, folder: string, level: number, showing: Showing): AsyncGenerator<WalkEntry> {
  const { names, cut } = await namesIn(path.join(options.root, folder), options.committed?.namesIn(folder));
  for (const { name, kind, committed } of names) {
    options.signal.throwIfAborted();
    const relative = folder === '' ? name : `${folder}/${name}`;
    if (hasGitComponent(name) || isHalfWritten(name)) continue;
    const isOut = showing === 'tracked' || (showing === 'rules' && await options.rules.ownRule(relative, kind === 'folder') !== null);
    if (isOut && !committed && !options.tracked.has(relative)) continue;
    const enter = kind === 'folder' && level < options.depth;
    yield { path: relative, kind, closed: kind === 'folder' && !enter, committed };
    if (enter) yield* walkFolder(options, relative, level + 1, isOut ? 'tracked' : showing);
  }
  if (cut) yield { path: folder === '' ? '.' : folder, kind: 'folder', closed: true, committed: false };
}

interface Name {
  readonly name: string;
  readonly kind: WalkEntry['kind'];
  readonly committed: boolean;
}

async function namesIn(folder: string, committed: ReadonlyMap<string, CommittedKind> = new Map()): Promise<{ readonly names: readonly Name[]; readonly cut: boolean }> {
  const { names, cut } = await namesOnDisk(folder);
  const onDisk = new Set(committed.size === 0 ? [] : names.map(({ name }) => name));
  const others = [...committed].filter(([name]) => !onDisk.has(name)).map(([name, kind]) => ({ name, kind, committed: true }));
  return { names: [...names, ...others].sort((a, b) => (a.name < b.name ? -1 : 1)), cut };
}

async function namesOnDisk(folder: string): Promise<{ readonly names: readonly Name[]; readonly cut: boolean }> {
  const names: Name[] = [];
  let cut = false;
  let entries;
  try {
    entries = await opendir(folder, { bufferSize: 256 });
  } catch {
    // Not checked out, or gone or unreadable since it was named: as if it were empty.
    return { names, cut };
  }
  for await (const entry of entries) {
    if (names.length >= MAX_ENTRIES) {
      cut = true;
      break;
    }
    names.push({ name: entry.name, kind: entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other', committed: false });
  }
  return { names, cut };
}
