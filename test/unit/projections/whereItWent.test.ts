import { describe, expect, it } from 'vitest';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { callId, episodeId, type EpisodeId } from '../../../src/core/ids.ts';
import type { LedgerEvent } from '../../../src/core/ledger/events.ts';
import { costOf, type Prices, type Usage } from '../../../src/core/limits/usage.ts';
import { agentSpending, topAgents } from '../../../src/core/projections/whereItWent.ts';
import { whereItWentPage } from '../../../src/core/projections/whereItWentPage.ts';
import { evolve } from '../../../src/core/world/evolve.ts';
import { EMPTY_WORLD, type Episode, type WorldState } from '../../../src/core/world/state.ts';
import { E1, prepared, requested, started, UNPRICED, usageOf } from '../../support/facts.ts';

const E2 = episodeId.parse('e2-k3f9');

function given(...events: readonly LedgerEvent[]): WorldState {
  return events.reduce((state, event, place) => evolve(state, event, place * 1000), EMPTY_WORLD);
}

const answered = (request: number, usage: Partial<Usage>, usd: number, episode: EpisodeId = E1, estimated = false): readonly LedgerEvent[] => [requested(request, { fresh: 1 }, 1, episode), { type: 'model.answered', episode, request, usage: usageOf(usage), usd, estimated }];
const failed = (request: number, usage: Partial<Usage>, usd: number): readonly LedgerEvent[] => [requested(request, { fresh: 1 }, 1), { type: 'model.failed', episode: E1, request, words: 'cut', usage: usageOf(usage), usd, estimated: true }];
const first = (state: WorldState, id = E1): Episode => state.episodes.get(id) ?? expect.unreachable();
const of = (...events: readonly LedgerEvent[]) => agentSpending(first(given(started(), prepared(), ...events)), []);

const replied = (id: string, name: string, args: string, end: 'complete' | 'cut' = 'complete'): TranscriptEntry => ({ type: 'replied', at: 0, request: 1, end, message: { role: 'assistant', text: '', calls: [{ id: callId.parse(id), name, arguments: args }] } });
const result = (id: string, text: string): TranscriptEntry => ({ type: 'result', at: 0, call: callId.parse(id), text, ok: true, wrote: null, forced: false, reviewed: false });

describe('what a request used', () => {
  it('is kept for each, once, whether it was answered or not', () => {
    const twice: LedgerEvent = { type: 'model.answered', episode: E1, request: 1, usage: usageOf({ fresh: 7 }), usd: 7, estimated: false };
    const { spent } = first(given(started(), prepared(), ...answered(1, { fresh: 100, output: 10, reasoning: 4 }, 0.1), twice, ...failed(2, { fresh: 50 }, 0.05)));
    expect(spent.requests).toEqual([
      { request: 1, at: 3000, usage: usageOf({ fresh: 100, output: 10, reasoning: 4 }), usd: 0.1, estimated: false, answered: true },
      { request: 2, at: 6000, usage: usageOf({ fresh: 50 }), usd: 0.05, estimated: true, answered: false },
    ]);
    expect(spent.requests.reduce((sum, r) => sum + r.usd, 0)).toBeCloseTo(spent.usd, 12);
  });

  // The published runs, fed request by request as a ledger holds them.
  it.each<[string, Usage, Prices, string]>([
    ['compiler formation (DeepSeek V4 Flash)', { fresh: 108_257_058, cached: 4_026_336_896, output: 64_092_688, reasoning: 0 }, { fresh: 0.14, cached: 0.0028, output: 0.28 }, '44.38'],
    ['initial development (GLM 5.2)', { fresh: 82_092_342, cached: 2_163_779_584, output: 19_334_886, reasoning: 0 }, { fresh: 1.4, cached: 0.26, output: 4.4 }, '762.59'],
    ['continuation (GLM 5.2)', { fresh: 9_413_227, cached: 534_150_656, output: 3_702_697, reasoning: 0 }, { fresh: 1.4, cached: 0.26, output: 4.4 }, '168.35'],
    ['continuation (DeepSeek V4 Flash)', { fresh: 18_400_192, cached: 884_375_552, output: 8_704_733, reasoning: 0 }, { fresh: 0.14, cached: 0.0028, output: 0.28 }, '7.49'],
  ])('adds up to the recorded cost of a run: %s', (_run, usage, prices, recorded) => {
    const parts = 97;
    const part = (n: number, of: number): number => Math.floor((n * of) / parts) - Math.floor(((n - 1) * of) / parts);
    const events = Array.from({ length: parts }, (_, place) => {
      const one: Usage = { fresh: part(place + 1, usage.fresh), cached: part(place + 1, usage.cached), output: part(place + 1, usage.output), reasoning: 0 };
      return answered(place + 1, one, costOf(one, prices));
    }).flat();
    const { spent } = first(given(started(), prepared(), ...events));
    expect(spent.usage).toEqual(usage);
    expect(spent.usd.toFixed(2)).toBe(recorded);
  });
});

