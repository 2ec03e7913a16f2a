import { z } from 'zod';
import type { DailyLimits } from '../../core/limits/limits.ts';
import type { Amount, ReserveResult } from '../../runtime/ports/spending.ts';
import { processIdentity } from '../processIdentity.ts';

export const SPEND_VERSION = 1;
export const DAYS_KEPT = 90;
const NOTHING: Amount = { usd: 0, unpricedTokens: 0 };

const amount = z.object({ usd: z.number().nonnegative(), unpricedTokens: z.number().nonnegative() });

/** Money that may be spent any moment: counted against the cap until it is settled. */
const reservation = z.object({ id: z.string(), amount, holder: processIdentity, at: z.number() });
export type Reservation = z.infer<typeof reservation>;

const spendDay = z.object({
  spent: amount,
  /** The part of `spent` that nobody told: what was reserved by processes that ended. */
  estimated: amount,
  raised: amount,
  reservations: z.array(reservation),
  /** What `estimated` is made of, so that a late answer replaces its estimate rather than being counted besides. */
  assumed: z.array(z.object({ id: z.string(), amount })),
  /** Set where the file could not be read on this day and was put aside: what was spent before is not known. */
  lost: z.object({ at: z.number(), keptAs: z.string() }).nullable(),
});
type SpendDay = z.infer<typeof spendDay>;

/** The whole spend file. `revision` counts its writes; days are local calendar days, `2026-11-30`. */
export const spendFile = z.object({ v: z.literal(SPEND_VERSION), revision: z.number().int().nonnegative(), days: z.record(z.string(), spendDay) });
export type SpendFile = z.infer<typeof spendFile>;

export const EMPTY_DAY: SpendDay = { spent: NOTHING, estimated: NOTHING, raised: NOTHING, reservations: [], assumed: [], lost: null };
export const EMPTY_FILE: SpendFile = { v: SPEND_VERSION, revision: 0, days: {} };

/** The local calendar day of a moment. */
export function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function dayIn(file: SpendFile, day: string): SpendDay {
  return file.days[day] ?? EMPTY_DAY;
}

export function withDay(file: SpendFile, day: string, change: (day: SpendDay) => SpendDay): SpendFile {
  return { ...file, days: { ...file.days, [day]: change(dayIn(file, day)) } };
}

/**
 * Rule 7: what does not fit waits for what is in flight, and the cap counts as reached when nothing is. On a day whose
 * file was lost everything before the loss counts as the whole cap, so that only the person's word lets more be spent.
 */
export function fits(day: SpendDay, wanted: Amount, daily: DailyLimits): { readonly kind: 'fits' } | Exclude<ReserveResult, { kind: 'reserved' }> {
  const reserved = reservedOn(day);
  let waits = false;
  for (const { limit, want, base, raised, spent, inFlight } of [
    { limit: 'daily cost', want: wanted.usd, base: daily.costUsd, raised: day.raised.usd, spent: day.spent.usd, inFlight: reserved.usd },
    { limit: 'daily tokens', want: wanted.unpricedTokens, base: daily.allTokens, raised: day.raised.unpricedTokens, spent: day.spent.unpricedTokens, inFlight: reserved.unpricedTokens },
  ] as const) {
    const used = spent + (day.lost ? base : 0);
    const cap = base + raised;
    if (want === 0 || used + inFlight + want <= cap) continue;
    if (inFlight === 0) return { kind: 'reached', limit, used, cap };
    waits = true;
  }
  return waits ? { kind: 'wait' } : { kind: 'fits' };
}

export function reservedOn(day: SpendDay): Amount {
  return day.reservations.reduce((sum, { amount: a }) => plus(sum, a), NOTHING);
}

export function reserve(file: SpendFile, day: string, made: Reservation): SpendFile {
  return withDay(file, day, (d) => ({ ...d, reservations: [...d.reservations, made] }));
}

/** Books what a reservation came to on the day it was made. Null where the file knows nothing of it. */
export function settle(file: SpendFile, id: string, spent: Amount): SpendFile | null {
  for (const [key, day] of Object.entries(file.days)) {
    if (day.reservations.some((r) => r.id === id)) {
      return withDay(file, key, (d) => ({ ...d, spent: plus(d.spent, spent), reservations: d.reservations.filter((r) => r.id !== id) }));
    }
    const assumed = day.assumed.find((a) => a.id === id);
    if (assumed) {
      return withDay(file, key, (d) => ({
        ...d, spent: plus(minus(d.spent, assumed.amount), spent), estimated: minus(d.estimated, assumed.amount), assumed: d.assumed.filter((a) => a.id !== id),
      }));
    }
  }
  return null;
}

/** Counts as spent what processes that are gone had reserved: the provider may have charged for it, nobody can say. */
export function assumeSpent(file: SpendFile, isGone: (r: Reservation) => boolean): SpendFile {
  let changed = file;
  for (const [key, day] of Object.entries(file.days)) {
    const gone = day.reservations.filter(isGone);
    if (gone.length === 0) continue;
    const sum = gone.reduce((total, { amount: a }) => plus(total, a), NOTHING);
    changed = withDay(changed, key, (d) => ({
      ...d, spent: plus(d.spent, sum), estimated: plus(d.estimated, sum), reservations: d.reservations.filter((r) => !isGone(r)), assumed: [...d.assumed, ...gone.map(({ id, amount: a }) => ({ id, amount: a }))],
    }));
  }
  return changed;
}

/** Without the days that are too long ago to be shown; one with something in flight stays. */
export function prune(file: SpendFile, today: number): SpendFile {
  const oldest = new Date(today);
  oldest.setDate(oldest.getDate() - DAYS_KEPT + 1);
  const from = dayOf(oldest.getTime());
  return { ...file, days: Object.fromEntries(Object.entries(file.days).filter(([key, day]) => key >= from || day.reservations.length > 0)) };
}

export function plus(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, unpricedTokens: a.unpricedTokens + b.unpricedTokens };
}

/** Never below nothing: sums of fractions of a cent do not come out even. */
function minus(a: Amount, b: Amount): Amount {
  return { usd: Math.max(0, a.usd - b.usd), unpricedTokens: Math.max(0, a.unpricedTokens - b.unpricedTokens) };
}
