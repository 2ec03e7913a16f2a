import type { EpisodeId } from '../core/ids.ts';
import { toGiveBack, type DiskUse } from '../core/limits/diskBudget.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import type { WorldLog } from './worldLog.ts';

/** Milliseconds without a new change that waits, before the disk is looked at: agents come first. */
const QUIET_MS = 3_000;

/** Looks at what worktrees take on disk when changes come to wait, and gives the oldest back where it is too much. */
export class DiskBudget {
  readonly #ports: Pick<WorldPorts, 'worktrees' | 'settings' | 'clock' | 'ledger'>;
  readonly #log: WorldLog;
  readonly #giveBack: (episode: EpisodeId) => Promise<void>;
  readonly #measured: () => void;
  readonly #subscription: { dispose(): void };
  #quiet = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #waiting = '';
  #use: DiskUse | null = null;

  constructor(ports: Pick<WorldPorts, 'worktrees' | 'settings' | 'clock' | 'ledger'>, log: WorldLog, giveBack: (episode: EpisodeId) => Promise<void>, measured: () => void) {
    this.#ports = ports;
    this.#log = log;
    this.#giveBack = giveBack;
    this.#measured = measured;
    this.#subscription = log.onChange(() => this.#lookSoon());
  }

  /** As it was when it was last looked at; null before. */
  get use(): DiskUse | null {
    return this.#use;
  }

  close(): Promise<void> {
    this.#subscription.dispose();
    this.#quiet.abort();
    return this.#looking;
  }

  #lookSoon(): void {
    const waiting = [...this.#log.state.episodes.values()].filter((e) => e.phase.name === 'waiting').map((e) => e.id).join(' ');
    if (waiting === this.#waiting) return;
    this.#waiting = waiting;
    this.#quiet.abort();
    const quiet = new AbortController();
    this.#quiet = quiet;
    void this.#ports.clock.sleep(QUIET_MS, quiet.signal).then(() => { this.#looking = this.#looking.then(() => this.#look(quiet.signal)); }, () => undefined);
  }

  /** A disk that cannot be looked at is no reason to disturb anybody. */
  async #look(signal: AbortSignal): Promise<void> {
    const { worktrees, settings, ledger } = this.#ports;
    const use = await worktrees.diskUse(signal).catch(() => null);
    if (use === null || signal.aborted) return;
    this.#use = use;
    // Another window's agents are its own business, and saving may run a filter.
    const given = ledger.readOnly() === null && settings.trusted() ? toGiveBack(this.#log.state, use, settings.worktreeBytes()) : [];
    for (const episode of given) await this.#giveBack(episode);
    if (given.length > 0) this.#use = await worktrees.diskUse(signal).catch(() => use);
    this.#measured();
  }
}
