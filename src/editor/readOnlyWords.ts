import type { ReadOnlyReason } from '../runtime/ports/ledger.ts';

/** Why this window's buttons do not work on a repository, in a few words. */
export function readOnlyWords(reason: ReadOnlyReason): string {
  switch (reason.kind) {
    case 'untrusted': return 'in Restricted Mode nothing of a repository runs; what was recorded is shown';
    case 'other-window': return `another window (process ${String(reason.pid)}) runs this repository’s agents; this one only shows them`;
    case 'newer-version': return 'written by a newer Worldtree, so it is only shown; update this one';
    case 'disk': return reason.words;
  }
}
