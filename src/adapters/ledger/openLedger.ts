import { randomInt } from 'node:crypto';
import type { AbsolutePath } from '../../core/ids.ts';
import { GROUPING_MS } from './batches.ts';
import { ledgerFolders } from './folders.ts';
import { LedgerFile } from './ledgerFile.ts';
import type { LedgerOptions, OpenedLedger } from './openedLedger.ts';
import { OWNER_LOCK_TIMES } from './ownerLock.ts';
import { readFirstLine } from './segmentLines.ts';
import { listEpochs, readSegment } from './segments.ts';

/**
 * Opens a repository's ledger to be read. Nothing is written, no folder made and no lock taken before the first append
 * or `tryTakeOver`, which make this window the owner where nobody else is, or where the last one's process has ended
 * or its heartbeat is a minute old. Throws the system's error where the folder cannot be read.
 */
export async function openLedger(commonDir: AbsolutePath, options: LedgerOptions = {}): Promise<OpenedLedger> {
  const folders = ledgerFolders(commonDir);
  const { tag, newer } = await newestHeader(folders.segments);
  const ledger = new LedgerFile(folders, tag ?? newTag(), newer, {
    now: options.now ?? Date.now,
    groupingMs: options.groupingMs ?? GROUPING_MS,
    pollMs: options.pollMs ?? 2_000,
    lockTimes: options.lockTimes ?? OWNER_LOCK_TIMES,
  });
  await ledger.start();
  return ledger;
}

async function newestHeader(folder: string): Promise<{ readonly tag: string | null; readonly newer: number | null }> {
  for (const epoch of (await listEpochs(folder)).toReversed()) {
    const first = readFirstLine((await readSegment(folder, epoch, 0)) ?? Buffer.alloc(0), epoch);
    if (first.kind === 'header') return { tag: first.header.tag, newer: null };
    if (first.kind === 'newer') return { tag: first.header?.tag ?? null, newer: first.version };
  }
  return { tag: null, newer: null };
}

/** Keeps the episode ids of two clones apart. */
function newTag(): string {
  return Array.from({ length: 4 }, () => randomInt(36).toString(36)).join('');
}
