import { LEDGER_VERSION, type LedgerRecord, type SegmentHeader } from '../../core/ledger/record.ts';
import { readFirstLine, readLines, type FirstLine } from './segmentLines.ts';
import { listEpochs, readSegment, segmentPath } from './segments.ts';

/** A place in the ledger up to which records were read: a segment and the bytes of it. */
export interface Cursor {
  readonly epoch: number;
  readonly offset: number;
}

export const START: Cursor = { epoch: 0, offset: 0 };

export interface Reading {
  readonly records: readonly LedgerRecord[];
  readonly warnings: readonly string[];
  /** Where to read on: the newest segment and its end of whole records. */
  readonly end: Cursor;
  /** Of the newest segment read that has one; null where there is nothing new. */
  readonly tag: string | null;
  /** A version that this build does not know, met anywhere; null where there is none. */
  readonly newer: number | null;
  /** True where what was read before `from` turned out not to be accepted: a reader has to start over. */
  readonly diverged: boolean;
  /** About bytes at the end of the newest segment that are no whole record; while an owner is at work they are a write under way. */
  readonly tail: string | null;
}

/**
 * Everything that is accepted after `from`. Segments are a chain: each header names the segment before and how many of
 * its bytes count, so that what a window wrote after it had been succeeded is told apart, whoever wrote what when.
 * `own` is the segment that the caller itself writes: of it counts what the caller knows to be on disk.
 */
export async function readSegments(folder: string, from: Cursor, own?: { readonly epoch: number; readonly accepted: number }): Promise<Reading> {
  for (let attempt = 1; ; attempt++) {
    const files = await load(folder, from, own);
    const epochs = await listEpochs(folder);
    // Bytes that were read before a newer segment existed are counted by its header; bytes read after it may not be.
    if (attempt === 10 || (epochs.at(-1) ?? 0) <= (files.at(-1)?.epoch ?? 0)) return read(folder, from, files);
  }
}

interface SegmentFile {
  readonly epoch: number;
  readonly bytes: Buffer;
  /** Offset in the file at which `bytes` begin. */
  readonly at: number;
  readonly first: FirstLine;
}

interface Link {
  readonly file: SegmentFile;
  /** Bytes of the file that count; null for the newest, or where that is not known. */
  readonly limit: number | null;
}

async function load(folder: string, from: Cursor, own: { readonly epoch: number; readonly accepted: number } | undefined): Promise<readonly SegmentFile[]> {
  const epochs = (await listEpochs(folder)).filter((epoch) => epoch >= from.epoch);
  const files = await Promise.all(epochs.map(async (epoch): Promise<readonly SegmentFile[]> => {
    const at = epoch === from.epoch ? from.offset : 0;
    const whole = await readSegment(folder, epoch, at);
    if (!whole) return [];
    const bytes = epoch === own?.epoch ? whole.subarray(0, Math.max(0, own.accepted - at)) : whole;
    return [{ epoch, bytes, at, first: at > 0 ? { kind: 'damaged' } : readFirstLine(bytes, epoch) }];
  }));
  return files.flat();
}

