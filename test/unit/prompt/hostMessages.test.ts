import { describe, expect, it } from 'vitest';
import type { FilePath } from '../../../src/core/ids.ts';
import { MOST_NUDGES, nudge, outsideAnswer, reworkMessage } from '../../../src/core/prompt/hostMessages.ts';
import { turnWarning, type TurnState, type TurnWarning } from '../../../src/core/prompt/turnWarnings.ts';

describe('warnings about turns', () => {
  it('come to an executor of 128 turns every 45, ten before the end, and three before it', () => {
    expect(warningsOf({ most: 128, mayDelegate: false })).toEqual([[45, 'middle'], [90, 'middle'], [118, 'end'], [125, 'critical']]);
  });

  it('come to a role that delegates every 15 turns without a delegation, and after a quarter', () => {
    expect(warningsOf({ most: 128, mayDelegate: true }).slice(0, 4)).toEqual([[15, 'middle'], [30, 'middle'], [32, 'beginning'], [47, 'middle']]);
    expect(warningsOf({ most: 20, mayDelegate: true })[0]).toEqual([6, 'beginning']);
  });

  it('do not say that nothing is delegated to one that delegates, and count from its last delegation', () => {
    expect(warningsOf({ most: 128, mayDelegate: true, lastDelegation: 20 })[0]).toEqual([35, 'middle']);
  });

  it.each([
    [1, []],
    [6, [[3, 'end'], [5, 'critical']]],
    [12, [[9, 'end'], [11, 'critical']]],
    [2048, [[2038, 'end'], [2045, 'critical']]],
  ])('come near the end of %i turns in proportion', (most, expected) => {
    expect(warningsOf({ most, mayDelegate: false }).filter(([, w]) => w !== 'middle')).toEqual(expected);
  });
});

describe('what the host says to an agent', () => {
  it('nudges with what to do, and says when it is the last time', () => {
    expect(nudge(1)).toMatch(/tool call.*finish/s);
    expect(nudge(1)).not.toContain('last');
    expect(nudge(MOST_NUDGES)).toContain('last reminder');
  });

  it('names the files that the person edited when a change is sent back', () => {
    const text = reworkMessage('  Use the cache.\n', { edited: ['src/a.ts' as FilePath], accepted: [], together: null, madeAgain: null });
    expect(text).toContain('- src/a.ts');
    expect(text).toContain('Their words:\nUse the cache.');
    expect(reworkMessage('x')).not.toContain('edited by the person');
  });

  it('tells the notes of a worktree that had to be made again for a rework', () => {
    expect(reworkMessage('x', { edited: [], accepted: [], together: null, madeAgain: ['Setup failed.\nNo network.'] })).toContain('are gone.\n- Setup failed.\n  No network.');
    expect(reworkMessage('x')).not.toContain('made again');
  });

  it('lists no more than fifty files, and no name that forges a line', () => {
    const text = outsideAnswer(Array.from({ length: 60 }, (_, i) => `f${i}\nnext` as FilePath));
    expect(text).toContain('- f49?next\n- and 10 more');
  });
});

/** Every warning of a life of `most` turns, with the turn after which it came. */
function warningsOf(fixed: Pick<TurnState, 'most' | 'mayDelegate'> & { lastDelegation?: number }): [number, TurnWarning][] {
  const given: { warning: TurnWarning; after: number }[] = [];
  for (let used = Math.max(1, fixed.lastDelegation ?? 0); used <= fixed.most; used++) {
    const due = turnWarning({ lastDelegation: 0, ...fixed, used, given });
    if (due) given.push({ warning: due.warning, after: used });
  }
  return given.map((g) => [g.after, g.warning]);
}
