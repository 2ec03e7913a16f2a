import { z } from 'zod';

/**
 * Tokens of one request or of many. One meaning inside, whatever a provider's fields mean: `fresh` and `cached`
 * are disjoint and add up to the input; `reasoning` is the part of `output` that was thought, where told.
 */
export const usage = z.object({ fresh: z.number(), cached: z.number(), output: z.number(), reasoning: z.number() });
export type Usage = z.infer<typeof usage>;

/** US dollars per million tokens. */
export const prices = z.object({ fresh: z.number().nonnegative(), cached: z.number().nonnegative(), output: z.number().nonnegative() });
export type Prices = z.infer<typeof prices>;

export const NO_USAGE: Usage = { fresh: 0, cached: 0, output: 0, reasoning: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { fresh: a.fresh + b.fresh, cached: a.cached + b.cached, output: a.output + b.output, reasoning: a.reasoning + b.reasoning };
}

/** US dollars: fresh input × price + cached input × price + output × price. */
export function costOf(usage: Usage, prices: Prices): number {
  return (usage.fresh * prices.fresh + usage.cached * prices.cached + usage.output * prices.output) / 1_000_000;
}
