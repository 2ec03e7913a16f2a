import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Listeners } from '../../core/listeners.ts';
import { makeFolder, replaceFile } from '../durableFile.ts';
import { diskRefusal } from '../ledger/diskRefusal.ts';
import { watchFolder } from '../ledger/folderWatch.ts';
import { processIdentity, thisProcess } from '../processIdentity.ts';

const stopMarker = z.object({ v: z.number().int(), at: z.number(), from: processIdentity });

/** The time of the last Stop Everything, in a file that every window of this machine watches. */
export class StopMarker {
  readonly #folder: string;
  readonly #path: string;
  readonly #pollMs: number;
  readonly #listeners = new Listeners<void>();
  #known = 0;
  #watch: { dispose(): void } | undefined;

  constructor(folder: string, pollMs: number) {
    this.#folder = folder;
    this.#path = join(folder, 'stop.json');
    this.#pollMs = pollMs;
  }

  /** Throws `Refused` where it cannot be written; this window's listeners are told all the same. */
  async set(now: number): Promise<void> {
    // Later than any marker before, also when the clock was set back: it is compared with when episodes were started.
    const at = Math.max(now, (this.read() ?? 0) + 1);
    try {
      await makeFolder(this.#folder);
      await replaceFile(this.#path, `${JSON.stringify({ v: 1, at, from: await thisProcess() })}\n`);
    } catch (error) {
      throw diskRefusal('The sign for every window to stop', this.#path, error);
    } finally {
      this.#tell(at);
    }
  }

  /** Milliseconds since the epoch; null where nobody ever stopped everything. A damaged marker counts from when it was written. */
  read(): number | null {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch {
      return null;
    }
    try {
      return stopMarker.parse(JSON.parse(text)).at;
    } catch {
      return statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs ?? null;
    }
  }

  onStop(listener: () => void): { dispose(): void } {
    if (!this.#watch) {
      this.#known = Math.max(this.#known, this.read() ?? 0);
      this.#watch = watchFolder(this.#folder, this.#pollMs, () => { this.#tell(this.read() ?? 0); });
    }
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#watch?.dispose();
  }

  #tell(at: number): void {
    if (at <= this.#known) return;
    this.#known = at;
    queueMicrotask(() => { this.#listeners.tell(); });
  }
}
