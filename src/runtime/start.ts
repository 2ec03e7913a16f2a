import { SCRATCH_REFS } from '../core/candidate/refs.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import type { Records } from './record.ts';
import type { WorldLog } from './worldLog.ts';

/** How long a start that could not write its first fact waits before it tries again. */
const AGAIN_MS = 1_000;

/** What this window does once, as soon as it may write: it goes on with what an earlier one left (rule 9). */
export class Start {
  readonly #ports: Pick<WorldPorts, 'repository' | 'worktrees' | 'clock'>;
  readonly #log: WorldLog;
  readonly #records: Records;
  readonly #mayWrite: () => boolean;
  readonly #rightRefs: () => Promise<void>;
  readonly #closing = new AbortController();
  #begun = false;
  #recording: Promise<void> = Promise.resolve();

  constructor(ports: Pick<WorldPorts, 'repository' | 'worktrees' | 'clock'>, log: WorldLog, records: Records, mayWrite: () => boolean, rightRefs: () => Promise<void>) {
    this.#ports = ports;
    this.#log = log;
    this.#records = records;
    this.#mayWrite = mayWrite;
    this.#rightRefs = rightRefs;
  }

  /** Never rejects: the world opens all the same, and what could not be done now is done by a later start. */
  async begin(): Promise<void> {
    if (this.#begun || !this.#mayWrite()) return;
    this.#begun = true;
    if (this.#log.state.episodes.size === 0) return;
    const told = await this.#log.dispatch({ type: 'recover', at: this.#log.now() }).catch(() => null);
    if (told?.ok !== true) {
      // The window before wrote until its end, or the disk is full: without another try its agents would stand still for ever.
      this.#begun = false;
      void this.#beginLater();
      return;
    }
    await this.#rightRefs().catch(() => undefined);
    await this.#ports.repository.deleteRefs(SCRATCH_REFS).catch(() => undefined);
    this.#recording = this.#records.writeMissing().catch(() => undefined);
    await this.#ports.worktrees.sweep((id) => {
      const episode = this.#log.state.episodes.get(id);
      return episode === undefined || (episode.phase.name === 'ended' && !episode.worktreeKept);
    }).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#recording;
  }

  async #beginLater(): Promise<void> {
    await this.#ports.clock.sleep(AGAIN_MS, this.#closing.signal).catch(() => undefined);
    if (!this.#closing.signal.aborted) await this.begin();
  }
}
