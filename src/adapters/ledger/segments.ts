import { readdirSync } from 'node:fs';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { SegmentHeader } from '../../core/ledger/record.ts';
import { FILE_MODE, syncFolder, writeAll } from '../durableFile.ts';
import { errorCode } from '../retry.ts';

/** Epochs of the segments in the folder, ascending; none where there is no folder. */
export async function listEpochs(folder: string): Promise<readonly number[]> {
  try {
    return (await readdir(folder)).flatMap(epochOf).sort((a, b) => a - b);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** 0 where there is none. */
export async function newestEpoch(folder: string): Promise<number> {
  return (await listEpochs(folder)).at(-1) ?? 0;
}

/** Whether anybody has become the owner after this epoch; for the moment in which a process ends and cannot wait. */
export function hasNewer(folder: string, than: number): boolean {
  try {
    return readdirSync(folder).flatMap(epochOf).some((epoch) => epoch > than);
  } catch {
    return false;
  }
}

export function segmentPath(folder: string, epoch: number): string {
  return join(folder, `${String(epoch).padStart(8, '0')}.jsonl`);
}

function epochOf(name: string): readonly number[] {
  const epoch = /^(\d{8,15})\.jsonl$/.exec(name)?.[1];
  return epoch === undefined ? [] : [Number(epoch)];
}

/** Bytes of a segment from `offset` to its end of now; null where there is no such segment. */
export async function readSegment(folder: string, epoch: number, offset: number): Promise<Buffer | null> {
  let handle: FileHandle;
  try {
    handle = await open(segmentPath(folder, epoch), 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, (await handle.stat()).size - offset));
    let read = 0;
    while (read < bytes.length) {
      const { bytesRead } = await handle.read(bytes, read, bytes.length - read, offset + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return bytes.subarray(0, read);
  } finally {
    await handle.close();
  }
}

/**
 * The segment that its owner writes. The file's exclusive creation is the fence between owners: whoever sees a
 * segment of a higher epoch writes no more, and bytes that were written before it exists are counted by its header.
 */
export class OpenSegment {
  readonly epoch: number;
  readonly #folder: string;
  readonly #handle: FileHandle;
  #accepted = 0;

  private constructor(folder: string, epoch: number, handle: FileHandle) {
    this.#folder = folder;
    this.epoch = epoch;
    this.#handle = handle;
  }

  /** Null where somebody else has this epoch already. */
  static async create(folder: string, epoch: number): Promise<OpenSegment | null> {
    try {
      return new OpenSegment(folder, epoch, await open(segmentPath(folder, epoch), 'ax', FILE_MODE));
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return null;
      throw error;
    }
  }

  /** Bytes that are known to be on disk: what the next segment's header states as accepted. */
  get accepted(): number {
    return this.#accepted;
  }

  async writeHeader(header: SegmentHeader): Promise<void> {
    await this.append(Buffer.from(`${JSON.stringify(header)}\n`));
    await syncFolder(this.#folder);
  }

  async append(bytes: Buffer): Promise<void> {
    await writeAll(this.#handle, bytes);
    await this.#handle.datasync();
    this.#accepted += bytes.length;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** Takes back a segment whose header could not be written; nothing ever stood in it. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(segmentPath(this.#folder, this.epoch), { force: true });
  }
}
