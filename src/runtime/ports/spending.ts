import type { DailyLimits } from '../../core/limits/limits.ts';

/** What this machine spent today, over every window and repository: a locked file in global storage. */
export interface Spending {
  /** Reserves before a request is sent; refused when it does not fit into the day's cap, or when everything is stopped. */
  reserve(amount: Amount, daily: DailyLimits): Promise<ReserveResult>;
  /** Replaces a reservation by what was really spent. */
  settle(reservation: string, spent: Amount): Promise<void>;
  /** `day` is the local calendar day, `2026-11-30`. */
  today(): Promise<{ readonly day: string; readonly spent: Amount; readonly reserved: Amount; /** Added to the day's caps by the person. */ readonly raised: Amount }>;
  /** Adds to today's cap, by the person's word. */
  raise(amount: Amount): Promise<void>;
  /** Stop Everything: written for every window to see. A marker's time is compared with an episode's last (re)start. */
  stopEverything(): Promise<void>;
  /** Milliseconds since the epoch of the last Stop Everything; null where there was none. */
  stoppedAt(): Promise<number | null>;
  onStop(listener: () => void): { dispose(): void };
}

export interface Amount {
  readonly usd: number;
  /** Input and output tokens of models without prices. */
  readonly unpricedTokens: number;
}

export type ReserveResult =
  | { readonly kind: 'reserved'; readonly reservation: string }
  /** Fits once what is in flight is settled: wait and ask again. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'reached'; readonly limit: 'daily cost' | 'daily tokens'; readonly used: number; readonly cap: number };
