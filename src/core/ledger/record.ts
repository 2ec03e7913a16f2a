import { z } from 'zod';
import { ledgerEvent } from './events.ts';

/** Version of the schema of records. A ledger of a newer one is opened read-only. */
export const LEDGER_VERSION = 1;

/** The first record of a segment. There is one segment an epoch, created exclusively by the owner of that epoch. */
export const segmentHeader = z.object({
  v: z.number().int(),
  kind: z.literal('segment'),
  epoch: z.number().int().positive(),
  at: z.number(),
  /** Four letters or digits that end every episode id of this ledger. */
  tag: z.string().regex(/^[a-z0-9]{4}$/),
  /** The segment before and how many of its bytes are accepted; later bytes there are kept and shown, not replayed. */
  previous: z.object({ epoch: z.number().int().positive(), bytes: z.number().int().nonnegative() }).nullable(),
});
export type SegmentHeader = z.infer<typeof segmentHeader>;

/** A fact with its place in the ledger. `at` is wall-clock milliseconds, for people; order is (epoch, seq). */
export const ledgerRecord = z.object({ v: z.number().int(), epoch: z.number().int().positive(), seq: z.number().int().positive(), at: z.number(), event: ledgerEvent });
export type LedgerRecord = z.infer<typeof ledgerRecord>;