describe('where it went', () => {
  it('names who cost most first, and of agents without prices who used most', () => {
    const state = given(started(), prepared(), started({ episode: E2, model: UNPRICED }), prepared(E2), ...answered(1, { fresh: 10 }, 0.5), ...answered(1, { fresh: 900 }, 0, E2));
    expect(topAgents(state, 9).map((e) => e.id)).toEqual([E1, E2]);
    expect(topAgents(state, 1).map((e) => e.id)).toEqual([E1]);
  });

  it('counts the input that was sent before, request by request, and not what failed', () => {
    expect(of(...answered(1, { fresh: 100 }, 0), ...answered(2, { fresh: 50, cached: 100 }, 0), ...failed(3, { fresh: 150 }, 0.2), ...answered(4, { fresh: 20, cached: 20 }, 0))).toMatchObject({ sentAgain: 100 + 40, failed: { requests: 1, usd: 0.2 } });
  });

  it.each([
    ['a cache that holds less than before, of a conversation that grew', [{ fresh: 100, cached: 900 }, { fresh: 1100, cached: 0 }], [900]],
    ['one that holds as much of a longer conversation is none', [{ fresh: 100, cached: 900 }, { fresh: 4000, cached: 900 }], []],
    ['a conversation that was begun anew is none', [{ fresh: 100, cached: 900 }, { fresh: 200, cached: 0 }], []],
    ['a provider without a cache has none', [{ fresh: 100 }, { fresh: 200 }], []],
  ])('finds a cache miss: %s', (_name, usages, lost) => {
    const { misses } = of(...usages.flatMap((usage, place) => answered(place + 1, usage, 0)));
    expect(misses.map((m) => m.lost)).toEqual(lost);
  });

  it('finds no cache miss where counts are estimates, which know of no cache', () => {
    expect(of(...answered(1, { fresh: 100, cached: 900 }, 0), ...answered(2, { fresh: 1100 }, 0, E1, true)).misses).toEqual([]);
  });

  it('finds calls that were made again with the same arguments, and how often each output was sent', () => {
    const transcript = [
      replied('a', 'read_file', '{"path":"x"}'), result('a', 'x'.repeat(4000)), replied('b', 'run', '{"command":"ls"}'), result('b', 'y'.repeat(40)),
      replied('c', 'read_file', '{"path":"x"}'), result('c', 'x'.repeat(4000)), replied('d', 'read_file', '{"path":"x"}', 'cut'), replied('e', 'finish', '{}'),
    ];
    const { repeated, outputs } = agentSpending(first(given(started(), prepared())), transcript);
    expect(repeated).toEqual([{ episode: E1, call: 'read_file {"path":"x"}', times: 2, tokens: 2000 }]);
    expect(outputs.map(({ tokens, sent }) => [tokens, sent])).toEqual([[1000, 4], [10, 3], [1000, 2]]);
  });
});

