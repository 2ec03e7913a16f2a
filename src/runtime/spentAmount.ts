import { pricesOf, type ModelRef } from '../core/episode/model.ts';
import { allTokens } from '../core/limits/binding.ts';
import { costOf, type Usage } from '../core/limits/usage.ts';
import type { Amount } from './ports/spending.ts';

/** US dollars; none for a model whose prices are not known. */
export function usdOf(model: ModelRef, usage: Usage): number {
  const prices = pricesOf(model);
  return prices.known ? costOf(usage, prices.prices) : 0;
}

/** What a request counts for in the day's file: money, or tokens where its prices are not known. */
export function amountOf(model: ModelRef, usage: Usage): Amount {
  return pricesOf(model).known ? { usd: usdOf(model, usage), unpricedTokens: 0 } : { usd: 0, unpricedTokens: allTokens(usage) };
}