function read(folder: string, from: Cursor, files: readonly SegmentFile[]): Reading {
  const warnings: string[] = [];
  const chain = chainOf(folder, from, files, warnings);
  const records: LedgerRecord[] = [];
  let newer: number | null = null;
  let end = from;
  let tail: string | null = null;
  for (const [index, { file, limit }] of chain.entries()) {
    const name = segmentPath(folder, file.epoch);
    const bytes = limit === null ? file.bytes : file.bytes.subarray(0, Math.max(0, limit - file.at));
    const lines = readLines(bytes, file.first.kind === 'header' || file.first.kind === 'newer' ? file.first.end : 0, file.epoch);
    for (const record of lines.records) records.push(record);
    newer = highest(newer, lines.newer, file.first.kind === 'newer' ? file.first.version : null);
    end = { epoch: file.epoch, offset: file.at + lines.end };
    const rest = file.bytes.length - lines.end;
    if (limit !== null && limit > file.at + file.bytes.length) warnings.push(`${name} is ${count(limit - file.at - file.bytes.length, 'byte')} shorter than it was: records are missing at its end.`);
    if (lines.unreadable > 0) warnings.push(`${count(lines.unreadable, 'line')} of ${name} cannot be read and ${lines.unreadable === 1 ? 'was' : 'were'} left out; the rest was read, and the file is kept as it is.`);
    if (index === chain.length - 1) {
      tail = rest > 0 ? `The end of ${name} is cut off (${count(rest, 'byte')}), as after a crash or a full disk: it was left out and is kept in the file.` : null;
    } else if (file.at + file.bytes.length > (limit ?? Infinity)) {
      warnings.push(`${count(file.at + file.bytes.length - (limit ?? 0), 'byte')} at the end of ${name} are not part of the history: they were not whole on disk, or were written after another window had taken over. They are kept in the file.`);
    }
  }
  if (newer !== null) warnings.push(`This repository's history was written by a newer version of Worldtree (schema ${newer}, this one knows ${LEDGER_VERSION}): it is shown as far as it can be read, and not written.`);
  return { records, warnings, end, tag: tagOf(chain), newer, diverged: hasDiverged(from, chain), tail };
}

/** Follows the headers back from the newest segment; gives them oldest first. */
function chainOf(folder: string, from: Cursor, files: readonly SegmentFile[], warnings: string[]): readonly Link[] {
  const usable = files.filter((file) => (file.epoch === from.epoch && from.offset > 0) || isUsable(file));
  const chain: Link[] = [];
  let file = usable.at(-1);
  let limit: number | null = null;
  while (file) {
    chain.unshift({ file, limit });
    if (file.epoch === from.epoch) break;
    const before = usable.filter(({ epoch }) => epoch < (chain[0]?.file.epoch ?? 0)).at(-1);
    const header = headerOf(file);
    if (header === null) {
      if (file.first.kind === 'damaged') warnings.push(`The first line of ${segmentPath(folder, file.epoch)} cannot be read; its records were read all the same.`);
      file = before;
      limit = null;
      continue;
    }
    const { previous } = header;
    if (previous === null || previous.epoch < from.epoch) break;
    const stated = usable.find(({ epoch }) => epoch === previous.epoch);
    if (!stated) warnings.push(`${segmentPath(folder, previous.epoch)} is missing or cannot be read: a part of the history is not shown.`);
    file = stated ?? before;
    limit = stated ? previous.bytes : null;
  }
  const linked = new Set(chain.map((link) => link.file.epoch));
  for (const { epoch, bytes, first } of files) {
    const beyond = first.kind === 'header' ? bytes.length - first.end : bytes.length;
    if (!linked.has(epoch) && beyond > 0) warnings.push(`${segmentPath(folder, epoch)} is not part of the history: it was written by a window that no longer held it. The file is kept.`);
  }
  return chain;
}

/** A segment counts when its header is whole, or when the header was damaged later and records stand after it. */
function isUsable(file: SegmentFile): boolean {
  switch (file.first.kind) {
    case 'header': case 'newer': return true;
    case 'damaged': return readLines(file.bytes, 0, file.epoch).records.length > 0;
    case 'none': return false;
  }
}

function headerOf(file: SegmentFile): SegmentHeader | null {
  return file.first.kind === 'header' || file.first.kind === 'newer' ? file.first.header : null;
}

function tagOf(chain: readonly Link[]): string | null {
  for (const { file } of chain.toReversed()) {
    const header = headerOf(file);
    if (header) return header.tag;
  }
  return null;
}

function hasDiverged(from: Cursor, chain: readonly Link[]): boolean {
  if (from.offset === 0) return false;
  const first = chain[0];
  return first?.file.epoch !== from.epoch || (first.limit !== null && first.limit < from.offset);
}

function highest(...versions: readonly (number | null)[]): number | null {
  const known = versions.filter((version) => version !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

function count(n: number, noun: string): string {
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
}
