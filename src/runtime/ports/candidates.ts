import type { ChangedFile } from '../../core/candidate/candidate.ts';
import type { AbsolutePath, CommitId, FilePath, RefName, TreeId } from '../../core/ids.ts';

/** The whole worktree as it is, against the base: taken through an index of our own, never the worktree's. */
export interface Snapshot {
  readonly tree: TreeId;
  readonly changed: readonly ChangedFile[];
  /** Untracked files that an ignore rule keeps out, of those that were asked about. */
  readonly ignored: readonly FilePath[];
  /** Folders with a git folder of their own that the base does not have (rule 11). */
  readonly nestedRepositories: readonly string[];
  /**
   * Files in the folders of submodules, and submodules that were checked out here: in no tree, whatever was done to them.
   * Those that setup checked out are not named.
   */
  readonly insideSubmodules: readonly string[];
}

export interface SnapshotRequest {
  readonly worktree: AbsolutePath;
  readonly base: CommitId;
  /** Never part of a snapshot, whatever ignore files say: copied in or made by setup. */
  readonly brought: readonly FilePath[];
  /** Files that the agent wrote with a tool, to tell which of them are ignored. */
  readonly written: readonly FilePath[];
  /** Ignored files that the agent asked to include. */
  readonly forced: readonly FilePath[];
}

export interface CommitRequest {
  readonly tree: TreeId;
  readonly parent: CommitId;
  readonly message: string;
  /** Written in the same step, before anything else may happen to the worktree (rule 4). */
  readonly ref: RefName;
}

/** Making candidates. Commits are the harness's own, unsigned, with an identity that needs no config. */
export interface Candidates {
  snapshot(request: SnapshotRequest): Promise<Snapshot>;
  /** `tree` with only these paths taken from it, everything else as in `base`: how outside changes are left out. */
  pick(base: CommitId | TreeId, tree: TreeId, paths: readonly FilePath[]): Promise<TreeId>;
  commit(request: CommitRequest): Promise<CommitId>;
  /** A tree like `tree` with one file's bytes replaced, added (mode 100644) or removed (null): an edit in the diff. */
  withFile(tree: TreeId, path: FilePath, bytes: Uint8Array | null): Promise<TreeId>;
  /**
   * Three-way merge of `theirs` into `ours` from a base that is given, not searched: the transplant. Works on git
   * 2.38. Conflicts are told by path and nothing is written to any ref.
   */
  merge(base: CommitId | TreeId, ours: CommitId | TreeId, theirs: CommitId | TreeId): Promise<MergeResult>;
  /** The same behind everything that a person waits for. */
  mergeAhead(base: CommitId, ours: CommitId | TreeId, theirs: CommitId, signal: AbortSignal): Promise<MergeResult>;
}

export type MergeResult =
  | { readonly kind: 'clean'; readonly tree: TreeId }
  | { readonly kind: 'conflict'; readonly files: readonly FilePath[] };
