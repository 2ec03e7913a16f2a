import type { AbsolutePath, CommitId, EpisodeId, FilePath } from '../../core/ids.ts';
import type { DiskUse } from '../../core/limits/diskBudget.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { Extent } from '../../core/world/extent.ts';

export interface PrepareRequest {
  readonly episode: EpisodeId;
  readonly commit: CommitId;
  /** What of the commit is on disk; the agent is told of the rest by a note. */
  readonly extent: Extent;
  /** Null where nothing is declared. */
  readonly setup: Setup | null;
  readonly signal: AbortSignal;
  /** Words for the person while it goes on: "checking out 9,347 files". */
  readonly progress: (words: string) => void;
  /** Asked before the setup script runs. False skips it, and the agent is told. */
  readonly mayRun: (command: string) => Promise<boolean>;
  /** The second try after `filter-missing`: files come as they are stored, and notes say which. */
  readonly withoutFilters?: boolean;
}

/** What a fresh checkout gets besides the files of its commit: as the top-level episode's base says, whatever is checked out (rule 5). */
export interface Setup {
  /** `.worktreeinclude`: which of the person's ignored files are copied in. */
  readonly include: string | null;
  /** From genesis.toml. */
  readonly script: SetupScript | null;
}

export interface SetupScript {
  readonly run: string;
  readonly timeoutMs: number;
}

export interface PreparedWorktree {
  readonly path: AbsolutePath;
  /**
   * Ignored files copied in by `.worktreeinclude`, and files that setup made. An entry that is a folder (`node_modules`)
   * stands for everything in it.
   */
  readonly brought: readonly FilePath[];
  /** Things the agent should know: setup refused or failed with its output, LFS pointers, uninitialised submodules. */
  readonly notes: readonly string[];
}

export type Adopted =
  | { readonly kind: 'ready' }
  /** Nothing is there any more. */
  | { readonly kind: 'gone' }
  /** Made in another container or on another machine (C13), where it may still be. */
  | { readonly kind: 'out of sight'; readonly refusal: Refusal }
  /** Files are there, but no agent can go on in them. */
  | { readonly kind: 'damaged'; readonly refusal: Refusal };

/** Worktrees of episodes: detached, exactly at a commit, outside the repository, each with a lease. */
export interface Worktrees {
  /** Throws `Refused` and leaves nothing behind where a worktree exactly at the commit cannot be made (rule 1). */
  prepare(request: PrepareRequest): Promise<PreparedWorktree>;
  /** Takes over the worktree that the ledger names for an episode that goes on; none of it is changed. */
  adopt(episode: EpisodeId, worktree: AbsolutePath): Promise<Adopted>;
  /**
   * Makes the worktree's files those of a commit, keeping ignored and brought files. What the commit changed since `base`
   * is on disk afterwards, also outside the extent. None of its commands may be running.
   */
  reset(worktree: AbsolutePath, commit: CommitId, base: CommitId): Promise<void>;
  /**
   * Renames it to the trash and forgets the registration. Links are unlinked, never followed. `worktree` is what the
   * ledger names; null where it was never told. One that another container made is left to that container.
   */
  remove(episode: EpisodeId, worktree: AbsolutePath | null): Promise<void>;
  /** Takes the worktree of a change that waits away. What is in no ref is saved to one first; throws where it cannot be. */
  giveBack(episode: EpisodeId, worktree: AbsolutePath): Promise<void>;
  /** What is on disk now: a walk over all files, for a quiet moment. */
  diskUse(signal: AbortSignal): Promise<DiskUse>;
  /** Gives up the lease and leaves the files: they are the person's from here on. */
  release(episode: EpisodeId): Promise<void>;
  /**
   * At start: removes the worktrees whose lease has expired and whose episode `mayGo` says is over. Files that are
   * not in any ref are saved to one first. Gives the names of what was removed.
   */
  sweep(mayGo: (episode: EpisodeId) => boolean): Promise<readonly EpisodeId[]>;
}
