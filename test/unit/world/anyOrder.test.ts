import { describe, expect, it } from 'vitest';
import { episodeId } from '../../../src/core/ids.ts';
import { ledgerEvent, type LedgerEvent } from '../../../src/core/ledger/events.ts';
import type { Command } from '../../../src/core/world/commands.ts';
import { decide } from '../../../src/core/world/decide.ts';
import type { Effect } from '../../../src/core/world/decision.ts';
import { evolve } from '../../../src/core/world/evolve.ts';
import { EMPTY_WORLD, type WorldState } from '../../../src/core/world/state.ts';
import { anyCommand } from '../../support/anyCommand.ts';
import { prepared, started } from '../../support/facts.ts';
import { NINE_O_CLOCK } from '../../support/given.ts';
import { Seeded } from '../../support/seeded.ts';
import { brokenBetween, brokenIn } from '../../support/worldInvariants.ts';

interface Life {
  /** Every command with what was decided, and the world that it was decided in. */
  readonly told: { readonly command: Command; readonly accepted: boolean; readonly before: WorldState; readonly events: readonly LedgerEvent[] }[];
  readonly ledger: readonly { readonly at: number; readonly event: LedgerEvent }[];
  readonly state: WorldState;
  readonly now: number;
}

const SEEDS = Array.from({ length: 180 }, (_, i) => i + 1);
const COMMANDS = 120;

/** A parent and a child with limits that bite soon, so that limits over a subtree are met too. */
const PARENT: readonly LedgerEvent[] = [started({ limits: { costUsd: 1.2, freshTokens: 1600, turns: 5 } }), prepared(), started({ episode: episodeId.parse('e2-k3f9'), parent: episodeId.parse('e1-k3f9'), limits: { costUsd: 1, freshTokens: 1000, turns: 4 } }), prepared(episodeId.parse('e2-k3f9'))];

const lives = new Map<number, Life>();

/** A world that lived through commands in any order; after each, everything that must hold was looked at. */
function lived(seed: number): Life {
  const known = lives.get(seed) ?? live(seed);
  lives.set(seed, known);
  return known;
}

function live(seed: number): Life {
  const chance = new Seeded(seed);
  let life: Life = appended({ ledger: [], told: [], state: EMPTY_WORLD, now: NINE_O_CLOCK }, seed % 2 === 0 ? PARENT : []);
  for (let n = 1; n <= COMMANDS; n++) {
    life = { ...life, now: life.now + (chance.chance(0.03) ? chance.between(1, 40) * 60_000 : chance.between(0, 5_000)) };
    const command = anyCommand(chance, life.state, life.now);
    const decision = decide(life.state, command);
    const events = decision.kind === 'accepted' ? decision.events : [];
    const next = appended(life, events);
    next.told.push({ command, accepted: decision.kind === 'accepted', before: life.state, events });
    const broken = [...brokenIn(next.state), ...brokenBetween(life.state, next.state), ...(decision.kind === 'accepted' ? unknownTo(next.state, decision.effects) : [])];
    if (broken.length > 0) throw new Error(`seed ${String(seed)}, after command ${String(n)}: ${broken.join('; ')}\n${next.told.slice(-12).map((t) => `${t.accepted ? 'accepted' : 'refused '} ${JSON.stringify(t.command).slice(0, 160)}`).join('\n')}`);
    life = next;
  }
  return life;
}

function appended(life: Life, events: readonly LedgerEvent[]): Life {
  return {
    ...life,
    ledger: [...life.ledger, ...events.map((event) => ({ at: life.now, event }))],
    state: events.reduce((state, event) => evolve(state, ledgerEvent.parse(event), life.now), life.state),
  };
}

function unknownTo(state: WorldState, effects: readonly Effect[]): string[] {
  return effects.filter((effect) => ('episode' in effect && !state.episodes.has(effect.episode)) || ('move' in effect && !state.moves.has(effect.move))).map((effect) => `"${effect.do}" is about nothing that is known`);
}

