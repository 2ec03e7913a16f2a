import { describe, expect, it } from 'vitest';
import { backOffMs, MODEL_RETRIES } from '../../../src/core/limits/backOff.ts';

const MIDDLE = 0.5;
const ALMOST_ONE = 1 - Number.EPSILON;

describe('waiting before a retry', () => {
  it('doubles from a second up to a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, MODEL_RETRIES].map((n) => backOffMs(n, null, MIDDLE))).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('differs by a tenth, so that many agents do not come back at once', () => {
    expect([backOffMs(1, null, 0), backOffMs(1, null, ALMOST_ONE)]).toEqual([900, 1_100]);
    expect([backOffMs(10, null, 0), backOffMs(10, null, ALMOST_ONE)]).toEqual([54_000, 66_000]);
  });

  it.each([0, MIDDLE, ALMOST_ONE])('is never shorter than the server asked for (random %d)', (random) => {
    expect(backOffMs(1, 20_000, random)).toBe(20_000);
    expect(backOffMs(1, 300_000, random)).toBe(300_000);
  });

  it('is not shortened by the server’s word: a busy server says 0 again and again', () => {
    expect(backOffMs(5, 0, MIDDLE)).toBe(16_000);
    expect(backOffMs(5, 1_300, MIDDLE)).toBe(16_000);
  });

  it('is a whole number of milliseconds', () => {
    expect(backOffMs(1, null, 0.123456)).toBe(925);
  });

  it('happens fifteen times before the person is asked', () => {
    expect(MODEL_RETRIES).toBe(15);
  });
});
