import { describe, expect, it } from 'vitest';
import { publishRow } from '../../../src/core/projections/publishRow.ts';
import { ended, moved, move, rejected, WAITING, AT_WORK } from '../../support/facts.ts';
import { given, type Past } from '../../support/given.ts';

const row = (past: readonly Past[], over: Partial<Parameters<typeof publishRow>[1]> = {}) => publishRow(given(...past).episode, { there: 'first', extent: { commits: 2, bytes: 4096 }, ownCommits: 0, ...over }, 'origin');

describe('an agent in the list of what could be published', () => {
  it('says its goal, how it ended, and what would go', () => {
    expect(row(WAITING)).toEqual({ label: 'e1 packages/api', description: 'waits for a verdict · 2 commits, 4 kB', detail: 'Cap the retries.', picked: true });
    expect(row([...WAITING, ...moved(move(1))]).description).toContain('accepted · 2 commits');
    expect(row([...AT_WORK, ended('no change')])).toMatchObject({ description: expect.stringContaining('no change') as unknown, picked: true });
  });

  it('is not picked where its work was rejected, unless the remote has it already', () => {
    expect(row([...WAITING, rejected(1)])).toMatchObject({ description: expect.stringContaining('rejected') as unknown, picked: false });
    expect(row([...WAITING, rejected(1)], { there: 'newer' })).toMatchObject({ description: expect.stringContaining('origin has an earlier state of it') as unknown, picked: true });
  });

  it('is not picked where git would refuse it, and says what to do', () => {
    expect(row(WAITING, { there: 'older' })).toMatchObject({ description: expect.stringContaining('fetch first') as unknown, picked: false });
    expect(row(WAITING, { there: 'another way' })).toMatchObject({ description: expect.stringContaining('will be refused') as unknown, picked: false });
  });

  it('is not picked where its words hold what looks like a key, which the list does not show', () => {
    const told = row([...WAITING, rejected(1, 'Use sk-live-0123456789abcdefghij for it.')], { there: 'newer' });
    expect(told).toMatchObject({ picked: false, detail: 'its goal or report holds what looks like a key or password · Cap the retries.' });
  });

  it('says so where commits of the person’s own would go along', () => {
    expect(row(WAITING, { ownCommits: 3 }).detail).toBe('with 3 commits of yours that origin lacks · Cap the retries.');
  });
});
