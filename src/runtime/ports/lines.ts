import type { AbsolutePath, CommitId, FilePath, RefName, TreeId } from '../../core/ids.ts';
import type { PreparedMove } from '../../core/ledger/events.ts';
import type { Refusal } from '../../core/refusal.ts';

export interface AcceptedCommit {
  readonly tree: TreeId;
  /** One parent for a squash, two for a merge. */
  readonly parents: readonly CommitId[];
  readonly message: string;
}

/** Names of the gaps in a move, in order; tests end the process at each. */
export type MoveStep = 'locked' | 'looked' | 'files-updated' | 'ref-updated';

/** Moving a line: what only an accept and its undo may do (rule 3). */
export interface Lines {
  /** Every checkout, of all linked worktrees, in which this ref is what HEAD points to. `HEAD` means the opened checkout, detached. */
  checkoutsOf(ref: RefName | 'HEAD'): Promise<readonly AbsolutePath[]>;
  /** The person's commit: their name, their signature as their config says (with a time-out). Throws `Refused`. */
  commitAsPerson(commit: AcceptedCommit, signal: AbortSignal): Promise<CommitId>;
  /**
   * Steps 3 to 5 of the accept: locks the ref and HEAD, looks at what is on disk, updates files and index of each
   * checkout, commits the ref. Either all of it happened, or nothing did and the refusal says why.
   * A rejected promise is neither: it is not known where things are, and `recover` has to look.
   * `unsaved` gives the absolute paths of files with unsaved changes in the editor, at the moment of the look.
   */
  move(move: PreparedMove, options: { readonly unsaved: () => Promise<readonly AbsolutePath[]>; readonly onStep?: (step: MoveStep) => Promise<void>; readonly signal: AbortSignal }): Promise<{ readonly kind: 'moved' } | { readonly kind: 'refused'; readonly refusal: Refusal }>;
  /**
   * After a crash: reads ref, index and disk at the move's paths, finishes what can be finished, and tells where things
   * are. `old`: nothing of it is left. `new`: all of it holds. Anything else is asked, never guessed.
   */
  recover(move: PreparedMove): Promise<{ readonly kind: 'old' } | { readonly kind: 'new' } | { readonly kind: 'unclear'; readonly words: string; readonly files: readonly FilePath[] }>;
}
