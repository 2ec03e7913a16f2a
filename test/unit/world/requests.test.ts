import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/core/limits/usage.ts';
import { AT_WORK, E1, ended, proposed, replied, requested, UNKNOWN, usageOf } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

const ESTIMATE = usageOf({ fresh: 10_000, output: 4_000 });
const TOLD = usageOf({ fresh: 1_000, cached: 9_000, output: 500 });
const ANSWER = { type: 'model answered', episode: E1, request: 1, usage: TOLD, usd: 0.01, estimated: false } as const;
const FAILURE = { type: 'model failed', episode: E1, request: 1, words: 'The connection broke.', usage: ESTIMATE, usd: 0.03, estimated: true } as const;

describe('a request to a model', () => {
  it('is written with what it may cost before it is sent', () => {
    const before = given(...AT_WORK);
    const after = before.when({ type: 'request model', episode: E1, at: before.now, estimate: ESTIMATE, usd: 0.03 }).then({ events: [requested(1, ESTIMATE, 0.03)] });
    expect(after.episode.spent).toMatchObject({ usd: 0, turns: 0, inFlight: new Map([[1, { usage: ESTIMATE, usd: 0.03 }]]) });
  });

  it('is counted as the provider told, its reservation given back', () => {
    const after = given(...AT_WORK, requested(1, ESTIMATE, 0.03)).when(ANSWER).then({ events: [replied(1, TOLD, 0.01)] });
    expect(after.episode.spent).toMatchObject({ usage: TOLD, usd: 0.01, turns: 1, estimated: false, inFlight: new Map() });
  });

  it('has a number of its own', () => {
    const before = given(...AT_WORK, requested(1, ESTIMATE, 0.03), replied(1, TOLD, 0.01));
    before.when({ type: 'request model', episode: E1, at: before.now, estimate: ESTIMATE, usd: 0.03 }).then({ events: [requested(2, ESTIMATE, 0.03)] });
  });

  it('that failed costs what was told or estimated, and no turn', () => {
    const after = given(...AT_WORK, requested(1, ESTIMATE, 0.03)).when(FAILURE).isAccepted();
    expect(after.episode.spent).toMatchObject({ usage: ESTIMATE, usd: 0.03, turns: 0, estimated: true, inFlight: new Map() });
  });

  it('that was refused at once costs nothing and marks nothing', () => {
    const after = given(...AT_WORK, requested(1, ESTIMATE, 0.03)).when({ ...FAILURE, usage: NO_USAGE, usd: 0, estimated: false }).isAccepted();
    expect(after.episode.spent).toMatchObject({ usage: NO_USAGE, usd: 0, estimated: false, inFlight: new Map() });
  });

  it('stays marked as estimated in the sum', () => {
    const after = given(...AT_WORK, requested(1, ESTIMATE, 0.03)).when({ ...ANSWER, estimated: true }).isAccepted().and(requested(2, ESTIMATE, 0.03), replied(2, TOLD, 0.01));
    expect(after.episode.spent).toMatchObject({ estimated: true, turns: 2 });
    expect(after.episode.spent.usd).toBeCloseTo(0.02, 10);
  });

  it.each([ANSWER, FAILURE])('told twice is counted once ($type)', (again) => {
    const after = given(...AT_WORK, requested(1, ESTIMATE, 0.03)).when(ANSWER).isAccepted();
    // No second fact either: whoever adds up the ledger's records counts it once as well.
    expect(after.when(again).then({ events: [] }).episode.spent).toEqual(after.episode.spent);
  });

  it('told twice in a ledger is counted once when it is replayed', () => {
    const once = given(...AT_WORK, requested(1, ESTIMATE, 0.03), replied(1, TOLD, 0.01));
    const twice = once.and(replied(1, TOLD, 0.01), { type: 'model.failed', episode: E1, request: 1, words: '', usage: ESTIMATE, usd: 9, estimated: true });
    expect(twice.episode.spent).toEqual(once.episode.spent);
  });

  it('that was never sent is not counted', () => {
    expect(given(...AT_WORK).when({ ...ANSWER, request: 5 }).then({ events: [] }).episode.spent.usd).toBe(0);
  });

  it('is counted also when its answer comes after the person stopped the agent', () => {
    const stopped = given(...AT_WORK, requested(1, ESTIMATE, 0.03)).when({ type: 'stop', episode: E1 }).isAccepted();
    expect(stopped.when(ANSWER).isAccepted().episode.spent).toMatchObject({ usage: TOLD, inFlight: new Map() });
  });

  it('is sent by an agent at work and by no other', () => {
    const request = { type: 'request model', episode: E1, at: 0, estimate: ESTIMATE, usd: 0.03 } as const;
    given(...AT_WORK, proposed(1)).when(request).refuses('wrong-state');
    given(...AT_WORK, ended('no change')).when(request).refuses('wrong-state');
    given(...AT_WORK).when({ ...request, episode: UNKNOWN }).refuses('episode-unknown');
  });

  it('of an agent that nobody knows is told to nobody', () => {
    given(...AT_WORK).when({ ...ANSWER, episode: UNKNOWN }).refuses('episode-unknown');
    given(...AT_WORK).when({ ...FAILURE, episode: UNKNOWN }).refuses('episode-unknown');
  });
});

describe('a tool call', () => {
  it('is a fact with its time', () => {
    given(...AT_WORK).when({ type: 'tool ran', episode: E1, name: 'run', ok: false, ms: 1200 }).then({ events: [{ type: 'tool.ran', episode: E1, name: 'run', ok: false, ms: 1200 }] });
    given(...AT_WORK).when({ type: 'tool ran', episode: UNKNOWN, name: 'run', ok: true, ms: 1 }).refuses('episode-unknown');
  });
});
