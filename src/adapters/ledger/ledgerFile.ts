import { ledgerEvent, type LedgerEvent } from '../../core/ledger/events.ts';
import { LEDGER_VERSION, type LedgerRecord } from '../../core/ledger/record.ts';
import { Listeners } from '../../core/listeners.ts';
import { Refused } from '../../core/refusal.ts';
import { Turns } from '../../core/turns.ts';
import type { ReadOnlyReason } from '../../runtime/ports/ledger.ts';
import { makeFolder, syncFolder } from '../durableFile.ts';
import { Batches } from './batches.ts';
import { diskRefusal } from './diskRefusal.ts';
import type { LedgerFolders } from './folders.ts';
import { watchFolder } from './folderWatch.ts';
import { closed, historyChanged, newerVersion, otherWindowHolds, otherWindowWrote, takenOver } from './ledgerRefusals.ts';
import type { LedgerOptions, OpenedLedger, TakeOver } from './openedLedger.ts';
import { OwnerLock } from './ownerLock.ts';
import { readSegments, START, type Cursor, type Reading } from './readSegments.ts';
import { hasNewer, newestEpoch, OpenSegment, segmentPath } from './segments.ts';
import { keptBySuccessor } from './successor.ts';
import { WindowAccess } from './windowAccess.ts';

interface Append {
  readonly events: readonly LedgerEvent[];
  readonly at: number;
  readonly done: (records: readonly LedgerRecord[]) => void;
  readonly failed: (error: unknown) => void;
}

/** One window's view of one ledger. Everything that reads or writes the files runs one at a time, in turns. */
export class LedgerFile implements OpenedLedger {
  readonly #folders: LedgerFolders;
  readonly #options: Required<LedgerOptions>;
  readonly #lock: OwnerLock;
  readonly #turns = new Turns();
  readonly #appends: Batches<Append>;
  readonly #followers = new Listeners<readonly LedgerRecord[]>();
  readonly #lostListeners = new Listeners<void>();
  readonly #access: WindowAccess;
  #tag: string;
  #newer: number | null;
  /** Up to where the caller knows the records; null before it has read any. */
  #cursor: Cursor | null = null;
  /** Null while this window is not the owner. */
  #segment: OpenSegment | null = null;
  #seq = 0;
  /** Why the segment must not be written any more: a write to it failed half-way. */
  #broken: Refused | null = null;
  #lost = false;
  #diverged = false;
  #closed = false;
  #watch: { dispose(): void } | undefined;
  #lookQueued = false;

  constructor(folders: LedgerFolders, tag: string, newer: number | null, options: Required<LedgerOptions>) {
    this.#folders = folders;
    this.#tag = tag;
    this.#newer = newer;
    this.#options = options;
    this.#lock = new OwnerLock(folders, options.lockTimes, () => this.#isSuperseded(), () => { this.#lockWent(); });
    this.#access = new WindowAccess(this.#lock, folders.root);
    this.#appends = new Batches((appends) => this.#turns.run(() => this.#carry(appends)), options.groupingMs);
  }

  async start(): Promise<void> {
    await this.#refreshAccess();
    this.#watch = watchFolder(this.#folders.segments, this.#options.pollMs, () => { this.#lookSoon(); });
  }

  get tag(): string {
    return this.#tag;
  }

