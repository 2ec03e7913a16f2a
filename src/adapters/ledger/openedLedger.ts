import type { Refusal } from '../../core/refusal.ts';
import type { Ledger } from '../../runtime/ports/ledger.ts';
import type { OwnerLockTimes } from './ownerLock.ts';

export interface LedgerOptions {
  /** Wall clock of the records, milliseconds since the epoch. */
  readonly now?: () => number;
  /** Milliseconds for which appends are collected. */
  readonly groupingMs?: number;
  /** Milliseconds between looks at the disk where the system tells nothing of changes. */
  readonly pollMs?: number;
  readonly lockTimes?: OwnerLockTimes;
}

export type TakeOver = { readonly kind: 'owner' } | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface OpenedLedger extends Ledger {
  /**
   * Makes this window the owner now rather than with its first append: to go on with what a reload cut off, or by the
   * person's word where the other window does not answer. Refused while the other window answers, and for good after
   * this one was succeeded: then the ledger has to be opened anew. Facts that were missed go to the followers first.
   */
  tryTakeOver(): Promise<TakeOver>;
}
