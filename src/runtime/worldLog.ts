import type { EpisodeId } from '../core/ids.ts';
import type { LedgerEvent } from '../core/ledger/events.ts';
import { Listeners } from '../core/listeners.ts';
import { Refused, type Refusal } from '../core/refusal.ts';
import { Turns } from '../core/turns.ts';
import type { Command } from '../core/world/commands.ts';
import { decide } from '../core/world/decide.ts';
import type { Effect } from '../core/world/decision.ts';
import { evolve } from '../core/world/evolve.ts';
import { EMPTY_WORLD, type Episode, type WorldState } from '../core/world/state.ts';
import type { Clock } from './ports/clock.ts';
import type { Ledger } from './ports/ledger.ts';

type Dispatched = { readonly ok: true; readonly events: readonly LedgerEvent[] } | { readonly ok: false; readonly refusal: Refusal };

/**
 * The one way round: command -> decide -> ledger -> evolve -> effects. Commands are handled one after the other; a
 * fact is on disk before its effect begins, so that a crash finds the record of whatever it interrupted.
 */
export class WorldLog {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #perform: (effect: Effect) => void;
  readonly #changed = new Listeners<void>();
  #state: WorldState = EMPTY_WORLD;
  readonly #turns = new Turns();

  constructor(ledger: Ledger, clock: Clock, perform: (effect: Effect) => void) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#perform = perform;
  }

  get state(): WorldState {
    return this.#state;
  }

  episode(id: EpisodeId): Episode {
    const episode = this.#state.episodes.get(id);
    if (!episode) throw new Refused({ reason: 'episode-unknown', message: `Agent ${id} is not known here.`, next: 'It may be one of another clone; look in the Agents view.' });
    return episode;
  }

  /** Rebuilds the state from the ledger; gives what could not be read, in words. */
  async replay(): Promise<readonly string[]> {
    const { records, warnings } = await this.#ledger.replay();
    this.#state = records.reduce((state, record) => evolve(state, record.event, record.at), EMPTY_WORLD);
    this.#changed.tell();
    return warnings;
  }

  /** Facts that another window wrote. */
  take(records: readonly { readonly event: LedgerEvent; readonly at: number }[]): void {
    for (const record of records) this.#state = evolve(this.#state, record.event, record.at);
    this.#changed.tell();
  }

  onChange(listener: () => void): { dispose(): void } {
    return this.#changed.add(listener);
  }

  /** Never rejects for a refusal, nor when this window is not (or no longer) the owner: both come back as `ok: false`. */
  dispatch(command: Command): Promise<Dispatched> {
    return this.#turns.run(() => this.#handle(command));
  }

  async #handle(command: Command): Promise<Dispatched> {
    const decision = decide(this.#state, command);
    if (decision.kind === 'refused') return { ok: false, refusal: decision.refusal };
    if (decision.events.length > 0) {
      try {
        const records = await this.#ledger.append(decision.events);
        for (const record of records) this.#state = evolve(this.#state, record.event, record.at);
      } catch (error) {
        if (error instanceof Refused) return { ok: false, refusal: error.refusal };
        throw error;
      }
      // Not within the turn: what a listener throws must not keep back the effects of facts that are on disk.
      queueMicrotask(() => { this.#changed.tell(); });
    }
    for (const effect of decision.effects) this.#perform(effect);
    return { ok: true, events: decision.events };
  }

  /** Milliseconds since the epoch, the clock that facts are stamped with. */
  now(): number {
    return this.#clock.now();
  }
}
