import { describe, expect, it } from 'vitest';
import { addUsage, costOf, NO_USAGE, type Prices, type Usage } from '../../../src/core/limits/usage.ts';

const DEEPSEEK: Prices = { fresh: 0.14, cached: 0.0028, output: 0.28 };
const GLM: Prices = { fresh: 1.4, cached: 0.26, output: 4.4 };

const used = (cached: number, fresh: number, output: number): Usage => ({ fresh, cached, output, reasoning: 0 });
const FORMATION = used(4_026_336_896, 108_257_058, 64_092_688);
const INITIAL = used(2_163_779_584, 82_092_342, 19_334_886);
const CONTINUATION = used(534_150_656, 9_413_227, 3_702_697);
const CONTINUATION_DEEPSEEK = used(884_375_552, 18_400_192, 8_704_733);

describe('the published runs cost what their records say', () => {
  it('the continuation with GLM 5.2, to the printed digit', () => {
    expect(costOf({ ...CONTINUATION, output: 0 }, GLM).toFixed(6)).toBe('152.057688');
    expect(costOf({ ...CONTINUATION, fresh: 0, cached: 0 }, GLM).toFixed(6)).toBe('16.291867');
    expect(costOf(CONTINUATION, GLM).toFixed(6)).toBe('168.349555');
  });

  // The recorded sums of these were rounded record by record: to the cent is what they can be compared to.
  it.each([
    ['compiler formation (DeepSeek V4 Flash)', FORMATION, DEEPSEEK, 44.376],
    ['initial development (GLM 5.2)', INITIAL, GLM, 762.585575],
    ['continuation (DeepSeek V4 Flash)', CONTINUATION_DEEPSEEK, DEEPSEEK, 7.489709],
  ])('%s, to the cent', (_run, usage, prices, recorded) => {
    expect(costOf(usage, prices).toFixed(2)).toBe(recorded.toFixed(2));
  });

  it('input and output apart', () => {
    expect(costOf({ ...INITIAL, output: 0 }, GLM).toFixed(2)).toBe('677.51');
    expect(costOf({ ...INITIAL, fresh: 0, cached: 0 }, GLM).toFixed(2)).toBe('85.07');
    expect(costOf({ ...CONTINUATION_DEEPSEEK, output: 0 }, DEEPSEEK).toFixed(2)).toBe('5.05');
    expect(costOf({ ...CONTINUATION_DEEPSEEK, fresh: 0, cached: 0 }, DEEPSEEK).toFixed(2)).toBe('2.44');
  });

  it.each([
    ['formation', FORMATION, 4_134_593_954, 97.382], ['initial', INITIAL, 2_245_871_926, 96.34], ['continuation, GLM', CONTINUATION, 543_563_883, 98.27], ['continuation, DeepSeek', CONTINUATION_DEEPSEEK, 902_775_744, 97.96],
  ])('fresh and cached input add up to the input (%s)', (_run, usage, input, share) => {
    expect(usage.fresh + usage.cached).toBe(input);
    expect(Math.abs(100 * usage.cached / input - share)).toBeLessThan(0.01);
  });
});

describe('the cost of a request', () => {
  it('counts thinking as the output that it is part of, not on top', () => {
    expect(costOf({ fresh: 0, cached: 0, output: 1_000_000, reasoning: 900_000 }, GLM)).toBeCloseTo(4.4, 10);
  });

  it('of nothing is nothing', () => {
    expect(costOf(NO_USAGE, GLM)).toBe(0);
  });

  it('adds up, whether counted at once or one by one', () => {
    const one = used(900, 100, 50);
    const many = Array.from({ length: 1000 }, () => one);
    expect(many.reduce(addUsage, NO_USAGE)).toEqual(used(900_000, 100_000, 50_000));
    expect(many.reduce((sum, u) => sum + costOf(u, GLM), 0)).toBeCloseTo(costOf(used(900_000, 100_000, 50_000), GLM), 9);
  });

  it('adds thinking up too', () => {
    expect(addUsage({ fresh: 1, cached: 2, output: 3, reasoning: 2 }, { fresh: 10, cached: 20, output: 30, reasoning: 20 })).toEqual({ fresh: 11, cached: 22, output: 33, reasoning: 22 });
  });
});
