import { describe, expect, it } from 'vitest';
import { filePath } from '../../../src/core/ids.ts';
import type { LedgerEvent, Question } from '../../../src/core/ledger/events.ts';
import { RESUME_WITHIN_MS } from '../../../src/core/world/deciders/recover.ts';
import { asked, AT_WORK, E1, ended, interrupted, move, moved, moveDone, movePrepared, prepared, rejected, replied, requested, resumed, started, UNPRICED, usageOf, WAITING } from '../../support/facts.ts';
import { given, minutes, type Passing, type World } from '../../support/given.ts';

const RUN: Question = { kind: 'run', command: 'npm test', prefix: null, purpose: 'agent' };
const GO_ON = { do: 'continue', episode: E1 } as const;
const MAKE = { do: 'prepare worktree', episode: E1 } as const;
const LATE: Passing = { pass: RESUME_WITHIN_MS + 1 };
const IN_TIME: Passing = { pass: RESUME_WITHIN_MS };

const recover = (world: World) => world.when({ type: 'recover', at: world.now });

describe('a start within ten minutes', () => {
  it('lets an agent that was at work go on', () => {
    expect(recover(given(...AT_WORK, IN_TIME)).then({ events: [resumed()], effects: [GO_ON] }).episode.phase.name).toBe('running');
  });

  it('makes the worktree of one that was preparing', () => {
    expect(recover(given(started(), minutes(1))).then({ events: [resumed()], effects: [MAKE] }).episode.phase.name).toBe('preparing');
  });

  it('repeats a question that died with the call or setup that asked it', () => {
    recover(given(...AT_WORK, asked(RUN), minutes(1))).then({ events: [resumed()], effects: [GO_ON] });
    recover(given(...AT_WORK, asked({ kind: 'secret', path: filePath.parse('.env') }), minutes(1))).then({ events: [resumed()], effects: [GO_ON] });
    recover(given(started(), asked({ ...RUN, purpose: 'setup' }), minutes(1))).then({ events: [resumed()], effects: [MAKE] });
  });

  it('can happen again and again', () => {
    const once = recover(given(...AT_WORK, requested(1, { fresh: 10 }, 0.1), minutes(1))).isAccepted();
    const twice = recover(once.and(minutes(1))).then({ events: [resumed()], effects: [GO_ON] });
    expect(twice.episode.spent.usd).toBe(0.1);
  });
});

describe('a start after more than ten minutes', () => {
  it.each<readonly [string, readonly LedgerEvent[]]>([['at work', AT_WORK], ['preparing', [started()]], ['asking for a command', [...AT_WORK, asked(RUN)]]])('asks before an agent that was %s goes on', (_words, past) => {
    const before = given(...past);
    const after = recover(before.and(LATE)).then({ events: [interrupted()] });
    expect(after.episode.phase).toEqual({ name: 'interrupted', since: before.now });
    after.when({ type: 'request model', episode: E1, at: after.now, estimate: usageOf({ fresh: 1 }), usd: 0 }).refuses('wrong-state');
  });

  it('keeps the time since when it was cut off, also with a request in flight', () => {
    const before = given(...AT_WORK, minutes(3), requested(1, { fresh: 1000 }, 0.01));
    expect(recover(before.and(LATE)).isAccepted().episode.phase).toEqual({ name: 'interrupted', since: before.now });
  });

  it('asks once, however often the window is opened', () => {
    const once = recover(given(...AT_WORK, LATE)).isAccepted();
    expect(recover(once.and(LATE)).then({ events: [] }).episode.phase).toEqual(once.episode.phase);
  });
});

