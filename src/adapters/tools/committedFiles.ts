import type { CommitId, FilePath } from '../../core/ids.ts';

export type CommittedKind = 'file' | 'link' | 'folder';

/** What of an agent's commit is not checked out in its worktree, nor was brought there since. */
export interface CommittedFiles {
  readonly commit: CommitId;
  /** Null where the commit has nothing there, or has it on disk; a folder may be on disk in part. */
  kindOf(path: string): CommittedKind | null;
  /** What lies directly in a folder. */
  namesIn(folder: string): ReadonlyMap<string, CommittedKind>;
  /** Bytes; null where they are not known without fetching the file. */
  sizeOf(path: string): number | null;
  /** As git has it. */
  read(path: string): Promise<Uint8Array>;
  /** As a checkout would write it. */
  asCheckedOut(path: string): Promise<{ readonly bytes: Uint8Array; readonly executable: boolean }>;
  /** To be told once the file is on disk: from then on the disk says what becomes of it. */
  broughtIn(path: FilePath): Promise<void>;
}
