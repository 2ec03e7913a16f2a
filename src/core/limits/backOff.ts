/** Retries of one model request before the person is asked. */
export const MODEL_RETRIES = 15;

/** A server that asks for a longer wait than this, in milliseconds, is not waited for: the person is asked. Nobody wants to find an agent that has stood still since yesterday. */
export const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * Milliseconds to wait before retry `n` (counted from 1): 1 s doubling to 60 s, 10 % jitter; the server's own word
 * (Retry-After) where it asks for longer. `random` is from 0 up to 1.
 */
export function backOffMs(n: number, retryAfterMs: number | null, random: number): number {
  const doubled = Math.min(60_000, 1_000 * 2 ** (n - 1));
  const jittered = doubled * (0.9 + 0.2 * random);
  return Math.round(Math.max(jittered, retryAfterMs ?? 0));
}
