import { describe, expect, it } from 'vitest';
import { assumeSpent, dayIn, dayOf, EMPTY_DAY, EMPTY_FILE, fits, prune, reserve, settle, type Reservation, type SpendFile } from '../../../src/adapters/spending/spendFile.ts';

const holder = { pid: 7, startedAt: '1', boot: 'b', pidNamespace: 'n', host: 'h' };
const made = (id: string, usd: number): Reservation => ({ id, amount: { usd, unpricedTokens: 0 }, holder, at: 1 });
const day = '2026-11-30';
const spent = (file: SpendFile): number => dayIn(file, day).spent.usd;

describe('a day of spending', () => {
  it('given room for only one of money and tokens, when both are wanted, then the one without room decides', () => {
    const full = { ...EMPTY_DAY, spent: { usd: 0, unpricedTokens: 10 } };
    expect(fits(full, { usd: 1, unpricedTokens: 1 }, { costUsd: 5, allTokens: 10 })).toEqual({ kind: 'reached', limit: 'daily tokens', used: 10, cap: 10 });
  });

  it('given a reservation of tokens in flight, when money does not fit, then waiting for the tokens would not help: the cap is reached', () => {
    const inFlight = { ...EMPTY_DAY, spent: { usd: 5, unpricedTokens: 0 }, reservations: [{ ...made('t', 0), amount: { usd: 0, unpricedTokens: 5 } }] };
    expect(fits(inFlight, { usd: 1, unpricedTokens: 0 }, { costUsd: 5, allTokens: 10 })).toMatchObject({ kind: 'reached', limit: 'daily cost' });
  });

  it('given what is in flight, when it settles below or above what was reserved, then what it really cost is counted', () => {
    const two = reserve(reserve(EMPTY_FILE, day, made('a', 2)), day, made('b', 2));
    const settled = settle(settle(two, 'a', { usd: 0.5, unpricedTokens: 0 }) ?? two, 'b', { usd: 3, unpricedTokens: 0 });
    expect(settled && spent(settled)).toBe(3.5);
    expect(settled && settle(settled, 'a', { usd: 1, unpricedTokens: 0 })).toBeNull();
  });

  it('given a reservation that was taken for spent, when its answer comes late, then the real cost stands in its place', () => {
    const assumed = assumeSpent(reserve(EMPTY_FILE, day, made('a', 2)), () => true);
    expect(dayIn(assumed, day)).toMatchObject({ spent: { usd: 2 }, estimated: { usd: 2 }, reservations: [] });
    const settled = settle(assumed, 'a', { usd: 0.5, unpricedTokens: 0 }) ?? assumed;
    expect(dayIn(settled, day)).toMatchObject({ spent: { usd: 0.5 }, estimated: { usd: 0 }, assumed: [] });
  });

  it('given a day long ago, when it is pruned, then it goes unless something of it is still in flight', () => {
    const today = new Date(2026, 10, 30, 12).getTime();
    const old = reserve({ ...EMPTY_FILE, days: { '2025-01-01': EMPTY_DAY, '2026-11-29': EMPTY_DAY } }, '2025-01-02', made('a', 1));
    expect(Object.keys(prune(old, today).days)).toEqual(['2026-11-29', '2025-01-02']);
  });

  it('is named by the local calendar', () => {
    expect(dayOf(new Date(2026, 0, 2, 23, 59, 59).getTime())).toBe('2026-01-02');
    expect(dayOf(new Date(2026, 0, 3, 0, 0, 0).getTime())).toBe('2026-01-03');
  });
});
