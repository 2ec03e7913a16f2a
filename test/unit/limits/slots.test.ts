import { describe, expect, it } from 'vitest';
import { episodeId } from '../../../src/core/ids.ts';
import { nextInLine, type InLine } from '../../../src/core/limits/slots.ts';

const of = (n: number, depth = 0): InLine => ({ episode: episodeId.parse(`e${String(n)}-test`), depth });
const next = (waiting: readonly InLine[], served: readonly InLine[] = []) => nextInLine(waiting, new Map(served.map(({ episode }, place) => [episode, place + 1])));

describe('of requests that wait for a slot', () => {
  it('who was served most recently goes first: its conversation is still cached', () => {
    expect(next([of(1), of(2), of(3, 2)], [of(2), of(3), of(1)])).toEqual(of(1));
    expect(next([of(2), of(3, 2)], [of(2), of(3), of(1)])).toEqual(of(3, 2));
  });

  it('of those that never were, the shallowest', () => {
    expect(next([of(1, 2), of(2, 1), of(3, 1)])).toEqual(of(2, 1));
    expect(next([of(1), of(2, 3)], [of(2)])).toEqual(of(2, 3));
  });

  it('else who came first, and nobody where nobody waits', () => {
    expect(next([of(5), of(4), of(6)])).toEqual(of(5));
    expect(next([])).toBeUndefined();
  });
});
