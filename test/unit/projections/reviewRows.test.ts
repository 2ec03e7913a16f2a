import { describe, expect, test } from 'vitest';
import { episodeId, filePath, treeId } from '../../../src/core/ids.ts';
import type { ChangedFile } from '../../../src/core/candidate/candidate.ts';
import { lookedCandidate, reviewRows, waitingCount, type ReviewContext } from '../../../src/core/projections/reviewRows.ts';
import { AT_WORK, candidate, commit, E1, evidence, move, moved, movePrepared, proposed, rejected, replied, requested, reworked, tree, WAITING } from '../../support/facts.ts';
import { given, minutes, NINE_O_CLOCK, type Past, type World } from '../../support/given.ts';

const context = (world: World, over: Partial<ReviewContext> = {}): ReviewContext => ({ now: world.now, today: NINE_O_CLOCK - 3_600_000, live: () => undefined, foreseen: () => undefined, retention: () => undefined, ...over });
const rowsOf = (past: readonly Past[], over: Partial<ReviewContext> = {}) => {
  const world = given(...past);
  return reviewRows(world.state, context(world, over));
};
const checked = (number: number, over: Partial<typeof evidence> = {}) => ({ type: 'check.ran' as const, episode: E1, number, evidence: { ...evidence, tree: tree(number), ...over } });
const outsideFile: ChangedFile = { ...candidate(1).inside[0], path: filePath.parse('README.md'), kind: 'modified', from: null, oldMode: '100644', newMode: '100644', oldBlob: null, newBlob: null, lines: { added: 1, removed: 0 } };

