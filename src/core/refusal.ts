/**
 * Why something that was asked for does not happen (rule 12): `reason` is for code, `message` says what happened
 * and `next` what the reader can do about it. One place in the editor turns it into words for the person.
 */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly message: string;
  readonly next: string;
  /** Files that stand in the way, repository-relative, where there are any. */
  readonly files?: readonly string[];
}

export type RefusalReason =
  | 'git-missing' | 'git-too-old' | 'no-repository' | 'no-commit' | 'untrusted' | 'dubious-ownership'
  | 'folder-missing' | 'inside-submodule' | 'filter-missing' | 'worktree-differs' | 'worktree-failed' | 'worktree-gone' | 'name-unreadable'
  | 'not-owner' | 'ledger-newer' | 'ledger-unreadable' | 'disk-failed'
  | 'no-model' | 'limit-reached' | 'stopped'
  | 'episode-unknown' | 'wrong-state' | 'candidate-superseded'
  | 'operation-in-progress' | 'branch-moved' | 'branch-missing' | 'checkout-unreachable' | 'dirty-files' | 'untracked-files' | 'unsaved-files'
  | 'conflict' | 'check-failed' | 'fails-together' | 'check-missing' | 'hook-failed' | 'hook-changed-tree' | 'no-identity' | 'signing-failed' | 'already-accepted' | 'nothing-to-accept'
  | 'no-remote' | 'not-authorised' | 'remote-unreachable' | 'push-refused'
  | 'outside-scope' | 'config-broken' | 'git-failed' | 'cancelled';

/** A refusal on its way up through code that returns something else. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.message, options);
    this.name = 'Refused';
    this.refusal = refusal;
  }
}