  replay(): Promise<{ readonly records: readonly LedgerRecord[]; readonly warnings: readonly string[] }> {
    return this.#turns.run(async () => {
      const reading = await readSegments(this.#folders.segments, START, this.#segment ?? undefined);
      this.#cursor = null;
      this.#diverged = false;
      this.#take(reading);
      await this.#refreshAccess();
      const access = this.#access.reason;
      const writing = access?.kind === 'other-window' && access.answering;
      return { records: reading.records, warnings: reading.tail === null || writing ? reading.warnings : [...reading.warnings, reading.tail] };
    });
  }

  readOnly(): ReadOnlyReason | null {
    return this.#access.reason;
  }

  append(events: readonly LedgerEvent[]): Promise<readonly LedgerRecord[]> {
    if (events.length === 0) return Promise.resolve([]);
    return new Promise((done, failed) => {
      // Validated now, not when it is written: what the caller changes in the meantime must not slip in.
      this.#appends.add({ events: events.map((event) => ledgerEvent.parse(event)), at: this.#options.now(), done, failed });
    });
  }

  isOwner(): Promise<boolean> {
    return this.#turns.run(async () => {
      if (this.#segment && !(await this.#holdsFence(this.#segment))) await this.#standDown();
      return this.#segment !== null;
    });
  }

  follow(listener: (records: readonly LedgerRecord[]) => void): { dispose(): void } {
    return this.#followers.add(listener);
  }

  onLost(listener: () => void): { dispose(): void } {
    return this.#lostListeners.add(listener);
  }

  onReadOnlyChange(listener: () => void): { dispose(): void } {
    return this.#access.onChange(listener);
  }

  tryTakeOver(): Promise<TakeOver> {
    return this.#turns.run(async () => {
      try {
        await this.#becomeOwner(true);
        return { kind: 'owner' };
      } catch (error) {
        return { kind: 'refused', refusal: this.#asRefused(error).refusal };
      } finally {
        await this.#refreshAccess();
      }
    });
  }

  async close(): Promise<void> {
    await this.#appends.drain();
    this.#watch?.dispose();
    await this.#turns.run(async () => {
      this.#closed = true;
      await this.#segment?.close();
      await this.#lock.release();
      this.#segment = null;
    });
  }

  async #carry(appends: readonly Append[]): Promise<void> {
    try {
      const caughtUp = await this.#becomeOwner(false);
      if (caughtUp === 'with news') throw otherWindowWrote();
      await this.#write(appends);
    } catch (error) {
      for (const append of appends) append.failed(this.#asRefused(error));
    } finally {
      await this.#refreshAccess();
    }
  }

  /** Afterwards this window is the owner with a segment that can be written. Throws `Refused`. */
  async #becomeOwner(force: boolean): Promise<'as known' | 'with news'> {
    if (this.#closed) throw closed();
    if (this.#newer !== null) throw newerVersion(this.#newer);
    if (this.#diverged) throw historyChanged();
    if (this.#lost) throw takenOver();
    if (this.#segment) {
      if (!(await this.#holdsFence(this.#segment))) {
        await this.#standDown();
        throw takenOver();
      }
      if (this.#broken) await this.#newSegment(this.#segment);
      return 'as known';
    }
    const acquired = await this.#lock.acquire(force, () => this.#enter());
    if (acquired.kind === 'held') throw otherWindowHolds(acquired.pid, acquired.answering);
    return acquired.value;
  }

  #asRefused(error: unknown): Refused {
    return error instanceof Refused ? error : diskRefusal("This repository's history", this.#folders.root, error);
  }

  /** From the lock to a segment of its own, which from then on fences off every earlier owner. */
  async #enter(): Promise<'as known' | 'with news'> {
    const { segments, root } = this.#folders;
    const before = await readSegments(segments, this.#cursor ?? START);
    if (before.newer !== null) {
      this.#newer = before.newer;
      throw newerVersion(before.newer);
    }
    if (this.#cursor !== null && before.diverged) {
      this.#diverged = true;
      throw historyChanged();
    }
    await makeFolder(segments);
    await syncFolder(root);
    const epoch = Math.max(await this.#lock.claimedEpoch(), await newestEpoch(this.#folders.segments)) + 1;
    await this.#lock.claim(epoch, this.#options.now());
    const segment = await OpenSegment.create(segments, epoch);
    if (!segment) throw otherWindowHolds(0, true);
    // Read again, now that nobody else can add to what counts: an owner that stalled may have written a moment ago.
    const reading = await readSegments(segments, this.#cursor ?? START, segment);
    await this.#writeHeader(segment, reading.end, reading.tag);
    const known = this.#cursor !== null;
    if (known && reading.diverged) {
      await segment.close();
      this.#diverged = true;
      throw historyChanged();
    }
    this.#segment = segment;
    this.#seq = 0;
    if (known) this.#take(reading);
    if (this.#cursor) this.#cursor = { epoch, offset: segment.accepted };
    if (!(await this.#holdsFence(segment))) {
      await this.#standDown();
      throw takenOver();
    }
    return known && reading.records.length > 0 ? 'with news' : 'as known';
  }

  async #writeHeader(segment: OpenSegment, previous: Cursor, tag: string | null): Promise<void> {
    this.#tag = tag ?? this.#tag;
    try {
      await segment.writeHeader({
        v: LEDGER_VERSION, kind: 'segment', epoch: segment.epoch, at: this.#options.now(), tag: this.#tag,
        previous: previous.epoch === 0 ? null : { epoch: previous.epoch, bytes: previous.offset },
      });
    } catch (error) {
      await segment.discard();
      throw error;
    }
  }

  /**
   * Goes on in a new segment after a write failed: the old one may end in half a line, and what a failed flush left of
   * it in memory cannot be trusted. Its header states what was accepted, so that nothing has to be overwritten or cut.
   */
  async #newSegment(old: OpenSegment): Promise<void> {
    try {
      const segment = await OpenSegment.create(this.#folders.segments, Math.max(await this.#lock.claimedEpoch(), old.epoch) + 1);
      if (!segment) {
        await this.#standDown();
        throw takenOver();
      }
      await this.#writeHeader(segment, { epoch: old.epoch, offset: old.accepted }, null);
      this.#segment = segment;
      this.#seq = 0;
      this.#broken = null;
      if (this.#cursor) this.#cursor = { epoch: segment.epoch, offset: segment.accepted };
      await old.close();
      if (!(await this.#holdsFence(segment))) {
        await this.#standDown();
        throw takenOver();
      }
    } catch (error) {
      throw error instanceof Refused ? error : (this.#broken = diskRefusal("This repository's history", segmentPath(this.#folders.segments, old.epoch), error));
    }
  }

  async #write(appends: readonly Append[]): Promise<void> {
    const segment = this.#segment;
    if (!segment) throw takenOver();
    let seq = this.#seq;
    const written = appends.map((append) => ({
      append,
      records: append.events.map((event): LedgerRecord => ({ v: LEDGER_VERSION, epoch: segment.epoch, seq: ++seq, at: append.at, event })),
    }));
    const lines = written.map(({ records }) => Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')));
    const before: Cursor = { epoch: segment.epoch, offset: segment.accepted };
    try {
      await segment.append(Buffer.concat(lines));
    } catch (error) {
      this.#broken = diskRefusal("This repository's history", segmentPath(this.#folders.segments, segment.epoch), error);
      throw this.#broken;
    }
    this.#seq = seq;
    let kept = seq;
    let unsure = false;
    if ((await newestEpoch(this.#folders.segments).catch(() => null)) !== segment.epoch) {
      // Succeeded between the look and the write: the successor's header says what of it counts.
      const counted = await keptBySuccessor(this.#folders.segments, before);
      await this.#standDown();
      unsure = counted === null;
      kept = counted ?? 0;
    }
    let { offset } = before;
    for (const [index, { append, records }] of written.entries()) {
      if ((records.at(-1)?.seq ?? 0) <= kept) {
        offset += lines[index]?.length ?? 0;
        append.done(records);
      } else {
        append.failed(takenOver(unsure));
      }
    }
    if (this.#cursor) this.#cursor = { epoch: segment.epoch, offset };
  }

  /** True while no newer owner is on disk and the segment still is. */
  async #holdsFence(segment: OpenSegment): Promise<boolean> {
    return (await newestEpoch(this.#folders.segments)) === segment.epoch && (await this.#lock.claimedEpoch()) <= segment.epoch;
  }

  #isSuperseded(): boolean {
    return this.#segment ? hasNewer(this.#folders.segments, this.#segment.epoch) : this.#lost;
  }

  /** For good: what this window decided rests on a state that another one goes on from now. */
  async #standDown(): Promise<void> {
    const segment = this.#segment;
    if (!segment) return;
    this.#lost = true;
    this.#segment = null;
    await segment.close().catch(() => undefined);
    await this.#lock.release();
    await this.#refreshAccess();
    queueMicrotask(() => { this.#lostListeners.tell(); });
  }

  #lockWent(): void {
    void this.#turns.run(async () => {
      if (this.#segment && !(await this.#lock.reacquire(this.#segment.epoch))) await this.#standDown();
    }).catch(() => undefined);
  }

  #lookSoon(): void {
    if (this.#lookQueued || this.#closed) return;
    this.#lookQueued = true;
    // A look that fails (a folder that cannot be read for the moment) is repeated by the next poll.
    void this.#turns.run(() => this.#look()).catch(() => undefined);
  }

  async #look(): Promise<void> {
    this.#lookQueued = false;
    if (this.#closed) return;
    if (this.#segment) {
      if (!(await this.#holdsFence(this.#segment))) await this.#standDown();
      // Without this a window that shows itself as read-only because of the disk would never try again.
      else if (this.#broken) await this.#newSegment(this.#segment);
    } else if (this.#cursor && this.#followers.size > 0 && !this.#diverged) {
      this.#take(await readSegments(this.#folders.segments, this.#cursor));
    }
    await this.#refreshAccess();
  }

  /** Makes what was read known, and tells it to the followers where somebody knew less. */
  #take(reading: Reading): void {
    if (this.#cursor !== null && reading.diverged) {
      // Facts that were told are gone: nothing more can be told on top of them.
      this.#diverged = true;
      return;
    }
    const told = this.#cursor !== null && reading.records.length > 0;
    if (reading.newer !== null) this.#newer = reading.newer;
    this.#tag = reading.tag ?? this.#tag;
    this.#cursor = reading.end;
    // Not within the turn: what a listener does or throws is no part of it. So everywhere in this file.
    if (told) queueMicrotask(() => { this.#followers.tell(reading.records); });
  }

  #refreshAccess(): Promise<void> {
    return this.#access.refresh({ newer: this.#newer, diverged: this.#diverged, owner: this.#segment !== null, broken: this.#broken, lost: this.#lost });
  }
}
