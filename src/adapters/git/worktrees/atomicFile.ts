import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { withRetries } from '../door/retry.ts';

/** A reader sees the old text or the new one, never half of it. Mode 0600. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const beside = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(beside, text, { mode: 0o600, flag: 'wx' });
    await withRetries(() => rename(beside, file));
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
}
