import { z } from 'zod';
import type { Usage } from '../limits/usage.ts';

/** `retry`: the same request may go through later. `fatal`: it will not. */
export const modelFailure = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('retry'), why: z.enum(['rate-limit', 'overloaded', 'server', 'network', 'idle']), retryAfterMs: z.number().nullable() }),
  z.object({ kind: z.literal('fatal'), why: z.enum(['key', 'model', 'unreachable', 'context-length', 'no-tools', 'refused', 'invalid', 'not-recorded']) }),
  z.object({ kind: z.literal('cancelled') }),
]);
export type ModelFailure = z.infer<typeof modelFailure>;

export class ModelError extends Error {
  readonly failure: ModelFailure;
  /** What to do next, in words. */
  readonly next: string;
  /** What the provider counted before it failed, else an estimate once it had taken the request; null where it had not. */
  readonly usage: Usage | null;
  constructor(failure: ModelFailure, message: string, next: string, usage: Usage | null = null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelError';
    this.failure = failure;
    this.next = next;
    this.usage = usage;
  }
}
