import fs from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { lock } from 'proper-lockfile';
import { z } from 'zod';
import { makeFolder, removeLeftBeside, replaceFile } from '../durableFile.ts';
import { liveness, processIdentity, thisProcess } from '../processIdentity.ts';
import { errorCode } from '../retry.ts';
import type { LedgerFolders } from './folders.ts';

export interface OwnerLockTimes {
  /** A heartbeat older than this is nobody's any more; 2,000 ms at least. */
  readonly staleMs: number;
  /** How often the owner shows that it lives; 1,000 ms at least, a third of `staleMs` at most. */
  readonly heartbeatMs: number;
}

export const OWNER_LOCK_TIMES: OwnerLockTimes = { staleMs: 60_000, heartbeatMs: 5_000 };

type LockState =
  | { readonly kind: 'free' }
  /** Its process has ended, or its heartbeat is stale: whoever needs it takes it over. */
  | { readonly kind: 'left' }
  /** `answering`: it has missed no more than two heartbeats. */
  | { readonly kind: 'held'; readonly pid: number; readonly answering: boolean };

type Acquired<T> =
  | { readonly kind: 'acquired'; readonly value: T }
  | { readonly kind: 'held'; readonly pid: number; readonly answering: boolean };

const ownerFile = z.object({ v: z.literal(1), epoch: z.number().int().nonnegative(), owner: processIdentity, since: z.number() });

/**
 * Which window may write: a lock whose time is a heartbeat, and a file that says who holds it in which epoch. The lock
 * only keeps windows from disturbing each other. What makes two owners harmless is the fence (`OpenSegment`), since a
 * process that is stopped for longer than the lock's time-out wakes up believing that it still holds it.
 */
export class OwnerLock {
  readonly #folders: LedgerFolders;
  readonly #times: OwnerLockTimes;
  readonly #isSuperseded: () => boolean;
  readonly #onCompromised: () => void;
  #release: (() => Promise<void>) | undefined;

  /** `isSuperseded` looks whether a newer owner exists, without waiting; `onCompromised` is told that the lock went. */
  constructor(folders: LedgerFolders, times: OwnerLockTimes, isSuperseded: () => boolean, onCompromised: () => void) {
    this.#folders = folders;
    this.#times = times;
    this.#isSuperseded = isSuperseded;
    this.#onCompromised = onCompromised;
  }

  async look(): Promise<LockState> {
    const held = await stat(this.#folders.ownerLock).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (!held) return { kind: 'free' };
    const age = Date.now() - held.mtimeMs;
    const owner = (await this.#readOwner())?.owner;
    if (age > this.#times.staleMs || (owner && (await liveness(owner)) === 'dead')) return { kind: 'left' };
    return { kind: 'held', pid: owner?.pid ?? 0, answering: age <= this.#times.heartbeatMs * 3 };
  }

  /** The newest epoch that anybody claimed; 0 where nobody did. */
  async claimedEpoch(): Promise<number> {
    return (await this.#readOwner())?.epoch ?? 0;
  }

  /**
   * Takes the lock and, before anybody else can, carries out `enter`; where that throws the lock is given back. `force`
   * takes it from an owner that does not answer, by the person's word.
   */
  async acquire<T>(force: boolean, enter: () => Promise<T>): Promise<Acquired<T>> {
    await makeFolder(this.#folders.root);
    return this.#whileTaking(async () => {
      const state = await this.look();
      if (state.kind === 'held' && (state.answering || !force)) return state;
      if (state.kind !== 'free') await rm(this.#folders.ownerLock, { recursive: true, force: true });
      if (!(await this.#lock())) return { kind: 'held', pid: 0, answering: true };
      try {
        return { kind: 'acquired', value: await enter() };
      } catch (error) {
        await this.release();
        throw error;
      }
    });
  }

  /**
   * The lock is gone or was touched, though nobody has succeeded us (a cleaning tool, a backup): takes it again. False
   * where somebody has, or is about to.
   */
  reacquire(epoch: number): Promise<boolean> {
    return this.#whileTaking(async () => {
      if (this.#isSuperseded() || (await this.claimedEpoch()) > epoch) return false;
      await rm(this.#folders.ownerLock, { recursive: true, force: true });
      return this.#lock();
    });
  }

  /** Says who the owner is, before it does anything as one. */
  async claim(epoch: number, now: number): Promise<void> {
    await removeLeftBeside(this.#folders.ownerFile);
    await replaceFile(this.#folders.ownerFile, `${JSON.stringify({ v: 1, epoch, owner: await thisProcess(), since: now })}\n`);
  }

  async release(): Promise<void> {
    const release = this.#release;
    this.#release = undefined;
    // A lock that was compromised in the meantime is no longer ours to give back.
    await release?.().catch(() => undefined);
  }

  /** False where somebody has it. */
  async #lock(): Promise<boolean> {
    try {
      this.#release = await lock(this.#folders.ownerLock, {
        lockfilePath: this.#folders.ownerLock,
        realpath: false,
        stale: this.#times.staleMs,
        update: this.#times.heartbeatMs,
        fs: this.#careful(),
        onCompromised: () => {
          this.#release = undefined;
          this.#onCompromised();
        },
      });
      return true;
    } catch (error) {
      if (errorCode(error) === 'ELOCKED') return false;
      throw error;
    }
  }

  /**
   * The library removes the lock when it gives it back and when the process ends, whoever holds it by then: a window
   * that woke up superseded would take away its successor's.
   */
  #careful(): typeof fs {
    const careful = Object.create(fs) as typeof fs;
    return Object.assign(careful, {
      rmdir: (path: string, done: (error: NodeJS.ErrnoException | null) => void) => {
        if (this.#isSuperseded()) done(null);
        else fs.rmdir(path, done);
      },
      rmdirSync: (path: string) => { if (!this.#isSuperseded()) fs.rmdirSync(path); },
    });
  }

  /** Only one window at a time looks at the lock in order to take it: two that both saw a dead owner would take it from each other. */
  async #whileTaking<T>(work: () => Promise<T>): Promise<T> {
    const path = this.#folders.takingLock;
    const release = await lock(path, { lockfilePath: path, realpath: false, stale: 5_000, onCompromised: () => undefined, retries: { retries: 200, factor: 1.2, minTimeout: 5, maxTimeout: 100, randomize: true } });
    try {
      return await work();
    } finally {
      await release().catch(() => undefined);
    }
  }

  async #readOwner(): Promise<z.infer<typeof ownerFile> | null> {
    const text = await readFile(this.#folders.ownerFile, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    try {
      return ownerFile.parse(JSON.parse(text));
    } catch {
      // Damaged: the segments know the epoch, and the lock's time alone tells whether its owner lives.
      return null;
    }
  }
}
