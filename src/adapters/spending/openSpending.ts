import { randomUUID } from 'node:crypto';
import type { AbsolutePath } from '../../core/ids.ts';
import type { DailyLimits } from '../../core/limits/limits.ts';
import { Listeners } from '../../core/listeners.ts';
import { Turns } from '../../core/turns.ts';
import type { Amount, ReserveResult, Spending } from '../../runtime/ports/spending.ts';
import { isSameProcess, liveness, thisProcess } from '../processIdentity.ts';
import { LockedSpendFile } from './lockedFile.ts';
import { assumeSpent, dayIn, dayOf, DAYS_KEPT, fits, prune, reserve, reservedOn, settle, withDay, plus, type Reservation, type SpendFile } from './spendFile.ts';
import { StopMarker } from './stopMarker.ts';

export interface SpendingOptions {
  /** Wall clock, milliseconds since the epoch. */
  readonly now?: () => number;
  /** Milliseconds between looks at the stop marker where the system tells nothing of changes. */
  readonly pollMs?: number;
  /** How long after it was made a reservation of a process that has ended is still taken for in flight, in milliseconds. */
  readonly graceMs?: number;
  /** The same for a process that cannot be seen from here: in another container, or before a reboot. */
  readonly unseenGraceMs?: number;
}

export interface OpenedSpending extends Spending {
  /** The last days on which something was spent, newest first; 90 at most. `estimated` is the part of `spent` that nobody told. */
  history(days: number): Promise<readonly { readonly day: string; readonly spent: Amount; readonly estimated: Amount }[]>;
  /** Calls back with words for the person: the spend file could not be read and was kept aside. */
  onWarning(listener: (words: string) => void): { dispose(): void };
  close(): Promise<void>;
}

/**
 * What this machine spends, in `folder`, which every window of it must share. Nothing is written before the first
 * reservation or stop. Every method may throw `Refused`: a request whose reservation could not be written is not sent.
 */
export function openSpending(folder: AbsolutePath, options: SpendingOptions = {}): OpenedSpending {
  return new SpendingFolder(folder, {
    now: options.now ?? Date.now,
    pollMs: options.pollMs ?? 1_000,
    graceMs: options.graceMs ?? 60_000,
    unseenGraceMs: options.unseenGraceMs ?? 60 * 60_000,
  });
}

class SpendingFolder implements OpenedSpending {
  readonly #options: Required<SpendingOptions>;
  readonly #file: LockedSpendFile;
  readonly #marker: StopMarker;
  readonly #turns = new Turns();
  /** Reserved here and not settled yet: of one that the file has lost, the cost is booked all the same. */
  readonly #outstanding = new Set<string>();
  /** Of these the ones that reserved nothing, and that the file does not know. */
  readonly #free = new Set<string>();
  /** Settled but not written yet, because the disk was full: goes with the next change. */
  readonly #owed = new Map<string, Amount>();
  readonly #warned = new Map<string, string>();
  readonly #warningListeners = new Listeners<string>();

  constructor(folder: string, options: Required<SpendingOptions>) {
    this.#options = options;
    this.#file = new LockedSpendFile(folder, options.now);
    this.#marker = new StopMarker(folder, options.pollMs);
  }

