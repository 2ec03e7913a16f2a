import { z } from 'zod';

/** What one delegation may use, over its whole subtree. Times in milliseconds, money in US dollars. */
export const limits = z.object({
  costUsd: z.number().positive(),
  freshTokens: z.number().positive(),
  /** Input and output together; binds only a model without prices. */
  allTokens: z.number().positive(),
  wallMs: z.number().positive(),
  turns: z.number().int().positive(),
  depth: z.number().int().nonnegative(),
  children: z.number().int().nonnegative(),
});
export type Limits = z.infer<typeof limits>;

/** Defaults of a delegation by hand. */
export const DELEGATION_LIMITS: Limits = { costUsd: 2, freshTokens: 3_000_000, allTokens: 20_000_000, wallMs: 60 * 60_000, turns: 128, depth: 2, children: 4 };

/** What this machine may spend in one day, over every repository and window. */
export interface DailyLimits {
  readonly costUsd: number;
  /** Input and output together, of models without prices. */
  readonly allTokens: number;
}
export const DAILY_LIMITS: DailyLimits = { costUsd: 20, allTokens: 60_000_000 };
