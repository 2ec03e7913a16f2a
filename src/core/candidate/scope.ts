import picomatch from 'picomatch';
import type { FilePath, FolderPath } from '../ids.ts';
import { isInside } from '../paths.ts';
import type { ChangedFile } from './candidate.ts';
import { isLockOf, isManifest, type ScopeRule } from './companions.ts';

interface ScopeInput {
  readonly changed: readonly ChangedFile[];
  /** The world's folder. */
  readonly folder: FolderPath;
  /** Files under the folder at the base; only the manifests among them matter (`isManifest`), the rest may be left out. */
  readonly filesInside: readonly FilePath[];
  /** `[[scope]]` at the top-level episode's base: never from the candidate's own genesis.toml. */
  readonly rules: readonly ScopeRule[];
}

interface ScopeSplit {
  readonly inside: readonly ChangedFile[];
  readonly companions: readonly ChangedFile[];
  readonly outside: readonly ChangedFile[];
}

/**
 * Judges the final difference of the whole worktree (rule 6). Every entry lands in exactly one of the three lists. A
 * rename counts by both of its sides and stays one entry: with one side outside, all of it is outside, since taking half
 * of it would lose or double the file.
 */
export function splitScope({ changed, folder, filesInside, rules }: ScopeInput): ScopeSplit {
  const manifests = [...filesInside, ...changed.map((f) => f.path)].filter((path) => isManifest(path) && isInside(path, folder));
  const allowed = rules.filter((rule) => isInside(folder, rule.path)).flatMap((rule) => rule.also);
  const isAllowed = globMatcher(allowed);
  const split = { inside: [] as ChangedFile[], companions: [] as ChangedFile[], outside: [] as ChangedFile[] };
  for (const file of changed) {
    const sides = sidesOf(file);
    if (sides.every((side) => isInside(side, folder))) split.inside.push(file);
    else if (isCompanionLock(file, manifests) || sides.every((side) => isInside(side, folder) || isAllowed(side))) split.companions.push(file);
    else split.outside.push(file);
  }
  return split;
}

/** The paths whose content an entry changes: both of a rename, one of anything else. The source of a copy stays as it was. */
export function sidesOf(file: ChangedFile): readonly FilePath[] {
  return file.kind === 'renamed' && file.from !== null ? [file.from, file.path] : [file.path];
}

/** Every path whose content a list of entries changes, each once. */
export function changedPaths(files: readonly ChangedFile[]): readonly FilePath[] {
  return [...new Set(files.flatMap(sidesOf))];
}

/** Matches a path against globs relative to the repository's root; one that names a folder covers what is in it. */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => {
    const plain = glob.replace(/^\.?\//, '').replace(/\/+$/, '');
    return picomatch(plain === '' || plain === '.' ? '**' : [plain, `${plain}/**`], { dot: true });
  });
  return (path) => matchers.some((matches) => matches(path));
}

/** A lock file that was removed, or became a link, is no ordinary companion: a person looks at it. */
function isCompanionLock(file: ChangedFile, manifests: readonly FilePath[]): boolean {
  const ordinary = (file.kind === 'added' || file.kind === 'modified') && (file.newMode === '100644' || file.newMode === '100755');
  return ordinary && isLockOf(file.path, manifests);
}
