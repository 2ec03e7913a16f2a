import { Listeners } from '../../core/listeners.ts';
import { Refused } from '../../core/refusal.ts';
import type { ReadOnlyReason } from '../../runtime/ports/ledger.ts';
import { diskRefusal } from './diskRefusal.ts';
import { historyChanged } from './ledgerRefusals.ts';
import type { OwnerLock } from './ownerLock.ts';

/** Where a window stands with the ledger's files. */
interface WindowStanding {
  readonly newer: number | null;
  readonly diverged: boolean;
  readonly owner: boolean;
  readonly broken: Refused | null;
  readonly lost: boolean;
}

/** What this window may do with the ledger: write, or only read, and why. */
export class WindowAccess {
  readonly #lock: OwnerLock;
  readonly #root: string;
  readonly #listeners = new Listeners<void>();
  #reason: ReadOnlyReason | null = null;

  constructor(lock: OwnerLock, root: string) {
    this.#lock = lock;
    this.#root = root;
  }

  get reason(): ReadOnlyReason | null {
    return this.#reason;
  }

  onChange(listener: () => void): { dispose(): void } {
    return this.#listeners.add(listener);
  }

  async refresh(standing: WindowStanding): Promise<void> {
    const before = JSON.stringify(this.#reason);
    this.#reason = await this.#look(standing);
    // Not within the caller's turn: what a listener does or throws is no part of it.
    if (JSON.stringify(this.#reason) !== before) queueMicrotask(() => { this.#listeners.tell(); });
  }

  async #look({ newer, diverged, owner, broken, lost }: WindowStanding): Promise<ReadOnlyReason | null> {
    if (newer !== null) return { kind: 'newer-version', version: newer };
    if (diverged) return { kind: 'disk', words: historyChanged().message };
    if (owner) return broken ? { kind: 'disk', words: broken.message } : null;
    const state = await this.#lock.look().catch((error: unknown) => diskRefusal("This repository's history", this.#root, error));
    if (state instanceof Refused) return { kind: 'disk', words: state.message };
    if (state.kind === 'held') return { kind: 'other-window', pid: state.pid, answering: state.answering };
    return lost ? { kind: 'other-window', pid: 0, answering: false } : null;
  }
}
