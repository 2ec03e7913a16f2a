import { describe, expect, test } from 'vitest';
import { age, count, duration, listed, oneLine, size, tokens, usd } from '../../../src/core/projections/amounts.ts';

describe('amounts as people read them', () => {
  test.for([[0, '$0.00'], [0.004, '<$0.01'], [0.4249, '$0.42'], [20, '$20.00']] as const)('%d dollars are %s', ([amount, words]) => {
    expect(usd(amount)).toBe(words);
  });

  test.for([[0, '0'], [999, '999'], [1000, '1 k'], [12_345, '12.3 k'], [340_000, '340 k'], [999_499, '999 k'], [999_500, '1 M'], [3_910_000, '3.91 M'], [4_134_593_954, '4135 M']] as const)('%d tokens are %s', ([n, words]) => {
    expect(tokens(n)).toBe(words);
  });

  test.for([[0, '<1 kB'], [1023, '<1 kB'], [4096, '4 kB'], [1024 * 1024, '1 MB'], [2_500_000_000, '2,384 MB']] as const)('%d bytes are %s', ([bytes, words]) => {
    expect(size(bytes)).toBe(words);
  });

  test.for([[400, '<1 s'], [38_200, '38 s'], [768_000, '12 min'], [3_600_000, '1 h'], [7_500_000, '2 h 5 min'], [3 * 86_400_000, '3 d']] as const)('%d milliseconds are %s', ([ms, words]) => {
    expect(duration(ms)).toBe(words);
  });

  test.for([[0, 'just now'], [59_000, 'just now'], [300_000, '5 min ago'], [3 * 3_600_000 + 60_000, '3 h ago'], [3 * 86_400_000, '3 d ago']] as const)('what happened %d ms before now is %s', ([passed, words]) => {
    expect(age(1_000_000_000, 1_000_000_000 + passed)).toBe(words);
  });

  test('a count has its noun and separates thousands', () => {
    expect([count(1, 'file'), count(9347, 'file'), count(2, 'query', 'queries')]).toEqual(['1 file', '9,347 files', '2 queries']);
  });

  test('a list names the first ones and counts the rest', () => {
    expect([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c']), listed(['a', 'b', 'c', 'd'])]).toEqual(['', 'a', 'a and b', 'a, b and c', 'a, b and 2 more']);
  });

  test('a line is cut where it is too long, and never holds a line end', () => {
    expect(oneLine('one\n  two', 20)).toBe('one two');
    expect(oneLine('one two three', 8)).toBe('one two…');
  });
});
