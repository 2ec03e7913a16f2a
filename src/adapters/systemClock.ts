import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../runtime/ports/clock.ts';

/** Node makes a timer of more than this one of a millisecond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clocks. `sleep` rejects with the signal's reason when it is aborted. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Not `ref: false`: a back-off that is all that is left to do must still come to its end.
  sleep: (ms, signal) => delay(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal }),
  random: () => Math.random(),
};
