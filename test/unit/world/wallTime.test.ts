import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/ledger/events.ts';
import { wallMsAt } from '../../../src/core/limits/binding.ts';
import { answered, asked, AT_WORK, E1, ended, interrupted, move, moved, movePrepared, prepared, proposed, rejected, requested, resumed, reworked, started } from '../../support/facts.ts';
import { given, minutes, type Past } from '../../support/given.ts';

const MINUTE = 60_000;
const RUN: Question = { kind: 'run', command: 'npm test', prefix: null, purpose: 'agent' };

/** Minutes of wall time that an episode has used when these facts and times have gone by. */
function used(...past: readonly Past[]): number {
  const world = given(...past);
  return wallMsAt(world.episode, world.now) / MINUTE;
}

describe('wall time', () => {
  it('is spent while the worktree is made and while the agent works', () => {
    expect(used(started(), minutes(2))).toBe(2);
    expect(used(started(), minutes(2), prepared(), minutes(3))).toBe(5);
    expect(used(started(), minutes(2), prepared(), minutes(3), { type: 'tool.ran', episode: E1, name: 'run', ok: true, ms: 1 }, minutes(4))).toBe(9);
  });

  it('is not spent while a question waits for the person', () => {
    expect(used(...AT_WORK, minutes(3), asked(RUN), minutes(100))).toBe(3);
    expect(used(...AT_WORK, minutes(3), asked(RUN), minutes(100), answered('run'), minutes(4))).toBe(7);
    expect(used(started(), minutes(1), asked({ ...RUN, purpose: 'setup' }), minutes(100), answered('run'), minutes(2), prepared())).toBe(3);
  });

  it('is not spent while a change waits, is looked at and judged', () => {
    expect(used(...AT_WORK, minutes(3), proposed(1), minutes(1000), { type: 'candidate.looked', episode: E1, number: 1 }, minutes(1000))).toBe(3);
    expect(used(...AT_WORK, minutes(3), proposed(1), minutes(1000), movePrepared(move(1)), minutes(5))).toBe(3);
    expect(used(...AT_WORK, minutes(3), proposed(1), minutes(1000), ...moved(move(1)), minutes(1000))).toBe(3);
    expect(used(...AT_WORK, minutes(3), ended('no change'), minutes(1000))).toBe(3);
  });

  it('goes on with a rework, and what was used before still counts', () => {
    expect(used(...AT_WORK, minutes(3), proposed(1), minutes(1000), reworked(1, 'Again.'), minutes(4))).toBe(7);
    expect(used(...AT_WORK, minutes(3), proposed(1), minutes(10), rejected(1), minutes(10), { type: 'verdict.withdrawn', episode: E1, number: 1 }, minutes(10))).toBe(3);
  });

  it('is not spent while the editor is closed or the machine sleeps', () => {
    // The facts of a start are stamped when it starts: the night before them is nobody's work.
    expect(used(...AT_WORK, minutes(3), requested(1, { fresh: 1 }, 0), minutes(600), interrupted(), minutes(600))).toBe(3);
    expect(used(...AT_WORK, minutes(3), requested(1, { fresh: 1 }, 0), minutes(600), interrupted(), minutes(10), resumed(), minutes(2))).toBe(5);
    expect(used(...AT_WORK, minutes(3), requested(1, { fresh: 1 }, 0), minutes(9), resumed(), minutes(2))).toBe(5);
  });

  it('of a night is not counted with what recovery finds in flight', () => {
    const night = given(...AT_WORK, minutes(3), requested(1, { fresh: 1000 }, 0.01), minutes(600));
    const recovered = night.when({ type: 'recover', at: night.now }).isAccepted();
    expect(recovered.episode.spent).toMatchObject({ wallMs: 3 * MINUTE, usd: 0.01 });
    const soon = given(...AT_WORK, minutes(3), requested(1, { fresh: 1000 }, 0.01), minutes(9));
    expect(soon.when({ type: 'recover', at: soon.now }).isAccepted().episode.spent.wallMs).toBe(3 * MINUTE);
  });

  it('does not run backwards when the clock is set back', () => {
    expect(used(...AT_WORK, minutes(3), requested(1, { fresh: 1 }, 0), minutes(-60), requested(2, { fresh: 1 }, 0))).toBe(3);
  });

  it('that was only looked at while at work is counted once', () => {
    expect(used(...AT_WORK, minutes(2), proposed(1), reworked(1, 'Again.'), minutes(2), { type: 'candidate.looked', episode: E1, number: 1 }, minutes(2))).toBe(6);
  });

  it('binds: at its cap the person is asked', () => {
    const world = given(...AT_WORK, minutes(60));
    world.when({ type: 'request model', episode: E1, at: world.now, estimate: { fresh: 1, cached: 0, output: 1, reasoning: 0 }, usd: 0 }).then({
      events: [asked({ kind: 'limit', limit: 'time', used: 60 * MINUTE, cap: 60 * MINUTE })],
    });
  });
});
