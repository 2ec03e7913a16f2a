import type { FilePath, FolderPath } from '../ids.ts';
import { isInside } from '../paths.ts';
import type { CandidateFlag, ChangedFile } from './candidate.ts';

const SYMLINK = '120000';
const SUBMODULE = '160000';

interface FlagInput {
  /** The files of the candidate, inside and companions, and what is outside where that is to be shown too. */
  readonly changed: readonly ChangedFile[];
  readonly folder: FolderPath;
  /** What symlinks of the candidate's tree point to, by path: content of their blobs. A changed link that is missing here is flagged. */
  readonly linkTargets: ReadonlyMap<FilePath, string>;
  /** Folders with a git folder of their own, as the snapshot found them. */
  readonly nestedRepositories: readonly string[];
  /** What lies in the folders of submodules, as the snapshot found it. */
  readonly insideSubmodules: readonly string[];
  /** From `touchesChecks`. */
  readonly touchesChecks: readonly FilePath[];
}

/** Why a candidate waits for a person whatever else holds; empty where it does not. */
export function candidateFlags(input: FlagInput): CandidateFlag[] {
  const flags: CandidateFlag[] = [];
  if (input.touchesChecks.length > 0) flags.push({ kind: 'touches-checks', files: [...input.touchesChecks] });
  const nested = new Set([...input.nestedRepositories, ...input.changed.filter((f) => f.newMode === SUBMODULE && f.oldMode !== SUBMODULE).map((f) => f.path)]);
  if (nested.size > 0) flags.push({ kind: 'nested-repository', files: [...nested] });
  if (input.insideSubmodules.length > 0) flags.push({ kind: 'inside-submodule', files: [...input.insideSubmodules] });
  const links = linksThatLeave(input.changed, input.folder, input.linkTargets);
  if (links.length > 0) flags.push({ kind: 'symlink-leaves-scope', files: links });
  return flags;
}

/** The changed entries whose blobs have to be read before `candidateFlags`. */
export function changedLinks(changed: readonly ChangedFile[]): readonly ChangedFile[] {
  return changed.filter((f) => f.newMode === SYMLINK);
}

/** New or changed symlinks that point out of the folder, directly or through other links of the tree. */
export function linksThatLeave(changed: readonly ChangedFile[], folder: FolderPath, targets: ReadonlyMap<FilePath, string>): FilePath[] {
  return changedLinks(changed).filter((f) => !staysInside(f.path, folder, targets)).map((f) => f.path);
}

/** Links may point at each other in a ring; an operating system gives up after as many. */
const MOST_LINKS = 40;

/**
 * Follows a link component by component, as the operating system does: `dir/..` is not where it seems to be when `dir`
 * is a link. What is not known (a link without a target, a ring, a way above the root) does not stay inside.
 */
function staysInside(link: FilePath, folder: FolderPath, targets: ReadonlyMap<FilePath, string>): boolean {
  if (!targets.has(link)) return false;
  const done: string[] = [];
  const todo = link.split('/');
  for (let followed = 0; followed <= MOST_LINKS;) {
    const part = todo.shift();
    if (part === undefined) return isInside(done.join('/') as FilePath, folder);
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (done.pop() === undefined) return false;
      continue;
    }
    done.push(part);
    const target = targets.get(done.join('/') as FilePath);
    if (target === undefined) continue;
    const next = relativeParts(target);
    if (next === null) return false;
    done.pop();
    todo.unshift(...next);
    followed++;
  }
  return false;
}

/** Null for an absolute path. Back slashes count: on Windows they separate. */
function relativeParts(target: string): string[] | null {
  const text = target.replaceAll('\\', '/');
  return text === '' || text.startsWith('/') || /^[a-z]:/i.test(text) || text.includes('\0') ? null : text.split('/');
}
