import { Refused } from '../core/refusal.ts';
import type { Result } from './openWorld.ts';

/** A refusal on its way up becomes a result; anything else stays an error. */
export async function result<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal };
    throw error;
  }
}
