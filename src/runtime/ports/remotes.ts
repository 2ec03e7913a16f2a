import type { CommitId, RefName } from '../../core/ids.ts';

export interface Remote {
  readonly name: string;
  /** Where it is, without what may be a password in it. */
  readonly address: string;
}

export interface RemoteRef {
  readonly ref: RefName;
  readonly commit: CommitId;
}

/** What a set of refs would bring to a remote. */
export interface Extent {
  readonly commits: number;
  /** As they lie in this repository, in bytes. */
  readonly bytes: number;
}

interface TransferOptions {
  readonly signal: AbortSignal;
  readonly progress: (words: string) => void;
}

/** The repository's remotes, for refs under `refs/worldtree/episodes/` and no others. No call asks the person for anything. All may throw `Refused`. */
export interface Remotes {
  list(): Promise<readonly Remote[]>;
  /** Every ref that the remote shows. */
  refsOf(remote: string, signal: AbortSignal): Promise<readonly RemoteRef[]>;
  /** What these commits hold that none of the others reaches; of the others those count that are here. */
  extent(commits: readonly CommitId[], without: readonly CommitId[]): Promise<Extent>;
  /** Sends refs under their own names, never by force; gives those that were refused, with git's words. Throws where nothing was sent at all. */
  push(remote: string, refs: readonly RefName[], options: TransferOptions): Promise<readonly { readonly ref: RefName; readonly words: string }[]>;
  /**
   * Brings refs here under their own names. `old` is what stands here: null for one that is not here; another may only
   * move forward. Gives those that did not, with why.
   */
  fetch(remote: string, refs: readonly (RemoteRef & { readonly old: CommitId | null })[], options: TransferOptions): Promise<readonly { readonly ref: RefName; readonly words: string }[]>;
}
