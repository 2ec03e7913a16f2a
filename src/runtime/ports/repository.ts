import type { HistoryCommit } from '../../core/candidate/retention.ts';
import type { ChangedFile } from '../../core/candidate/candidate.ts';
import type { AbsolutePath, BlobId, CommitId, FilePath, FolderPath, RefName, TreeId } from '../../core/ids.ts';

/** Where HEAD is. `unborn`: a repository without a commit. */
export type Head =
  | { readonly kind: 'branch'; readonly ref: RefName; readonly commit: CommitId }
  | { readonly kind: 'detached'; readonly commit: CommitId }
  | { readonly kind: 'unborn'; readonly ref: RefName };

/** What is under way in a checkout; no line is moved while one is. */
export type OperationInProgress = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect';

export interface TreeEntry {
  readonly path: FilePath;
  /** Octal, as git writes it. */
  readonly mode: string;
  readonly blob: BlobId;
  /** Bytes; null for a submodule, and in a partial clone, where asking would fetch the file. */
  readonly size: number | null;
}

/** Reading of one repository. Nothing here writes to the person's checkout, index or config. All may throw `Refused`. */
export interface Repository {
  /** Top of the checkout that was opened. */
  readonly checkout: AbsolutePath;
  /** The git folder that all linked worktrees share. */
  readonly commonDir: AbsolutePath;
  /** The machine's platform as Node names it: which setup script applies. */
  readonly platform: string;

  /** `checkout`: another one of this repository than that which was opened. */
  head(checkout?: AbsolutePath): Promise<Head>;
  /** Uncommitted (staged, changed, untracked and not ignored) files of the person's checkout, and folders in it that are repositories of their own. */
  uncommitted(checkout?: AbsolutePath): Promise<{ readonly files: readonly FilePath[]; readonly nestedRepositories: readonly FolderPath[] }>;
  /** Paths of the submodules at a commit. */
  submodules(commit: CommitId): Promise<readonly FolderPath[]>;
  /** The commit that a ref points to; null where there is none. */
  resolve(ref: string): Promise<CommitId | null>;
  treeOf(commit: CommitId): Promise<TreeId>;
  isAncestor(ancestor: CommitId, of: CommitId): Promise<boolean>;
  /** How many commits `to` has that `from` lacks. */
  commitsBetween(from: CommitId, to: CommitId): Promise<number>;
  /** Whether one of the line's newest 200 commits is a merge. */
  hasMerges(commit: CommitId): Promise<boolean>;

  /** Commits that `tip` has and `commit` lacks, newest first, the newest 500. */
  historySince(commit: CommitId, tip: CommitId): Promise<readonly HistoryCommit[]>;
  /** The first of some commits that changes these paths exactly as `commit` changes them; null where none does. */
  samePatch(commit: CommitId, paths: readonly FilePath[], among: readonly CommitId[]): Promise<CommitId | null>;

  /** Every file under a folder at a commit or tree, in git's order. */
  list(tree: CommitId | TreeId, folder: FolderPath): Promise<readonly TreeEntry[]>;
  /** A file's bytes at a commit or tree; null where it is not there. */
  read(tree: CommitId | TreeId, path: FilePath): Promise<Uint8Array | null>;
  readBlob(blob: BlobId): Promise<Uint8Array>;
  /** Renames found, both sides told, modes, types, binaries and line counts. */
  diff(from: CommitId | TreeId, to: CommitId | TreeId): Promise<readonly ChangedFile[]>;

  /** Sets or removes refs under `refs/worldtree/`, and no others. */
  setRef(ref: RefName, commit: CommitId): Promise<void>;
  deleteRefs(prefix: string): Promise<void>;
  listRefs(prefix: string): Promise<readonly { readonly ref: RefName; readonly commit: CommitId }[]>;
  /** A small tree of texts as a commit under `refs/worldtree/`: the record of an episode. */
  writeRecord(ref: RefName, files: Readonly<Record<string, string>>, message: string): Promise<CommitId>;
}
