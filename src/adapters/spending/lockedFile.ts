import { readFileSync, renameSync } from 'node:fs';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { Refused } from '../../core/refusal.ts';
import { makeFolder, removeLeftBeside, syncFolder, writeBeside } from '../durableFile.ts';
import { diskRefusal } from '../ledger/diskRefusal.ts';
import { errorCode } from '../retry.ts';
import { dayOf, EMPTY_FILE, SPEND_VERSION, spendFile, withDay, type SpendFile } from './spendFile.ts';

const NAME = 'spending.json';
const WHAT = 'The file with what was spent today';

/** The spend file as every window of this machine reads and changes it. */
export class LockedSpendFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #now: () => number;
  #tidied = false;

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#path = join(folder, NAME);
    this.#now = now;
  }

  /** As it is, without the lock: it is only ever replaced as a whole. Null where it is damaged. Throws `Refused`. */
  async read(): Promise<SpendFile | null> {
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw diskRefusal(WHAT, this.#path, error);
    });
    return text === null ? EMPTY_FILE : parse(text, this.#path);
  }

  /**
   * Changes the file under the lock and flushes it. `change` may be called more than once and gives the same file where
   * nothing is to be written. Throws `Refused`; then nothing was changed.
   */
  async update<T>(change: (file: SpendFile) => Promise<{ readonly file: SpendFile; readonly result: T }>): Promise<T> {
    for (;;) {
      const held = await this.#lock();
      try {
        if (!this.#tidied) await removeLeftBeside(this.#path);
        this.#tidied = true;
        const before = (await this.read()) ?? (await this.#putAside());
        const { file, result } = await change(before);
        if (file === before && before.revision > 0) return result;
        if (await this.#write(file, before.revision, held)) return result;
      } catch (error) {
        throw error instanceof Refused ? error : diskRefusal(WHAT, this.#path, error);
      } finally {
        await held.release();
      }
    }
  }

  /** False where another process changed the file since it was read. */
  async #write(file: SpendFile, revision: number, held: { lost: boolean }): Promise<boolean> {
    const next = await writeBeside(this.#path, JSON.stringify({ ...file, revision: revision + 1 } satisfies SpendFile));
    // A process that was stopped for longer than the lock's time-out has lost it and must not bring back an old state:
    // the look and the rename follow each other without anything in between.
    if (held.lost || this.#revisionOnDisk() !== revision) {
      await rm(next, { force: true });
      return false;
    }
    try {
      renameSync(next, this.#path);
    } catch (error) {
      await rm(next, { force: true });
      throw error;
    }
    await syncFolder(this.#folder);
    return true;
  }

  #revisionOnDisk(): number {
    try {
      return parse(readFileSync(this.#path, 'utf8'), this.#path)?.revision ?? 0;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error;
    }
  }

  /**
   * A file that cannot be read says nothing about what was spent. A copy is kept under another name, and today goes on
   * as if the cap were used up until the person raises it: taking it for nothing spent could spend a whole cap twice.
   * The file itself stays until it is replaced, so that a crash in between does not leave none, which means nothing spent.
   */
  async #putAside(): Promise<SpendFile> {
    const now = this.#now();
    const keptAs = `${NAME}.corrupt-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
    await copyFile(this.#path, join(this.#folder, keptAs));
    return withDay(EMPTY_FILE, dayOf(now), (day) => ({ ...day, lost: { at: now, keptAs } }));
  }

  async #lock(): Promise<{ lost: boolean; release(): Promise<void> }> {
    const held = { lost: false, release: (): Promise<void> => Promise.resolve() };
    try {
      await makeFolder(this.#folder);
      const release = await lock(this.#path, {
        lockfilePath: join(this.#folder, 'spending.lock'), realpath: false, stale: 5_000,
        onCompromised: () => { held.lost = true; },
        retries: { retries: 1_000, factor: 1.3, minTimeout: 4, maxTimeout: 40, randomize: true },
      });
      // A lock that was lost meanwhile is another's by now.
      held.release = () => release().catch(() => undefined);
    } catch (error) {
      if (errorCode(error) !== 'ELOCKED') throw diskRefusal(WHAT, this.#path, error);
      throw new Refused({ reason: 'disk-failed', message: `${WHAT} is held by another process and does not come free (${this.#path}).`, next: 'Close VS Code windows that do not answer, then try again.' }, { cause: error });
    }
    return held;
  }
}

function parse(text: string, path: string): SpendFile | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value === 'object' && value !== null && 'v' in value && typeof value.v === 'number' && value.v > SPEND_VERSION) {
    throw new Refused({ reason: 'ledger-newer', message: `${WHAT} was written by a newer version of Worldtree (schema ${value.v}, this one knows ${SPEND_VERSION}): ${path}. Without it the daily cap cannot be kept, so nothing is asked of a model.`, next: 'Update Worldtree in this window.' });
  }
  return spendFile.safeParse(value).data ?? null;
}
