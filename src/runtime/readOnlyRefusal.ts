import { unreachable } from '../core/exhaustive.ts';
import type { Refusal } from '../core/refusal.ts';
import type { ReadOnlyReason } from './ports/ledger.ts';

/** Why a verb is refused where this window may only look. */
export function readOnlyRefusal(reason: ReadOnlyReason): Refusal {
  switch (reason.kind) {
    case 'untrusted': return { reason: 'untrusted', message: 'This workspace is not trusted, so nothing of it may run or be acted on.', next: 'Trust the workspace, then try again.' };
    case 'other-window': return { reason: 'not-owner', message: `Another window (process ${reason.pid}) runs the agents of this repository${reason.answering ? '' : ' and does not answer'}.`, next: 'Use that window; Stop Everything works from here as well.' };
    case 'newer-version': return { reason: 'ledger-newer', message: `This repository’s history was written by a newer Worldtree (version ${reason.version}).`, next: 'Update the extension.' };
    case 'disk': return { reason: 'ledger-unreadable', message: `The history cannot be written: ${reason.words}`, next: 'Free some space or repair the folder’s permissions, then try again.' };
    default: return unreachable(reason);
  }
}
