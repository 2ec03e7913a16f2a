import type { AbsolutePath } from '../../../src/core/ids.ts';
import { openSpending } from '../../../src/adapters/spending/openSpending.ts';

/**
 * One window that asks for money over and over: `node machine.child.ts <folder> <now> <requests> <amount> <cap>`. It tells what
 * it spent. With `hold` it keeps its last reservation and stays, and tells when everything was stopped.
 */
const [folder, now, requests, amount, cap, hold] = process.argv.slice(2);
const spending = openSpending(folder as AbsolutePath, { now: () => Number(now) });
const wanted = { usd: Number(amount), unpricedTokens: 0 };
const daily = { costUsd: Number(cap), allTokens: 1 };
let spent = 0;
let reserved = 0;
let reached = 0;
for (let i = 0; i < Number(requests); i++) {
  const result = await spending.reserve(wanted, daily);
  if (result.kind === 'reached') reached++;
  if (result.kind !== 'reserved') continue;
  reserved++;
  if (hold) break;
  // What a request costs in the end is less than what was reserved for it, by a different part each time.
  const cost = (wanted.usd * (1 + (i % 4))) / 4;
  await spending.settle(result.reservation, { usd: cost, unpricedTokens: 0 });
  spent += cost;
}
if (hold) spending.onStop(() => process.send?.({ stopped: true }));
process.send?.({ spent, reserved, reached });
if (hold) setInterval(() => undefined, 1_000);
else process.disconnect();
