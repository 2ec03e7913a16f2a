import { afterEach, describe, expect, it } from 'vitest';
import type { CommitId, TreeId } from '../../../src/core/ids.ts';
import type { MergeResult } from '../../../src/runtime/ports/candidates.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { makeLineWorld } from '../lines/lineWorld.ts';
import type { LineWorld } from '../lines/lineWorld.ts';

/** Cases of shared/cases: D3, D11, D12, D13, D14, at the level of trees: what an accept, undo or transplant would bring. */

const TEXT = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\n`).join('');
const FILES: FileTree = { 'a.txt': TEXT, 'b.txt': 'b\n', 'dir/c.txt': 'c\n' };
const line = (n: number, words: string): string => TEXT.replace(`line ${n}\n`, `${words}\n`);

let world: LineWorld | undefined;
afterEach(async () => {
  await world?.remove();
  world = undefined;
});

function start(files: FileTree = FILES): LineWorld {
  world = makeLineWorld(files);
  return world;
}

function clean(result: MergeResult): TreeId {
  if (result.kind !== 'clean') throw new Error(`conflict in ${result.files.join(', ')}`);
  return result.tree;
}

/** An accept as the product makes it: the merged tree on the tip, by squash. */
async function accept(w: LineWorld, base: CommitId, candidate: CommitId): Promise<CommitId> {
  const tree = clean(await w.candidates.merge(base, w.head(), candidate));
  const commit = await w.lines.commitAsPerson({ tree, parents: [w.head()], message: 'accepted\n' }, new AbortController().signal);
  w.repository.git('reset', '--quiet', '--hard', commit);
  return commit;
}

const show = (w: LineWorld, file: string, at: string = 'HEAD'): string => w.repository.git('show', `${at}:${file}`);
const names = (w: LineWorld, tree: string): string[] => w.repository.git('ls-tree', '-r', '--name-only', tree).split('\n');

describe('given a candidate and a line that moved, when they are merged from the recorded base', () => {
  it('then changes in different places come together (D3)', async () => {
    const w = start();
    const base = w.head();
    const candidate = w.commitElsewhere({ 'a.txt': line(2, 'agent'), 'new.txt': 'n\n' });
    w.repository.commit('meanwhile', { 'a.txt': line(11, 'person'), 'b.txt': null });
    const tree = clean(await w.candidates.merge(base, w.head(), candidate));
    expect(show(w, 'a.txt', tree)).toContain('agent');
    expect(show(w, 'a.txt', tree)).toContain('person');
    expect(names(w, tree)).toEqual(['a.txt', 'dir/c.txt', 'new.txt']);
    expect(w.repository.git('status', '--porcelain')).toBe('');
  });

  it('then conflicts of every kind name their files and write no ref (D3)', async () => {
    const w = start({ ...FILES, 'both.bin': Buffer.from([0, 1]), 'mode.sh': '#!/bin/sh\n', 'link': { symlink: 'a.txt' }, 'moved.txt': `${TEXT}moved\n` });
    const base = w.head();
    const candidate = w.commitElsewhere({ 'a.txt': line(2, 'agent'), 'b.txt': null, 'dir/c.txt': 'c by agent\n', 'both.bin': Buffer.from([0, 2]), 'link': { symlink: 'b.txt' }, 'moved.txt': null, 'to agent.txt': `${TEXT}moved\n`, 'ümläut 漢.txt': 'agent\n' });
    w.repository.commit('meanwhile', { 'a.txt': line(2, 'person'), 'b.txt': 'b by person\n', 'dir/c.txt': null, 'both.bin': Buffer.from([0, 3]), 'link': { symlink: 'dir' }, 'moved.txt': null, 'to person.txt': `${TEXT}moved\n`, 'ümläut 漢.txt': 'person\n' });
    const refs = w.repository.git('for-each-ref');
    const result = await w.candidates.merge(base, w.head(), candidate);
    expect(result.kind).toBe('conflict');
    if (result.kind === 'conflict') expect([...result.files].sort()).toEqual(['a.txt', 'b.txt', 'both.bin', 'dir/c.txt', 'link', 'moved.txt', 'to agent.txt', 'to person.txt', 'ümläut 漢.txt']);
    expect(w.repository.git('for-each-ref')).toBe(refs);
  });

  it('then the line\'s attributes decide how a file is merged, and the person\'s config does not bend it', async () => {
    const w = start({ ...FILES, '.gitattributes': 'CHANGES merge=union\n*.lock -merge\n', 'CHANGES': 'old\n', 'dir/.gitattributes': 'UNION merge=union\n', 'dir/UNION': 'old\n', 'x.lock': TEXT });
    const base = w.head();
    w.repository.git('config', 'merge.renames', 'false');
    w.repository.git('config', 'merge.directoryRenames', 'true');
    const candidate = w.commitElsewhere({ 'CHANGES': 'agent\nold\n', 'dir/UNION': 'agent\nold\n' });
    const locks = w.commitElsewhere({ 'x.lock': line(2, 'agent') });
    w.repository.commit('meanwhile', { 'CHANGES': 'person\nold\n', 'dir/UNION': 'person\nold\n', 'x.lock': line(11, 'person') });
    const tree = clean(await w.candidates.merge(base, w.head(), candidate));
    expect(show(w, 'CHANGES', tree).split('\n').sort()).toEqual(['agent', 'old', 'person']);
    expect(show(w, 'dir/UNION', tree).split('\n').sort()).toEqual(['agent', 'old', 'person']);
    expect(await w.candidates.merge(base, w.head(), locks)).toEqual({ kind: 'conflict', files: ['x.lock'] });
  });

  it('then it is merged again also after the person pruned everything that no ref holds', async () => {
    const w = start();
    const base = w.head();
    const candidate = w.commitElsewhere({ 'a.txt': line(2, 'agent') });
    w.repository.git('update-ref', 'refs/worldtree/episodes/e1-abcd/candidate/1', candidate);
    w.repository.commit('meanwhile', { 'a.txt': line(11, 'person') });
    const first = await w.candidates.merge(base, w.head(), candidate);
    w.repository.git('prune', '--expire=now');
    expect(await w.candidates.merge(base, w.head(), candidate)).toEqual(first);
    expect(show(w, 'a.txt', clean(first))).toContain('agent');
  });

  it('then onto an amended line the dropped secret does not come along (D14)', async () => {
    const w = start();
    const base = w.repository.commit('with a secret', { 'secret.txt': 'TOKEN-4711\n', 'later.txt': 'later\n' }) as CommitId;
    const candidate = w.commitElsewhere({ 'a.txt': line(2, 'agent') });
    w.repository.git('reset', '--quiet', '--hard', 'HEAD~');
    w.repository.commit('without it', { 'later.txt': 'later\n' });
    const commit = await accept(w, base, candidate);
    expect(names(w, commit)).toEqual(['a.txt', 'b.txt', 'dir/c.txt', 'later.txt']);
    expect(show(w, 'a.txt')).toContain('agent');
    expect(w.repository.git('log', '-S', 'TOKEN-4711', '--format=%h', 'main')).toBe('');
    expect(w.repository.git('rev-list', 'main').split('\n')).not.toContain(base);
  });

  it('then an undo takes back just that accept after others, or names the conflict (D11)', async () => {
    const w = start();
    const base = w.head();
    const first = await accept(w, base, w.commitElsewhere({ 'a.txt': line(2, 'first'), 'only-first.txt': '1\n' }, base));
    const before = w.repository.git('rev-parse', `${first}^`) as CommitId;
    await accept(w, base, w.commitElsewhere({ 'a.txt': line(11, 'second') }, base));
    const tree = clean(await w.candidates.merge(first, w.head(), before));
    expect(show(w, 'a.txt', tree)).toBe(line(11, 'second').trimEnd());
    expect(names(w, tree)).toEqual(['a.txt', 'b.txt', 'dir/c.txt']);
    w.repository.commit('over it', { 'a.txt': line(2, 'first, and then some') });
    expect(await w.candidates.merge(first, w.head(), before)).toEqual({ kind: 'conflict', files: ['a.txt'] });
  });

  it('then the rest of a partial accept arrives later (D12)', async () => {
    const w = start();
    const base = w.head();
    const whole = w.commitElsewhere({ 'a.txt': line(2, 'taken'), 'dir/c.txt': 'the rest\n', 'rest.txt': 'rest\n' });
    const taken = await w.candidates.pick(base, w.repository.git('rev-parse', `${whole}^{tree}`) as TreeId, ['a.txt'].map((name) => name as never));
    const takenCommit = w.repository.git('commit-tree', taken, '-p', base, '-m', 'taken') as CommitId;
    await accept(w, base, takenCommit);
    expect(names(w, 'HEAD')).not.toContain('rest.txt');
    await accept(w, base, whole);
    expect(w.repository.git('diff', '--stat', whole, 'HEAD')).toBe('');
  });

  it('then after an undo the re-made candidate brings everything (D13)', async () => {
    const w = start();
    const base = w.head();
    const candidate = w.commitElsewhere({ 'a.txt': line(2, 'agent'), 'new.txt': 'n\n' });
    const accepted = await accept(w, base, candidate);
    await accept(w, accepted, base);
    expect(w.repository.git('diff', '--stat', base, 'HEAD')).toBe('');
    const tip = w.head();
    const remade = clean(await w.candidates.merge(base, tip, candidate));
    const again = w.repository.git('commit-tree', remade, '-p', tip, '-m', 'again') as CommitId;
    await accept(w, tip, again);
    expect(w.repository.git('diff', '--stat', candidate, 'HEAD')).toBe('');
  });
});