describe('any start', () => {
  const lost = (request: number, usd: number, usage: Parameters<typeof usageOf>[0]): LedgerEvent => ({ type: 'model.failed', episode: E1, request, words: 'The window closed while this request was in flight.', usage: usageOf(usage), usd, estimated: true });

  it('counts what was in flight once, as reserved and as an estimate', () => {
    const after = recover(given(...AT_WORK, requested(1, { fresh: 900, output: 100 }, 0.2), replied(1, { fresh: 1 }, 0.01), requested(2, { fresh: 1000, output: 500 }, 0.3), minutes(1))).then({
      events: [resumed(), lost(2, 0.3, { fresh: 1000, output: 500 })], effects: [GO_ON],
    });
    expect(after.episode.spent).toMatchObject({ usage: usageOf({ fresh: 1001, output: 500 }), estimated: true, turns: 1, inFlight: new Map() });
    expect(after.episode.spent.usd).toBeCloseTo(0.31, 10);
    // The old window's answer, told late, adds nothing.
    expect(after.when({ type: 'model answered', episode: E1, request: 2, usage: usageOf({ fresh: 5 }), usd: 5, estimated: false }).then({ events: [] }).episode.spent).toEqual(after.episode.spent);
  });

  it('counts no money for a model without prices', () => {
    const after = recover(given(started({ model: UNPRICED }), prepared(), requested(1, { fresh: 1000 }, 0), LATE)).then({ events: [interrupted(), lost(1, 0, { fresh: 1000 })] });
    expect(after.episode.spent.usage.fresh).toBe(1000);
  });

  it('counts what an agent left in flight that was told to stop', () => {
    const stopped = given(...AT_WORK, requested(1, { fresh: 10 }, 0.1)).when({ type: 'stop', episode: E1 }).isAccepted();
    expect(recover(stopped).then({ events: [lost(1, 0.1, { fresh: 10 })] }).episode.spent.usd).toBe(0.1);
  });

  it.each<Question>([{ kind: 'limit', limit: 'cost', used: 2, cap: 2 }, { kind: 'stuck', call: 'run {}', times: 5 }, { kind: 'failed', words: 'x' }])('leaves a question that still stands ($kind)', (question) => {
    recover(given(...AT_WORK, asked(question), minutes(1))).then({ events: [] });
    recover(given(...AT_WORK, asked(question), LATE)).then({ events: [] });
  });

  it.each<readonly [string, readonly LedgerEvent[]]>([['waits', WAITING], ['was rejected', [...WAITING, rejected(1)]], ['was accepted', [...WAITING, ...moved(move(1))]], ['made no change', [...AT_WORK, ended('no change')]]])('leaves an agent alone that %s', (_words, past) => {
    recover(given(...past, LATE)).then({ events: [] });
  });

  it('looks up an accept or undo that was cut off in the middle', () => {
    const undo = move(2, { kind: 'undo' });
    recover(given(...WAITING, movePrepared(move(1)), LATE)).then({ events: [], effects: [{ do: 'recover move', move: move(1).move }] });
    recover(given(...WAITING, ...moved(move(1)), movePrepared(undo), minutes(1))).then({ events: [], effects: [{ do: 'recover move', move: undo.move }] });
  });

  it('looks again at one that nobody could tell the end of', () => {
    recover(given(...WAITING, movePrepared(move(1)), { type: 'move.unclear', move: move(1).move, words: 'x' })).then({ events: [], effects: [{ do: 'recover move', move: move(1).move }] });
  });

  it('does not look for one that was dropped', () => {
    recover(given(...WAITING, movePrepared(move(1)), { type: 'move.dropped', move: move(1).move, words: 'x' })).then({ events: [] });
  });
});

describe('a ledger copied in part', () => {
  it('is replayed without its missing agents and moves', () => {
    const facts: LedgerEvent[] = [prepared(), asked(RUN), requested(1, {}, 0), replied(1, {}, 0), ...WAITING.slice(2), rejected(1), movePrepared(move(1)), moveDone(move(1)), { type: 'move.unclear', move: move(7).move, words: '' }, ended('no change')];
    expect(given(...facts).state.episodes.size).toBe(0);
  });

  it('still tells recovery of a move that was in the middle', () => {
    recover(given(movePrepared(move(1)))).then({ events: [], effects: [{ do: 'recover move', move: move(1).move }] });
  });
});
