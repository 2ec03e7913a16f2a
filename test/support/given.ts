import { expect } from 'vitest';
import { ledgerEvent, type LedgerEvent } from '../../src/core/ledger/events.ts';
import type { RefusalReason } from '../../src/core/refusal.ts';
import type { Command } from '../../src/core/world/commands.ts';
import { decide } from '../../src/core/world/decide.ts';
import type { Effect } from '../../src/core/world/decision.ts';
import { evolve } from '../../src/core/world/evolve.ts';
import { EMPTY_WORLD, type Episode, type WorldState } from '../../src/core/world/state.ts';

/** When the ledgers of these tests begin, milliseconds since the epoch. */
export const NINE_O_CLOCK = Date.UTC(2026, 0, 5, 9);

/** Time that goes by between two facts; without it they are stamped at the same moment. */
export interface Passing {
  readonly pass: number;
}

export type Past = LedgerEvent | Passing;

/** Milliseconds that go by. */
export function minutes(n: number): Passing {
  return { pass: n * 60_000 };
}

/** A world whose ledger holds these facts, in this order. */
export function given(...past: readonly Past[]): World {
  return new World(EMPTY_WORLD, NINE_O_CLOCK).and(...past);
}

export class World {
  readonly state: WorldState;
  /** The moment of the newest fact or of what went by since, milliseconds since the epoch. */
  readonly now: number;

  constructor(state: WorldState, now: number) {
    this.state = state;
    this.now = now;
  }

  and(...past: readonly Past[]): World {
    return past.reduce<World>((world, next) => ('pass' in next ? new World(world.state, world.now + next.pass) : new World(evolve(world.state, asRecorded(next), world.now), world.now)), this);
  }

  when(command: Command): Asked {
    return new Asked(this, command);
  }

  /** The only episode, where there is one; the newest otherwise. */
  get episode(): Episode {
    const newest = [...this.state.episodes.values()].at(-1);
    if (!newest) throw new Error('this world has no episode');
    return newest;
  }
}

/** A command put to a world, and what must come of it. */
export class Asked {
  readonly #world: World;
  readonly #command: Command;

  constructor(world: World, command: Command) {
    this.#world = world;
    this.#command = command;
  }

  /** Exactly these facts and effects; gives the world with the facts in its ledger. */
  then(expected: { readonly events: readonly LedgerEvent[]; readonly effects?: readonly Effect[] }): World {
    const decision = decide(this.#world.state, this.#command);
    expect(decision).toEqual({ kind: 'accepted', events: expected.events, effects: expected.effects ?? [] });
    return this.#world.and(...expected.events);
  }

  /** Accepted, whatever comes of it: a step on the way to what the test is about. */
  isAccepted(): World {
    const decision = decide(this.#world.state, this.#command);
    if (decision.kind === 'refused') throw new Error(`"${this.#command.type}" was refused: ${decision.refusal.message}`);
    return this.#world.and(...decision.events);
  }

  /** Refused with this reason, in words that say what happened and what to do next; gives the world as it was. */
  refuses(reason: RefusalReason): World {
    const decision = decide(this.#world.state, this.#command);
    expect(decision).toMatchObject({ kind: 'refused', refusal: { reason, message: expect.stringMatching(/\w.*\.$/) as unknown, next: expect.stringMatching(/\w.*\.$/) as unknown } });
    return this.#world;
  }
}

/** What the ledger would hold: facts are validated when they are written, and read back from JSON. */
function asRecorded(event: LedgerEvent): LedgerEvent {
  return ledgerEvent.parse(JSON.parse(JSON.stringify(event)));
}