describe('commands in any order', () => {
  it('never throw and leave everything as it must be', () => {
    for (const seed of SEEDS) lived(seed);
  });

  it('are met by this test in every kind, accepted and refused: else it would prove little', () => {
    const met = new Map<Command['type'], { accepted: number; refused: number }>();
    for (const { command, accepted } of SEEDS.flatMap((seed) => lived(seed).told)) {
      const seen = met.get(command.type) ?? { accepted: 0, refused: 0 };
      met.set(command.type, accepted ? { ...seen, accepted: seen.accepted + 1 } : { ...seen, refused: seen.refused + 1 });
    }
    const neverRefused: readonly Command['type'][] = ['delegate', 'recover'];
    expect([...met].filter(([type, seen]) => seen.accepted < 20 || (seen.refused < 10 && !neverRefused.includes(type)))).toEqual([]);
    expect(met.size).toBe(25);
  });

  it('never let an agent send a request that is not at work', () => {
    const sent = SEEDS.flatMap((seed) => lived(seed).told).flatMap(({ before, events }) => events.filter((e) => e.type === 'model.requested').map((e) => before.episodes.get(e.episode)?.phase.name));
    expect(sent.length).toBeGreaterThan(300);
    expect(new Set(sent)).toEqual(new Set(['running']));
  });

  it('count each request exactly once, as it was first told', () => {
    for (const seed of SEEDS) {
      const { ledger, state } = lived(seed);
      for (const episode of state.episodes.values()) {
        const told = new Map<number, number>();
        for (const { event } of ledger) {
          if ((event.type !== 'model.answered' && event.type !== 'model.failed') || event.episode !== episode.id) continue;
          expect(told.has(event.request), `seed ${String(seed)}: ${episode.id} request ${String(event.request)} is told twice in the ledger`).toBe(false);
          told.set(event.request, event.usd);
        }
        const sent = ledger.filter(({ event }) => event.type === 'model.requested' && event.episode === episode.id).length;
        expect(told.size + episode.spent.inFlight.size).toBe(sent);
        expect(episode.spent.usd).toBeCloseTo([...told.values()].reduce((sum, usd) => sum + usd, 0), 9);
      }
    }
  });

  it('give the same world when the ledger is replayed, also from its JSON', () => {
    for (const seed of SEEDS.slice(0, 40)) {
      const { ledger, state } = lived(seed);
      const lines = ledger.map((record) => JSON.stringify(record));
      const replayed = lines.map((line) => JSON.parse(line) as { at: number; event: unknown }).reduce((world, record) => evolve(world, ledgerEvent.parse(record.event), record.at), EMPTY_WORLD);
      expect(replayed).toEqual(state);
    }
  });

  it('can be cut off anywhere: a start next morning finds everything counted, and nobody goes on unasked', () => {
    for (const seed of SEEDS) {
      const { state, now } = lived(seed);
      const morning = now + 12 * 3_600_000;
      const decision = decide(state, { type: 'recover', at: morning });
      if (decision.kind === 'refused') throw new Error('recovery is never refused');
      expect(decision.effects.filter((effect) => effect.do !== 'recover move')).toEqual([]);
      const recovered = decision.events.reduce((world, event) => evolve(world, event, morning), state);
      expect(brokenIn(recovered)).toEqual([]);
      for (const [id, episode] of recovered.episodes) {
        expect(['running', 'preparing']).not.toContain(episode.phase.name);
        expect(episode.spent.inFlight.size).toBe(0);
        expect(episode.spent.wallMs).toBe(state.episodes.get(id)?.spent.wallMs);
      }
    }
  });

  it('do not change the world that they are decided in', () => {
    const { state, now } = lived(7);
    const before = JSON.stringify([...state.episodes]);
    const chance = new Seeded(99);
    for (let n = 0; n < 200; n++) {
      const command = anyCommand(chance, state, now);
      expect(decide(state, command)).toEqual(decide(state, command));
    }
    expect(JSON.stringify([...state.episodes])).toBe(before);
  });
});
