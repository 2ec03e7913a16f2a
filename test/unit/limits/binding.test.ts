import { describe, expect, it } from 'vitest';
import type { ModelRef } from '../../../src/core/episode/model.ts';
import { episodeId, type EpisodeId } from '../../../src/core/ids.ts';
import type { LedgerEvent } from '../../../src/core/ledger/events.ts';
import { fitOf, subtreeUse, type Fit } from '../../../src/core/limits/binding.ts';
import { DAILY_LIMITS, DELEGATION_LIMITS, type Limits } from '../../../src/core/limits/limits.ts';
import type { Usage } from '../../../src/core/limits/usage.ts';
import { asked, AT_WORK, E1, prepared, PRICED, replied, requested, started, SURVEY, UNPRICED, usageOf } from '../../support/facts.ts';
import { given, minutes, type Past, type World } from '../../support/given.ts';

const id = (n: number): EpisodeId => episodeId.parse(`e${String(n)}-k3f9`);
const at = (n: number, parent: number | null, limits: Partial<Limits> = {}, model: ModelRef = PRICED): LedgerEvent[] => [started({ episode: id(n), parent: parent === null ? null : id(parent), limits, model }), prepared(id(n))];

/** Whether one more request of an episode fits that may use so much. */
function fit(world: World, episode: number, usd: number, usage: Partial<Usage> = {}): Fit {
  const found = world.state.episodes.get(id(episode));
  if (!found) throw new Error(`no episode ${String(episode)}`);
  return fitOf(world.state, found, usageOf(usage), usd, world.now);
}

describe('limits of a delegation by hand', () => {
  it('are the published defaults', () => {
    expect(DELEGATION_LIMITS).toEqual({ costUsd: 2, freshTokens: 3_000_000, allTokens: 20_000_000, wallMs: 3_600_000, turns: 128, depth: 2, children: 4 });
    expect(DAILY_LIMITS).toEqual({ costUsd: 20, allTokens: 60_000_000 });
  });

  const uses: readonly (readonly [words: string, past: readonly Past[], more: readonly [usd: number, usage: Partial<Usage>], limit: string])[] = [
    ['two dollars', [requested(1, {}, 2), replied(1, {}, 1.95)], [0.06, {}], 'cost'],
    ['three million fresh tokens', [requested(1, {}, 0), replied(1, { fresh: 2_990_000 }, 0)], [0, { fresh: 10_001 }], 'fresh tokens'],
    ['128 turns and the one that is announced as the last', Array.from({ length: 129 }, (_, i) => [requested(i + 1, {}, 0), replied(i + 1, {}, 0)]).flat(), [0, {}], 'turns'],
    ['an hour', [minutes(60)], [0, {}], 'time'],
  ];

  it.each(uses)('bind from the first commit: after %s the person is asked', (_words, past, [usd, usage], limit) => {
    const world = given(...AT_WORK, ...past);
    expect(fit(world, 1, usd, usage)).toMatchObject({ kind: 'reached', limit });
    const after = world.when({ type: 'request model', episode: E1, at: world.now, estimate: usageOf(usage), usd }).isAccepted();
    expect(after.episode.phase).toMatchObject({ name: 'asking', question: { kind: 'limit', limit } });
    // Nothing was reserved: the answer decides whether it is sent.
    expect(after.episode.spent.inFlight.size).toBe(0);
  });

  it.each(uses)('let the last bit be used before %s', (words, past, [usd, usage]) => {
    const shorter = words.startsWith('128 turns') ? past.slice(0, -2) : words === 'an hour' ? [minutes(59.9)] : past;
    expect(fit(given(...AT_WORK, ...shorter), 1, Math.max(0, usd - 0.02), { ...usage, fresh: Math.max(0, (usage.fresh ?? 0) - 1) })).toEqual({ kind: 'fits' });
  });

  it('count cached tokens as no fresh ones', () => {
    expect(fit(given(...AT_WORK, requested(1, {}, 0), replied(1, { cached: 500_000_000 }, 0)), 1, 0, { fresh: 1 })).toEqual({ kind: 'fits' });
  });

  it('after a raise let the agent go on', () => {
    const world = given(...AT_WORK, requested(1, {}, 2), replied(1, {}, 1.95), asked({ kind: 'limit', limit: 'cost', used: 1.95, cap: 2 }));
    const raised = world.when({ type: 'answer', episode: E1, answer: { choice: 'raise', words: '' } }).isAccepted();
    expect(fit(raised, 1, 0.06)).toEqual({ kind: 'fits' });
  });
});