describe('a summary', () => {
  const compacted: TranscriptEntry = { type: 'compacted', at: 0, by: 'model', summary: 's' };
  const at = (request: number, entry: TranscriptEntry): TranscriptEntry => (entry.type === 'replied' ? { ...entry, request } : entry);
  const transcript = [
    at(1, replied('a', 'run', '{}')), result('a', 'x'.repeat(4000)), at(2, replied('b', 'run', '{}')), compacted,
    at(3, replied('c', 'run', '{}')), result('c', 'y'.repeat(400)), at(5, replied('d', 'finish', '{}')),
  ];

  it('ends what was sent again, of tokens and of outputs', () => {
    const state = given(started(), prepared(), ...answered(1, { fresh: 100 }, 0), ...answered(2, { fresh: 50, cached: 900 }, 0), ...answered(3, { fresh: 960 }, 0), ...failed(4, { fresh: 10 }, 0), ...answered(5, { fresh: 970 }, 0));
    const { sentAgain, outputs, misses } = agentSpending(first(state), transcript);
    expect(sentAgain).toBe(100 + 960);
    expect(outputs.map(({ tokens, sent }) => [tokens, sent])).toEqual([[1000, 1], [100, 1]]);
    expect(misses).toEqual([]);
  });
});

describe('the page', () => {
  it('says what was spent on what', () => {
    const state = given(started(), prepared(), ...answered(1, { fresh: 100_000, cached: 900_000, output: 12_000, reasoning: 3000 }, 0.4), ...answered(2, { fresh: 1_100_000, output: 100 }, 1.6), started({ episode: E2, model: UNPRICED }), prepared(E2), ...answered(1, { fresh: 900, output: 5 }, 0, E2, true));
    const transcript = [replied('a', 'run', '{"command":"npm test `x`"}'), result('a', 'x'.repeat(60_000)), replied('b', 'run', '{"command":"npm test `x`"}'), result('b', 'x'.repeat(60_000))];
    const page = whereItWentPage('shop', state, topAgents(state, 10).map((e) => agentSpending(e, e.id === E1 ? transcript : [])));
    expect(page).toBe(`# Where did it go: shop

~$2.00 · 2.1 M in, 42.8 % cached · 12.1 k out, 3 k of it thinking · 2 agents

What is marked with ~ holds estimates: the provider told no counts.

Models whose prices are not known count as $0.00.

## Agents by cost

- e1 packages/api: $2.00 (100 %) · glm-5.2 · 2 requests · 2.1 M in, 42.9 % cached · 12.1 k out, 3 k of it thinking · 1 M sent again
- e2 packages/api: ~price not known (0 %) · glm-5.2 · 1 request · 900 in, 0.0 % cached · 5 out

## Cache misses

- e1, request 2: 900 k tokens that were cached before were not, 2 s after the request before

## Repeated calls

- e1: \`run {"command":"npm test ’x’"}\` 2 times, ~30 k tokens of results

## Largest outputs of tools

- e1: \`run {"command":"npm test ’x’"}\` ~15 k tokens, part of 1 request since
- e1: \`run {"command":"npm test ’x’"}\` ~15 k tokens, part of 0 requests since
`);
  });

  it('names calls without the keys in them, also where one is cut to fit', () => {
    const state = given(started(), prepared(), ...answered(1, { fresh: 10 }, 1));
    const transcript = [replied('a', 'run', `{"command":"${'x'.repeat(64)} sk-proj-abcdefghijklmnop1234"}`), result('a', 'x')];
    expect(whereItWentPage('shop', state, topAgents(state, 1).map((e) => agentSpending(e, transcript)))).not.toContain('sk-');
  });

  it('of a repository where nothing was sent says so', () => {
    expect(whereItWentPage('shop', given(started()), [])).toBe('# Where did it go: shop\n\nNothing has been sent to a model yet.\n');
  });
});
