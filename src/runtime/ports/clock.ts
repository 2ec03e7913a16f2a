export interface Clock {
  /** Wall clock, milliseconds since the epoch: for people and for limits that people set. */
  now(): number;
  /** Monotonic milliseconds: for back-off and time-outs, which sleep and clock changes must not bend. */
  monotonic(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 up to 1. */
  random(): number;
}