describe('a row in Review', () => {
  test('is not there while the agent works', () => {
    expect(rowsOf(AT_WORK)).toEqual([]);
  });

  test('says folder, subject, lines, checks, cost and age of a change that waits', () => {
    const [row] = rowsOf([...AT_WORK, requested(1, {}, 0.5), replied(1, { fresh: 1000, output: 10 }, 0.0421), proposed(1), minutes(5)]);
    expect(row).toMatchObject({ status: 'waiting', label: 'packages/api: Cap retries', description: '+3 −1 · not checked yet · $0.04 · 5 min ago' });
    expect(row?.files.map((f) => [f.name, f.description])).toEqual([['retry.ts', '+3 −1']]);
  });

  test('says how far the branch has moved on', () => {
    const [row] = rowsOf(WAITING, { foreseen: () => ({ behind: 2, conflicts: [], others: [] }) });
    expect(row?.description).toMatch(/2 commits behind$/);
  });

  test('says with what it conflicts: the branch, or another change that waits', () => {
    const others = [{ episode: episodeId.parse('e4-k3f9'), files: [filePath.parse('packages/api/server.ts')] }];
    expect(rowsOf(WAITING, { foreseen: () => ({ behind: 1, conflicts: [filePath.parse('a.ts'), filePath.parse('b.ts')], others: [] }) })[0]?.description).toContain('conflicts with main in 2 files');
    expect(rowsOf(WAITING, { foreseen: () => ({ behind: 0, conflicts: [], others }) })[0]?.description).toContain('conflicts with e4: server.ts');
  });

  test('says that it passes alone and fails together with the branch, and until when (D23)', () => {
    const together = [...WAITING, { ...checked(1, { result: 'failed' }), evidence: { ...evidence, tree: tree(9), result: 'failed' as const }, tip: commit(0x300) }, checked(1)];
    const [row] = rowsOf(together);
    expect(row).toMatchObject({ together: true, check: 'passed' });
    expect(row?.description).toContain(`passes alone, fails together with main at ${commit(0x300).slice(0, 7)}`);
    expect(rowsOf([...together, { ...checked(1), evidence: { ...evidence, tree: tree(10) }, tip: commit(0x301) }])[0]).toMatchObject({ together: false });
    expect(rowsOf([...together, checked(1, { result: 'failed' })])[0]).toMatchObject({ together: false });
  });

  test('says of the rest of a change what was accepted already, and where that is now', () => {
    const part = move(1, { split: { taken: candidate(2, { source: 'taken' }), rest: candidate(3, { source: 'rest' }) } });
    const short = part.new.slice(0, 7);
    expect(rowsOf([...WAITING, ...moved(part)])[0]).toMatchObject({ status: 'waiting', partly: true, label: 'packages/api: rest of Cap retries', description: expect.stringMatching(new RegExp(`^1 file accepted as ${short} · `)) as unknown });
    expect(rowsOf([...WAITING, ...moved(part), rejected(3)])[0]).toMatchObject({ status: 'rejected', partly: true, description: expect.stringMatching(new RegExp(`^the rest rejected · 1 file accepted as ${short} · `)) as unknown });
    const whole = rowsOf([...WAITING, ...moved(part), ...moved(move(2, { candidate: 3 }))], { retention: () => ({ kind: 'rewritten' }) })[0];
    expect(whole?.description).toMatch(/^accepted onto main as 0000000 · no longer found on main · 1 file accepted as 0000000, no longer found on main/);
  });

  test('says which check failed, and calls two results on one tree flaky', () => {
    expect(rowsOf([...WAITING, checked(1)])[0]?.description).toContain('test passed');
    expect(rowsOf([...WAITING, checked(1, { result: 'failed' })])[0]).toMatchObject({ check: 'failed', facts: expect.arrayContaining(['test: failed with exit code 0']) as unknown });
    expect(rowsOf([...WAITING, checked(1, { result: 'could-not-run' })])[0]?.facts).toContain('test: could not run');
    const [row] = rowsOf([...WAITING, checked(1, { result: 'failed' }), checked(1)]);
    expect(row).toMatchObject({ check: 'flaky' });
    expect(row?.description).toContain('test flaky');
  });

  test('does not show evidence of another tree as its own', () => {
    expect(rowsOf([...WAITING, checked(1, { tree: treeId.parse('c'.repeat(40)) })])[0]).toMatchObject({ check: 'not run' });
  });

  test('names changes outside the folder, what touches its own checks, and what an ignore rule leaves out', () => {
    const [row] = rowsOf([...AT_WORK, proposed(1, { outside: [outsideFile], flags: [{ kind: 'touches-checks', files: [filePath.parse('package.json')] }], ignored: [filePath.parse('packages/api/.env')] })]);
    expect(row?.outside.map((f) => f.file.path)).toEqual(['README.md']);
    expect(row?.notices).toEqual(['Touches what checks it: package.json', 'Left out, because an ignore rule matches: packages/api/.env']);
  });

  test('stays while it is judged, and then says where it went', () => {
    const accept = move(1);
    expect(rowsOf([...WAITING, movePrepared(accept), { type: 'move.unclear', move: accept.move, words: 'retry.ts holds neither.' }])[0]?.description).toContain('retry.ts holds neither. Put these files right by hand, then accept again');
    expect(rowsOf([...WAITING, movePrepared(accept)], { live: () => 'checking 2 of 3 on 3f9a21c' })[0]).toMatchObject({ status: 'judging', description: expect.stringMatching(/^checking 2 of 3 on 3f9a21c/) as unknown });
    const [row] = rowsOf([...WAITING, ...moved(accept)]);
    expect(row).toMatchObject({ status: 'accepted' });
    expect(row?.description).toMatch(/^accepted onto main as 0000000/);
  });

  test('waits again after an undo', () => {
    const [row] = rowsOf([...WAITING, ...moved(move(1)), ...moved(move(2, { kind: 'undo' })), proposed(2, { source: 'remade' })]);
    expect(row).toMatchObject({ status: 'waiting', candidate: 2 });
  });

  test('keeps the reason of a reject, last in the list, until the day is over', () => {
    expect(rowsOf([...WAITING, rejected(1, 'wrong layer')])[0]).toMatchObject({ status: 'rejected', description: expect.stringMatching(/^rejected: wrong layer/) as unknown });
    expect(rowsOf([...WAITING, rejected(1)], { today: NINE_O_CLOCK + 1 })).toEqual([]);
  });
});

describe('what counts as waiting and as looked at', () => {
  test('only changes that wait for the person are in the badge', () => {
    expect(waitingCount(given(...WAITING).state)).toBe(1);
    expect(waitingCount(given(...WAITING, rejected(1)).state)).toBe(0);
  });

  test('after a rework, what was opened before is what the new change is compared with', () => {
    const world = given(...WAITING, { type: 'candidate.looked', episode: E1, number: 1 }, reworked(1, 'with tests'), proposed(2));
    expect(lookedCandidate(world.episode)?.number).toBe(1);
    expect(reviewRows(world.state, context(world))[0]).toMatchObject({ lookedBefore: true });
  });

  test('the person’s own edits are no news to them', () => {
    const looked = { type: 'candidate.looked' as const, episode: E1, number: 1 };
    expect(lookedCandidate(given(...WAITING, looked, proposed(2, { source: 'edit' }), proposed(3, { source: 'edit' }, 2)).episode)).toBeUndefined();
  });

  test('what the agent made of a change that the person had edited is compared with the edited one', () => {
    const looked = { type: 'candidate.looked' as const, episode: E1, number: 1 };
    expect(lookedCandidate(given(...WAITING, looked, proposed(2, { source: 'edit' }), reworked(2, 'with tests'), proposed(3)).episode)?.number).toBe(2);
  });
});
