import { describe, expect, test } from 'vitest';
import { shownCandidate } from '../../../src/core/candidate/shownCandidate.ts';
import { proposed, reworked, WAITING } from '../../support/facts.ts';
import { given, type Past } from '../../support/given.ts';

const shown = (number: number, ...past: readonly Past[]) => shownCandidate(given(...WAITING, ...past).episode, number)?.number;

describe('an editor that was opened on a candidate', () => {
  test('shows it', () => expect(shown(1)).toBe(1));

  test('goes on to what the person saved in it', () => expect(shown(1, proposed(2, { source: 'edit' }))).toBe(2));

  test('follows when a later save replaced the edit that it was opened on', () => {
    expect(shown(2, proposed(2, { source: 'edit' }), proposed(3, { source: 'edit' }, 2))).toBe(3);
  });

  test('follows when the person lets outside changes in', () => expect(shown(1, proposed(2, { source: 'allowed' }))).toBe(2));

  test('never shows what the agent made later', () => {
    expect(shown(1, proposed(2, { source: 'edit' }), reworked(2, 'again'), proposed(3))).toBe(2);
    expect(shown(1, reworked(1, 'again'), proposed(2), proposed(3, { source: 'edit' }))).toBe(1);
  });

  test('of a number that never was shows nothing', () => expect(shown(7)).toBeUndefined());
});
