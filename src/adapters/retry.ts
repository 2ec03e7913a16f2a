import { setTimeout as sleep } from 'node:timers/promises';

/** What Windows, virus scanners and network disks answer for a moment, and then no more. */
const PASSING = new Set(['EACCES', 'EPERM', 'EEXIST', 'ENOTEMPTY', 'EBUSY', 'EAGAIN', 'EINTR']);
const PAUSES_MS = [50, 100, 200];

/** Tries a change on disk up to four times while the disk gives one of the passing answers; then its last error. */
export async function withRetries<T>(change: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await change();
    } catch (error) {
      if (!PASSING.has(errorCode(error) ?? '')) throw error;
      await sleep(pause);
    }
  }
  return change();
}

/** `ENOENT` and the like; undefined for an error that is none of the system's. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
