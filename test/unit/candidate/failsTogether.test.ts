import { describe, expect, it } from 'vitest';
import { failsTogether } from '../../../src/core/candidate/failsTogether.ts';
import type { Evidence } from '../../../src/core/constraints/constraint.ts';
import { candidate, commit, E1, evidence, tree, WAITING } from '../../support/facts.ts';
import { given } from '../../support/given.ts';

const alone = { type: 'check.ran', episode: E1, number: 1, evidence: { ...evidence, tree: tree(1) } } as const;
const merged = (result: Evidence['result']) => ({ type: 'check.ran', episode: E1, number: 1, evidence: { ...evidence, tree: tree(9), result }, tip: commit(300) }) as const;
const found = (result: Evidence['result']) => failsTogether(given(...WAITING, alone, merged(result)).episode, candidate(1));

describe('a change that passes alone', () => {
  it.each(['failed', 'timed-out'] as const)('fails together with its branch where the check %s there', (result) => {
    expect(found(result)).toMatchObject({ tip: commit(300), constraint: 'test' });
  });

  it.each(['passed', 'could-not-run', 'refused'] as const)('does not where the check %s there', (result) => {
    expect(found(result)).toBeNull();
  });
});