describe('a request that does not fit', () => {
  it('waits while something is in flight, and is asked about when nothing is', () => {
    const flying = given(...AT_WORK, requested(1, { fresh: 100 }, 1.5));
    expect(fit(flying, 1, 0.6)).toEqual({ kind: 'wait' });
    flying.when({ type: 'request model', episode: E1, at: flying.now, estimate: usageOf({}), usd: 0.6 }).refuses('limit-reached');
    expect(fit(flying.and(replied(1, {}, 1.5)), 1, 0.6)).toEqual({ kind: 'reached', limit: 'cost', used: 1.5, cap: 2 });
    expect(fit(flying.and(replied(1, {}, 0.1)), 1, 0.6)).toEqual({ kind: 'fits' });
  });

  it('is asked about at once where waiting cannot help: time, or more than the whole cap', () => {
    expect(fit(given(...AT_WORK, minutes(60), requested(1, {}, 0.1)), 1, 0.1)).toMatchObject({ kind: 'reached', limit: 'time' });
    expect(fit(given(...AT_WORK), 1, 2.5)).toMatchObject({ kind: 'reached', limit: 'cost', used: 0 });
  });
});

describe('limits over a tree of agents', () => {
  const children = (n: number, limits: Partial<Limits> = {}): LedgerEvent[] => Array.from({ length: n }, (_, i) => at(i + 2, 1, limits)).flat();

  it('G5: a cap reached while four children are in flight lets no new request start, and counts what is in flight', () => {
    const world = given(...at(1, null, { costUsd: 2 }), ...children(4), ...[2, 3, 4, 5].map((n) => requested(1, { fresh: 1000 }, 0.5, id(n))));
    for (const n of [1, 2, 3, 4, 5]) expect(fit(world, n, 0.01)).toEqual({ kind: 'wait' });
    const settled = world.and(...[2, 3, 4, 5].map((n) => replied(1, { fresh: 1000 }, 0.5, id(n))));
    for (const n of [1, 2, 3, 4, 5]) expect(fit(settled, n, 0.01)).toMatchObject({ kind: 'reached', limit: 'cost', used: 2, cap: 2 });
    expect(subtreeUse(settled.state, id(1)).spent).toMatchObject({ usd: 2, usage: usageOf({ fresh: 4000 }) });
  });

  it('G10: with 29 requests in flight under $5 and cents spent, the 30th waits instead of a false stop', () => {
    const parent = at(1, null, { costUsd: 5, children: 40 });
    const flying = given(...parent, ...children(30), ...Array.from({ length: 29 }, (_, i) => requested(1, { fresh: 1000 }, 0.17, id(i + 2))), requested(1, {}, 0.03), replied(1, {}, 0.03));
    expect(fit(flying, 31, 0.17)).toEqual({ kind: 'wait' });
    const some = flying.and(...Array.from({ length: 5 }, (_, i) => replied(1, {}, 0.004, id(i + 2))));
    expect(fit(some, 31, 0.17)).toEqual({ kind: 'fits' });
    const all = flying.and(...Array.from({ length: 29 }, (_, i) => replied(1, {}, 0.004, id(i + 2))));
    expect(fit(all, 31, 0.17)).toEqual({ kind: 'fits' });
    expect(subtreeUse(all.state, id(1)).spent.usd).toBeCloseTo(0.03 + 29 * 0.004, 10);
  });

  it('bind a child by its own cap and by each ancestor’s', () => {
    const world = given(...at(1, null, { costUsd: 2 }), ...at(2, 1, { costUsd: 1 }), ...at(3, 2, { costUsd: 5 }));
    expect(fit(world, 3, 1.5)).toMatchObject({ kind: 'reached', limit: 'cost', cap: 1 });
    expect(fit(world, 1, 1.5)).toEqual({ kind: 'fits' });
    expect(fit(world.and(requested(1, {}, 0.9, id(3)), replied(1, {}, 0.9, id(3))), 2, 0.2)).toMatchObject({ kind: 'reached', used: 0.9, cap: 1 });
    expect(fit(world.and(requested(1, {}, 1.5, id(1)), replied(1, {}, 1.5, id(1))), 3, 0.6)).toMatchObject({ kind: 'reached', used: 1.5, cap: 2 });
  });

  it('leave siblings and other trees alone', () => {
    const world = given(...at(1, null, { costUsd: 2 }), ...at(2, 1, { costUsd: 1 }), ...at(3, 1, { costUsd: 1 }), ...at(4, null), requested(1, {}, 1, id(2)), replied(1, {}, 1, id(2)));
    expect(fit(world, 2, 0.01)).toMatchObject({ kind: 'reached' });
    expect(fit(world, 3, 0.9)).toEqual({ kind: 'fits' });
    expect(fit(world, 4, 2)).toEqual({ kind: 'fits' });
  });

  it('give the sum of a subtree, each request once', () => {
    const world = given(...at(1, null), ...at(2, 1), ...at(3, 2), ...[1, 2, 3].flatMap((n) => [requested(1, {}, 0.3, id(n)), replied(1, { fresh: 10 ** n, output: 1 }, 0.1, id(n)), requested(2, { fresh: 5 }, 0.2, id(n))]));
    const { spent, flying } = subtreeUse(world.state, id(1));
    expect(spent.usage).toEqual(usageOf({ fresh: 1110, output: 3 }));
    expect(spent.usd).toBeCloseTo(0.3, 10);
    expect(flying.usage.fresh).toBe(15);
    expect(subtreeUse(world.state, id(3)).spent.usage.fresh).toBe(1000);
  });

  it('count turns for each agent apart: a parent’s do not run out because its children work', () => {
    const turns = Array.from({ length: 4 }, (_, i) => [requested(i + 1, {}, 0, id(2)), replied(i + 1, {}, 0, id(2))]).flat();
    const world = given(...at(1, null, { turns: 3 }), ...at(2, 1, { turns: 3 }), ...turns);
    expect(fit(world, 1, 0)).toEqual({ kind: 'fits' });
    expect(fit(world, 2, 0)).toMatchObject({ kind: 'reached', limit: 'turns', used: 4, cap: 3 });
  });

  it('survive a ledger whose parents are missing or turn in a circle', () => {
    expect(fit(given(...at(2, 1)), 2, 0.1)).toEqual({ kind: 'fits' });
    expect(fit(given(...at(1, 2), ...at(2, 1)), 1, 0.1)).toEqual({ kind: 'fits' });
  });
});

