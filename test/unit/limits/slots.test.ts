import { describe, expect, it } from 'vitest';
import { episodeId } from '../../../src/core/ids.ts';
import { MOST_PASSED_OVER, nextInLine, type InLine } from '../../../src/core/limits/slots.ts';
import { ModelSlots, type Slot } from '../../../src/runtime/modelSlots.ts';
import { Seeded } from '../../support/seeded.ts';

const of = (n: number, depth = 0): InLine => ({ episode: episodeId.parse(`e${String(n)}-test`), depth, passedOver: 0 });
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

describe('slots of a model', () => {
  const signal = new AbortController().signal;
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** Agents that come, are served in `order`, and give back. */
  function given(atOnce: number): { readonly order: number[]; readonly come: (n: number, depth?: number) => Promise<void>; readonly free: (sent?: boolean) => Promise<void> } {
    const slots = new ModelSlots();
    const order: number[] = [];
    const held: Slot[] = [];
    return {
      order,
      async come(n, depth) {
        void slots.take({ key: 'm', slots: atOnce, signal, ...of(n, depth), onWait: () => undefined }).then((slot) => {
          order.push(n);
          if (slot !== null) held.push(slot);
        });
        await settled();
      },
      async free(sent = true) {
        const slot = held.shift();
        if (sent) slot?.use();
        slot?.free();
        await settled();
      },
    };
  }

  it('go to an agent that was never served, however two others take turns', async () => {
    const { order, come, free } = given(1);
    for (const n of [1, 2]) {
      await come(n);
      await free();
    }
    for (const n of [1, 3, 2]) await come(n);
    for (let turn = 0; turn < 12; turn++) {
      await free();
      await come(order.at(-1) === 1 ? 2 : 1);
    }
    expect(order.indexOf(3) - 2).toBeLessThanOrEqual(MOST_PASSED_OVER + 1);
    expect(order).toContain(3);
  });

  it('that were taken and not used give nobody the right of one whose conversation is cached', async () => {
    const { order, come, free } = given(1);
    await come(1);
    await free(false);
    for (const n of [3, 2, 1]) await come(n);
    await free();
    expect(order).toEqual([1, 3, 2]);
  });

  it.each(Array.from({ length: 50 }, (_, seed) => seed))('pass over nobody too often, whoever comes when (chance %i)', async (seed) => {
    const random = new Seeded(seed);
    const { order, come, free } = given(random.between(1, 3));
    const waiting: { readonly n: number; passedOver: number }[] = [];
    let [next, seen, most] = [1, 0, 0];
    for (let step = 0; step < 120; step++) {
      if (random.chance(0.55)) {
        waiting.push({ n: next, passedOver: 0 });
        await come(next++, random.between(0, 3));
      } else await free(random.chance(0.8));
      for (; seen < order.length; seen++) {
        const place = waiting.findIndex(({ n }) => n === order[seen]);
        for (const earlier of waiting.slice(0, place)) most = Math.max(most, ++earlier.passedOver);
        waiting.splice(place, 1);
      }
    }
    expect(order.length).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(MOST_PASSED_OVER);
  });
});
