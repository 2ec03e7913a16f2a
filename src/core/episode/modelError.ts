import type { Usage } from '../limits/usage.ts';

/** `retry`: the same request may go through later. `fatal`: it will not. */
export type ModelFailure =
  | { readonly kind: 'retry'; readonly why: 'rate-limit' | 'overloaded' | 'server' | 'network' | 'idle'; readonly retryAfterMs: number | null }
  | { readonly kind: 'fatal'; readonly why: 'key' | 'model' | 'unreachable' | 'context-length' | 'no-tools' | 'refused' | 'invalid' }
  | { readonly kind: 'cancelled' };

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