  async reserve(amount: Amount, daily: DailyLimits): Promise<ReserveResult> {
    check(amount);
    const holder = await thisProcess();
    const made: Reservation = { id: randomUUID(), amount, holder, at: this.#options.now() };
    const today = dayOf(made.at);
    if (isNothing(amount)) {
      // A survey or a free model: no file to wait for, but what it turns out to cost is booked.
      this.#outstanding.add(made.id);
      this.#free.add(made.id);
      return { kind: 'reserved', reservation: made.id };
    }
    const result = await this.#update<ReserveResult>((file) => {
      const fit = fits(dayIn(file, today), amount, daily);
      return fit.kind === 'fits' ? { file: reserve(file, today, made), result: { kind: 'reserved', reservation: made.id } } : { file, result: fit };
    });
    if (result.kind === 'reserved') this.#outstanding.add(result.reservation);
    return result;
  }

  async settle(reservation: string, spent: Amount): Promise<void> {
    check(spent);
    if (isNothing(spent) && this.#free.delete(reservation)) {
      this.#outstanding.delete(reservation);
      return;
    }
    this.#owed.set(reservation, spent);
    await this.#update((file) => ({ file, result: undefined }));
  }

  async today(): ReturnType<Spending['today']> {
    const file = await this.#read();
    const day = dayOf(this.#options.now());
    const { spent, raised, ...rest } = dayIn(file, day);
    return { day, spent, reserved: reservedOn({ spent, raised, ...rest }), raised };
  }

  async raise(amount: Amount): Promise<void> {
    check(amount);
    const today = dayOf(this.#options.now());
    await this.#update((file) => ({ file: withDay(file, today, (day) => ({ ...day, raised: plus(day.raised, amount) })), result: undefined }));
  }

  stopEverything(): Promise<void> {
    return this.#marker.set(this.#options.now());
  }

  stoppedAt(): Promise<number | null> {
    return Promise.resolve(this.#marker.read());
  }

  onStop(listener: () => void): { dispose(): void } {
    return this.#marker.onStop(listener);
  }

  async history(days: number): ReturnType<OpenedSpending['history']> {
    const file = await this.#read();
    return Object.entries(file.days).sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, Math.min(days, DAYS_KEPT)).map(([day, { spent, estimated }]) => ({ day, spent, estimated }));
  }

  onWarning(listener: (words: string) => void): { dispose(): void } {
    for (const words of this.#warned.values()) queueMicrotask(() => { listener(words); });
    return this.#warningListeners.add(listener);
  }

  async close(): Promise<void> {
    this.#marker.close();
    await this.#turns.run(() => Promise.resolve());
  }

  async #read(): Promise<SpendFile> {
    const file = (await this.#file.read()) ?? (await this.#update((f) => ({ file: f, result: f })));
    this.#warn(file);
    return file;
  }

  #update<T>(change: (file: SpendFile) => { readonly file: SpendFile; readonly result: T }): Promise<T> {
    return this.#turns.run(async () => {
      const owed = [...this.#owed];
      const result = await this.#file.update(async (file) => {
        this.#warn(file);
        const settled = this.#settleOwed(file, owed);
        const gone = await this.#gone(settled);
        const changed = change(gone.size > 0 ? assumeSpent(settled, (r) => gone.has(r.id)) : settled);
        return { file: changed.file === file ? file : prune(changed.file, this.#options.now()), result: changed.result };
      });
      for (const [id] of owed) {
        this.#owed.delete(id);
        this.#outstanding.delete(id);
        this.#free.delete(id);
      }
      return result;
    });
  }

  #settleOwed(file: SpendFile, owed: readonly (readonly [string, Amount])[]): SpendFile {
    return owed.reduce((so, [id, spent]) => {
      const settled = settle(so, id, spent);
      if (settled) return settled;
      // Neither reserved nor assumed: settled before, unless the file was lost since it was reserved here.
      return this.#outstanding.has(id) ? withDay(so, dayOf(this.#options.now()), (day) => ({ ...day, spent: plus(day.spent, spent) })) : so;
    }, file);
  }

  /** Reservations whose process has ended, or has not been seen for long, and that nobody is going to settle. */
  async #gone(file: SpendFile): Promise<ReadonlySet<string>> {
    const now = this.#options.now();
    const mine = await thisProcess();
    const gone = new Set<string>();
    for (const { id, holder, at } of Object.values(file.days).flatMap((day) => day.reservations)) {
      const age = now - at;
      if (age < this.#options.graceMs || isSameProcess(holder, mine)) continue;
      const life = await liveness(holder);
      if (life === 'dead' || (life === 'unknown' && age >= this.#options.unseenGraceMs)) gone.add(id);
    }
    return gone;
  }

  #warn(file: SpendFile): void {
    for (const [day, { lost }] of Object.entries(file.days)) {
      if (!lost || this.#warned.has(lost.keptAs)) continue;
      const words = `What was spent on ${day} before ${new Date(lost.at).toLocaleTimeString()} is not known: the file with it could not be read and was kept as ${lost.keptAs}. The day's cap counts as used up until you raise it.`;
      this.#warned.set(lost.keptAs, words);
      queueMicrotask(() => { this.#warningListeners.tell(words); });
    }
  }
}

function isNothing(amount: Amount): boolean {
  return amount.usd === 0 && amount.unpricedTokens === 0;
}

function check(amount: Amount): void {
  for (const value of [amount.usd, amount.unpricedTokens]) {
    if (!Number.isFinite(value) || value < 0) throw new RangeError(`an amount of ${value} cannot be reserved or spent`);
  }
}
