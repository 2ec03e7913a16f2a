import type { z } from 'zod';
import { ledgerEvent } from '../../core/ledger/events.ts';
import { LEDGER_VERSION, segmentHeader, type LedgerRecord, type SegmentHeader } from '../../core/ledger/record.ts';

/** What the first line of a segment is. `none`: empty or torn, so that nobody ever became the owner with it. */
export type FirstLine =
  | { readonly kind: 'header'; readonly header: SegmentHeader; readonly end: number }
  | { readonly kind: 'newer'; readonly version: number; readonly header: SegmentHeader | null; readonly end: number }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'none' };

export function readFirstLine(bytes: Buffer, epoch: number): FirstLine {
  const end = bytes.indexOf(NEWLINE) + 1;
  if (end === 0) return { kind: 'none' };
  const value = parse(bytes, 0, end);
  const version = versionOf(value);
  const parsed = segmentHeader.safeParse(value);
  const header = parsed.success && parsed.data.epoch === epoch && (parsed.data.previous?.epoch ?? 0) < epoch ? parsed.data : null;
  if (version !== null && version > LEDGER_VERSION) return { kind: 'newer', version, header, end };
  return header ? { kind: 'header', header, end } : { kind: 'damaged' };
}

export interface Lines {
  readonly records: readonly LedgerRecord[];
  /** Bytes up to the end of the last line that is a record; what follows is a torn or unreadable tail. */
  readonly end: number;
  /** Lines that are no records and have records after them. */
  readonly unreadable: number;
  /** The highest version met that this build does not know. */
  readonly newer: number | null;
}

/**
 * The records of one segment, from `start`. Replay checks version and shape only: each record was validated when it
 * was written, and a start must not wait for ten thousand of them to be validated again.
 */
export function readLines(bytes: Buffer, start: number, epoch: number): Lines {
  const records: LedgerRecord[] = [];
  let end = start;
  let unreadable = 0;
  let pending = 0;
  let newer: number | null = null;
  for (let from = start, to = bytes.indexOf(NEWLINE, from) + 1; to > 0; from = to, to = bytes.indexOf(NEWLINE, from) + 1) {
    const value = parse(bytes, from, to);
    const version = versionOf(value);
    if (version !== null && version > LEDGER_VERSION) {
      newer = Math.max(newer ?? 0, version);
    } else if (isRecord(value, epoch)) {
      records.push(value);
    } else {
      pending++;
      continue;
    }
    unreadable += pending;
    pending = 0;
    end = to;
  }
  return { records, end, unreadable, newer };
}

const NEWLINE = 0x0a;

/** The fields that each event must have, read off its schema once. */
const fieldsOf = new Map<string, readonly string[]>(ledgerEvent.options.map((option) => [
  option.shape.type.value,
  (Object.entries(option.shape) as [string, z.ZodType][]).filter(([, schema]) => !schema.safeParse(undefined).success).map(([field]) => field),
]));

function isRecord(value: unknown, epoch: number): value is LedgerRecord {
  if (!isObject(value) || value['epoch'] !== epoch || typeof value['v'] !== 'number' || typeof value['seq'] !== 'number' || typeof value['at'] !== 'number') return false;
  const event = value['event'];
  if (!isObject(event) || typeof event['type'] !== 'string') return false;
  return fieldsOf.get(event['type'])?.every((field) => event[field] !== undefined) ?? false;
}

function versionOf(value: unknown): number | null {
  return isObject(value) && typeof value['v'] === 'number' ? value['v'] : null;
}

function parse(bytes: Buffer, from: number, to: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', from, to)) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
