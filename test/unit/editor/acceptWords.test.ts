import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../../src/core/constraints/constraint.ts';
import { absolutePath, filePath, folderPath, refName } from '../../../src/core/ids.ts';
import type { OfferedCheck } from '../../../src/runtime/offeredChecks.ts';
import type { AcceptPlan } from '../../../src/runtime/openWorld.ts';
import { acceptedWords, acceptWords, branchNameProblem, mayOverride, offerWords, undoneWords } from '../../../src/editor/verdicts/acceptWords.ts';
import { candidate, commit, E1, MAIN, move } from '../../support/facts.ts';

const plan = (over: Partial<AcceptPlan> = {}): AcceptPlan => ({
  episode: E1, candidate: 1, target: { kind: 'branch', ref: MAIN }, head: { kind: 'branch', ref: MAIN, commit: commit(100) }, checkedOutIn: [], tip: commit(0x3f9a21c), changed: candidate(1).inside, files: null, behind: 0,
  message: 'Cap retries\n\nBody.\n', merged: { kind: 'clean', tree: candidate(1).tree }, checks: [], unchecked: false, found: [], undecidedOutside: [], ...over,
});

describe('the box before an accept', () => {
  test('names the branch, and says unchecked where no check covers the change', () => {
    expect(acceptWords(plan({ unchecked: true }))).toEqual({ target: 'Accept onto main', checks: 'unchecked: no check covers these files', warnings: [], possible: true });
  });

  test('says which checks run first, which passed and which failed', () => {
    expect(acceptWords(plan({ checks: [{ name: 'tests', required: true, known: 'not run' }, { name: 'lint', required: false, known: 'not run' }] })).checks).toMatch(/^tests runs first, on 0000000 with the change$/);
    expect(acceptWords(plan({ checks: [{ name: 'tests', required: true, known: 'passed' }] })).checks).toBe('tests passed');
    expect(acceptWords(plan({ checks: [{ name: 'tests', required: true, known: 'failed' }, { name: 'types', required: true, known: 'not run' }] })).checks).toMatch(/^tests failed; types runs first/);
    expect(acceptWords(plan({ checks: [{ name: 'tests', required: true, known: 'flaky' }, { name: 'lint', required: true, known: 'failed' }] })).checks).toBe('lint failed; tests flaky: passed and failed on the same files');
  });

  test('names both branches where another is checked out', () => {
    const [warning] = acceptWords(plan({ head: { kind: 'branch', ref: refName.parse('refs/heads/feature/x'), commit: commit(1) } })).warnings;
    expect(warning).toBe('feature/x is checked out, not main: main moves, the files you see stay as they are');
    const there = plan({ head: { kind: 'branch', ref: refName.parse('refs/heads/feature/x'), commit: commit(1) }, checkedOutIn: [absolutePath.parse('/home/ada/next')] });
    expect(acceptWords(there).warnings[0]).toBe('main is checked out in /home/ada/next: it moves there, with its files');
  });

  test('names the files of a conflict and offers no accept onto the branch', () => {
    const words = acceptWords(plan({ merged: { kind: 'conflict', files: [filePath.parse('a.ts')] } }));
    expect(words.possible).toBe(false);
    expect(words.warnings[0]).toMatch(/conflicts with main at 0000000 in 1 file: a\.ts/);
  });

  test('says how many newer commits it is merged with', () => {
    expect(acceptWords(plan({ behind: 2 })).warnings).toEqual(['main has 2 newer commits: the change is merged with them first']);
  });

  test('offers to run a found command once, and then says what it gave', () => {
    const offered = (folder: string, ...ran: readonly Evidence['result'][]): OfferedCheck => ({
      check: { name: 'npm test', run: 'npm test', paths: ['**'], timeoutMs: 1000, required: false }, command: 'npm test', folder: folderPath.parse(folder),
      ran: ran.map((result) => ({ constraint: 'npm test', run: 'npm test', required: false, tree: 't', definition: 'd', setup: 's', result, exitCode: result === 'failed' ? 1 : 0, ms: 38_400, output: '' })),
    });
    expect(offerWords(offered(''))).toEqual({ label: 'Run `npm test` Once', description: 'on the merged files; decides nothing', state: 'not run' });
    expect(offerWords(offered('api'))).toMatchObject({ description: 'in api, on the merged files; decides nothing' });
    expect(offerWords(offered('api', 'passed'))).toEqual({ label: '`npm test` passed, 38 s', description: 'in api · show its output', state: 'passed' });
    expect(offerWords(offered('', 'failed'))).toMatchObject({ label: '`npm test` failed with exit code 1, 38 s', state: 'failed' });
    expect(offerWords(offered('', 'failed', 'passed'))).toMatchObject({ label: '`npm test` flaky: passed, 38 s; an earlier run on the same files ended differently', state: 'failed' });
  });

});

describe('after an accept', () => {
  const accepted = { move: move(1).move, commit: commit(200), target: { kind: 'branch' as const, ref: MAIN }, transplanted: false, filesUpdatedIn: [absolutePath.parse('/home/person/project')], rest: 0 };

  test('it says where the change went', () => {
    expect(acceptedWords('e1 packages/api', accepted)).toBe('e1 packages/api is accepted onto main as 0000000.');
  });

  test('it says that the branch had been rewritten, and that no files changed where it is checked out nowhere', () => {
    expect(acceptedWords('e1 packages/api', { ...accepted, transplanted: true, filesUpdatedIn: [] })).toBe('e1 packages/api is accepted onto main as 0000000. main had been rewritten, so the change was carried over to it. main is checked out nowhere, so no files changed.');
  });
});

describe('after an undo', () => {
  test('it says that nothing of the change is left on the branch, or how much of it is', () => {
    expect(undoneWords('e1 packages/api', 'main', commit(200), 0)).toBe('e1 packages/api is undone: main is at 0000000 without it. The change waits in Review again.');
    expect(undoneWords('e1 packages/api', 'main', commit(200), 2)).toBe('An accept of e1 packages/api is undone; 2 files of it stay accepted. The change waits in Review again.');
  });
});

describe('what a person may pass over or name', () => {
  test('only a failing or missing check can be passed over', () => {
    const refusal = (reason: Parameters<typeof mayOverride>[0]['reason']) => ({ reason, message: '', next: '' });
    expect([mayOverride(refusal('check-failed')), mayOverride(refusal('check-missing')), mayOverride(refusal('dirty-files')), mayOverride(refusal('conflict'))]).toEqual([true, true, false, false]);
  });

  test.for(['feature/x', 'worldtree/cap-retries', 'ä'])('%s is a branch name', (name) => expect(branchNameProblem(name)).toBeUndefined());
  test.for(['', 'a b', 'a..b', '/a', 'a/', 'a.lock', '-a', 'a~1', 'a:b', '@', 'HEAD', 'a//b', 'x/.y', 'a\\b', 'a@{1}'])('“%s” is none', (name) => expect(branchNameProblem(name)).toBeDefined());
});
