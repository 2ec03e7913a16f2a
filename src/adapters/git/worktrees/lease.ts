import { readFile, rm } from 'node:fs/promises';
import { z } from 'zod';
import { commitId } from '../../../core/ids.ts';
import type { CommitId } from '../../../core/ids.ts';
import { replaceFile } from '../../durableFile.ts';
import { isSameProcess, liveness, processIdentity, thisProcess } from '../../processIdentity.ts';

/** Milliseconds between two heartbeats. */
const HEARTBEAT_MS = 10_000;
/** A heartbeat older than this is old; six were missed. */
const OLD_MS = 60_000;

const leaseSchema = z.object({
  version: z.literal(2),
  /** What the worktree was made at. */
  commit: commitId,
  owner: processIdentity,
  /** Milliseconds since the epoch. */
  heartbeat: z.number(),
});
export type LeaseRecord = z.infer<typeof leaseSchema>;

/** Who uses a worktree: a file beside it, with a heartbeat every ten seconds for as long as this process holds it. */
export class Lease {
  readonly #file: string;
  readonly commit: CommitId;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, commit: CommitId) {
    this.#file = file;
    this.commit = commit;
  }

  /** Takes the lease, whoever had it: the caller owns the ledger, which decides. */
  static async take(file: string, commit: CommitId): Promise<Lease> {
    const lease = new Lease(file, commit);
    await lease.#write();
    lease.#timer = setInterval(() => void lease.#beat(), HEARTBEAT_MS);
    lease.#timer.unref();
    return lease;
  }

  /** Stops the heartbeat; the file stays, so that the worktree is found by whoever goes on or cleans up. */
  async pause(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#writing;
  }

  /** Stops the heartbeat and removes the file: the last thing done to a worktree. */
  async release(): Promise<void> {
    await this.pause();
    await rm(this.#file, { force: true });
  }

  #beat(): Promise<void> {
    // A disk that is full or away for a moment must not end the window; the process itself still proves the lease.
    this.#writing = this.#writing.then(async () => {
      const now = await readLease(this.#file);
      if (now !== null && !isSameProcess(now.owner, await thisProcess())) {
        // Taken over while this process stalled: stand down.
        if (this.#timer !== null) clearInterval(this.#timer);
        return;
      }
      if (this.#timer !== null) await this.#write();
    }).catch(() => undefined);
    return this.#writing;
  }

  async #write(): Promise<void> {
    const record: LeaseRecord = { version: 2, commit: this.commit, owner: await thisProcess(), heartbeat: Date.now() };
    await replaceFile(this.#file, JSON.stringify(record));
  }
}

/** Null where there is no readable lease. */
export async function readLease(file: string): Promise<LeaseRecord | null> {
  try {
    return leaseSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Whether nobody uses the worktree any more. Where pids can be compared, the process itself tells, at once and whatever
 * its heartbeat: a machine that slept wakes up with old heartbeats. A reused pid fools nobody. Elsewhere (another
 * container, another boot, another machine) only an old heartbeat does.
 */
export async function leaseExpired(lease: LeaseRecord, now: number): Promise<boolean> {
  switch (await liveness(lease.owner)) {
    case 'alive': return false;
    case 'dead': return true;
    // Both ways: a clock that was set back must not keep a dead lease alive for hours.
    case 'unknown': return Math.abs(now - lease.heartbeat) > OLD_MS;
  }
}
