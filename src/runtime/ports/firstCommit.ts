import type { OfferedFile } from '../../core/firstCommit/firstCommitItems.ts';
import type { CommitId, FilePath, FolderPath, RefName } from '../../core/ids.ts';

export interface FirstCommitOffer {
  /** The branch that has no commit yet. */
  readonly ref: RefName;
  /** What is staged, changed or untracked, and not ignored. */
  readonly files: readonly OfferedFile[];
  /** Folders that are repositories of their own: they cannot be part of this one. */
  readonly nestedRepositories: readonly FolderPath[];
}

export interface FirstCommitRequest {
  readonly files: readonly FilePath[];
  readonly message: string;
  readonly signal: AbortSignal;
}

/** The first commit of the opened checkout's branch, made for the person who asked for it. Throws `Refused`. */
export interface FirstCommit {
  offer(): Promise<FirstCommitOffer>;
  /** Commits exactly these files: what is staged of them, else what is on disk. Other staged files stay staged. */
  make(request: FirstCommitRequest): Promise<CommitId>;
}