describe('G9: a model without prices', () => {
  it('is bound by 20 million tokens of input and output', () => {
    const world = given(...at(1, null, {}, UNPRICED), requested(1, {}, 0), replied(1, { fresh: 1_000_000, cached: 18_000_000, output: 900_000 }, 0));
    expect(fit(world, 1, 0, { fresh: 100_000 })).toEqual({ kind: 'fits' });
    expect(fit(world, 1, 0, { fresh: 90_001, output: 10_000 })).toEqual({ kind: 'reached', limit: 'tokens', used: 19_900_000, cap: 20_000_000 });
  });

  it('is bound by fresh tokens as well', () => {
    const world = given(...at(1, null, {}, UNPRICED), requested(1, {}, 0), replied(1, { fresh: 3_000_000 }, 0));
    expect(fit(world, 1, 0, { fresh: 1 })).toMatchObject({ limit: 'fresh tokens' });
  });

  it('waits for what is in flight like any other', () => {
    const world = given(...at(1, null, { allTokens: 1000 }, UNPRICED), requested(1, { fresh: 600 }, 0));
    expect(fit(world, 1, 0, { fresh: 500 })).toEqual({ kind: 'wait' });
  });

  it('is the only kind that all tokens bind: a priced one is bound by its cost', () => {
    const spent = [requested(1, {}, 0), replied(1, { cached: 500_000_000 }, 0)];
    expect(fit(given(...at(1, null), ...spent), 1, 0)).toEqual({ kind: 'fits' });
    expect(fit(given(...at(1, null, {}, SURVEY), ...spent), 1, 0)).toEqual({ kind: 'fits' });
    expect(fit(given(...at(1, null, {}, { kind: 'vscode', id: 'copilot', name: 'Copilot' }), ...spent), 1, 0)).toMatchObject({ limit: 'tokens' });
  });
});
