import { LEDGER_VERSION } from '../../core/ledger/record.ts';
import { Refused } from '../../core/refusal.ts';

export function otherWindowHolds(pid: number, answering: boolean): Refused {
  return new Refused({
    reason: 'not-owner',
    message: `Another window (process ${pid}) holds this repository's history${answering ? '' : ', and does not answer'}. Nothing was written.`,
    next: answering ? 'Use that window, or close it and try again here.' : 'Take over here, or wait until that window answers again.',
  });
}

/** `unsure`: what was to be written may stand in the history or not; the next start shows it. */
export function takenOver(unsure = false): Refused {
  return new Refused({
    reason: 'not-owner',
    message: `Another window has taken over this repository's history from this one. ${unsure ? 'Whether the last facts of this window were kept shows in that window.' : 'Nothing was written.'}`,
    next: 'Go on in that window, or reload this one.',
  });
}

export function newerVersion(version: number): Refused {
  return new Refused({
    reason: 'ledger-newer',
    message: `This repository's history was written by a newer version of Worldtree (schema ${version}, this one knows ${LEDGER_VERSION}). It is only shown, not written.`,
    next: 'Update Worldtree in this window.',
  });
}

/** Appending on top of facts that the caller has not seen would decide from a state that is no longer true. */
export function otherWindowWrote(): Refused {
  return new Refused({
    reason: 'wrong-state',
    message: "Another window changed this repository's history a moment ago. Nothing was written yet.",
    next: 'Look at what it says now, and try again.',
  });
}

export function historyChanged(): Refused {
  return new Refused({
    reason: 'wrong-state',
    message: "This repository's history is no longer the one that this window shows: its files were replaced, or the last facts of another window never reached the disk.",
    next: 'Reload this window.',
  });
}

export function closed(): Refused {
  return new Refused({ reason: 'cancelled', message: "This repository's history was closed in this window. Nothing was written.", next: 'Open the repository again.' });
}
