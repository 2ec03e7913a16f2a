import { readSegments, type Cursor } from './readSegments.ts';

/** A successor says what it counts within milliseconds of becoming one, unless it ended in between. */
const WAIT_MS = 2_000;

/** The last sequence number after `before` that the next owner counts, 0 for none; null where no next owner has said it in time. */
export async function keptBySuccessor(folder: string, before: Cursor): Promise<number | null> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const reading = await readSegments(folder, before).catch(() => null);
    if (reading && reading.end.epoch > before.epoch) {
      return reading.diverged ? 0 : reading.records.reduce((kept, record) => (record.epoch === before.epoch ? Math.max(kept, record.seq) : kept), 0);
    }
    if (performance.now() > until) return null;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
