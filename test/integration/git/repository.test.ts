/*
 * | case | test |
 * | --- | --- |
 * | A1 no commit yet | "tells an unborn branch" |
 * | A2 detached HEAD | "tells a detached HEAD" |
 * | A4 uncommitted files | "names uncommitted files…" |
 * | A13 a nested repository inside | "leaves out nested repositories…" |
 * | A17 odd names | "keeps odd names the same…" |
 * | D1 renamed, copied, mode, type, binary, empty, deleted, submodule | "tells each kind of change" |
 * | D18 an operation is under way | "tells what is under way…" |
 * | rule 2 the person's checkout is untouched | "leaves the person's checkout as it was" |
 * | reading while processes die and callers go | "goes on reading…", "gives nobody the answer of another…" |
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operationIn } from '../../../src/adapters/git/reading/checkouts.ts';
import { ObjectReader } from '../../../src/adapters/git/reading/objectReader.ts';
import { absolutePath, type AbsolutePath } from '../../../src/core/ids.ts';
import type { OperationInProgress } from '../../../src/runtime/ports/repository.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import type { FileTree, TemporaryRepository } from '../../support/temporaryRepository.ts';
import { commit, file, folder, isolateGit, openRepository, photograph, refusalOf } from './support.ts';

const cleanups: (() => unknown)[] = [];
beforeEach(isolateGit);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(files?: FileTree) {
  const temporary = makeTemporaryRepository(files);
  cleanups.push(() => temporary.remove());
  const opened = await openRepository(temporary.folder);
  cleanups.push(opened.close);
  return { ...opened, temporary, head: files === undefined ? commit('') : commit(temporary.git('rev-parse', 'HEAD')) };
}

const gitDirOf = (checkout: string): AbsolutePath => absolutePath.parse(execFileSync('git', ['-C', checkout, 'rev-parse', '--absolute-git-dir'], { encoding: 'utf8' }).trim());
const text = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString('utf8'));
const odd = ['with space', 'ümläut', '漢字', '🌳', "quo'te", 'dou"ble', '-dash', 'new\nline', 'tab\there', 'back\\slash', '*', ':(top)x', 'a -> b'];

describe('HEAD', () => {
  it('tells the branch and its commit', async () => {
    const { repository, head } = await open({ a: '1' });
    expect(await repository.head()).toEqual({ kind: 'branch', ref: 'refs/heads/main', commit: head });
  });

  it('tells an unborn branch', async () => {
    const { repository } = await open();
    expect(await repository.head()).toEqual({ kind: 'unborn', ref: 'refs/heads/main' });
  });

  it('tells a detached HEAD', async () => {
    const { repository, temporary, head } = await open({ a: '1' });
    temporary.git('checkout', '--quiet', '--detach');
    expect(await repository.head()).toEqual({ kind: 'detached', commit: head });
  });

  it('tells the HEAD of the linked worktree that was opened, not the main one', async () => {
    const { temporary } = await open({ a: '1' });
    const linked = `${temporary.folder}.linked`;
    cleanups.push(() => rmSync(linked, { recursive: true, force: true }));
    temporary.git('worktree', 'add', '--quiet', '-b', 'other', linked);
    const opened = await openRepository(linked);
    cleanups.push(opened.close);
    expect(await opened.repository.head()).toMatchObject({ ref: 'refs/heads/other' });
  });

  it('resolves names, and gives null for what is not there', async () => {
    const { repository, temporary, head } = await open({ a: '1' });
    temporary.git('-c', 'user.name=p', '-c', 'user.email=p@example.test', 'tag', '-a', '-m', 'An annotated tag', 'v1');
    expect(await repository.resolve('main')).toBe(head);
    expect(await repository.resolve('v1')).toBe(head);
    expect(await repository.resolve('no-such')).toBeNull();
    expect(await repository.resolve('--all')).toBeNull();
  });
});

describe('the person\'s checkout', () => {
  it('names uncommitted files: staged, changed, untracked, deleted, not ignored ones', async () => {
    const { repository, temporary } = await open({ '.gitignore': '*.log\n', changed: '1', staged: '1', gone: '1', same: '1' });
    temporary.write({ changed: '2', staged: '2', gone: null, 'new/deep/file': 'n', 'x.log': 'ignored' });
    temporary.git('add', 'staged');
    expect([...(await repository.uncommitted()).files].sort()).toEqual(['changed', 'gone', 'new/deep/file', 'staged']);
  });

  it('names nested repositories apart, and nothing of theirs (A13)', async () => {
    const { repository, temporary } = await open({ a: '1' });
    temporary.write({ 'inner/file': 'x' });
    temporary.git('init', '--quiet', path.join(temporary.folder, 'inner'));
    expect(await repository.uncommitted()).toEqual({ files: [], nestedRepositories: ['inner'] });
  });

  it('leaves the person\'s checkout as it was, index and all', async () => {
    const { repository, temporary, head } = await open({ a: '1', 'src/b': '2' });
    temporary.write({ a: 'changed', c: 'new' });
    // The index is stale now: an ordinary status would write it.
    utimesSync(path.join(temporary.folder, 'src/b'), new Date(), new Date(Date.now() - 86_400_000));
    const before = photograph(temporary.folder);
    await repository.uncommitted();
    await repository.head();
    await repository.list(head, folder(''));
    expect(photograph(temporary.folder)).toEqual(before);
  });

  it('tells what is under way: merge, rebase, cherry-pick, revert, bisect', async () => {
    const ways: Record<OperationInProgress, (repository: TemporaryRepository) => void> = {
      merge: (r) => fails(r, 'merge', 'side'),
      rebase: (r) => fails(r, 'rebase', 'side'),
      'cherry-pick': (r) => fails(r, 'cherry-pick', 'side'),
      revert: (r) => fails(r, 'revert', 'HEAD~1'),
      bisect: (r) => r.git('bisect', 'start'),
    };
    for (const [operation, start] of Object.entries(ways)) {
      const { temporary } = await open({ a: '1' });
      temporary.git('config', 'user.name', 'p');
      temporary.git('config', 'user.email', 'p@example.test');
      temporary.git('checkout', '--quiet', '-b', 'side');
      temporary.commit('Side', { a: 'side' });
      temporary.git('checkout', '--quiet', 'main');
      temporary.commit('Main', { a: 'main' });
      temporary.commit('Later', { a: 'later' });
      expect(operationIn(gitDirOf(temporary.folder))).toBeNull();
      start(temporary);
      expect(operationIn(gitDirOf(temporary.folder))).toBe(operation);
    }
  });

  it('tells what is under way in a linked worktree of the person\'s, and not in another one', async () => {
    const { temporary } = await open({ a: '1' });
    const linked = `${temporary.folder}.linked`;
    cleanups.push(() => rmSync(linked, { recursive: true, force: true }));
    temporary.git('worktree', 'add', '--quiet', '-b', 'other', linked);
    execFileSync('git', ['-C', linked, 'bisect', 'start'], { stdio: 'ignore' });
    expect(operationIn(gitDirOf(linked))).toBe('bisect');
    expect(operationIn(gitDirOf(temporary.folder))).toBeNull();
  });
});

describe('reading trees', () => {
  it('lists a folder with modes, sizes and submodules, in git\'s order', async () => {
    const { repository, temporary } = await open({ 'src/b.sh': { content: 'bb', mode: 0o755 }, 'src/a': 'a', 'src/link': { symlink: 'a' }, 'srcx/c': 'c', top: '' });
    temporary.git('update-index', '--add', '--cacheinfo', `160000,${temporary.git('rev-parse', 'HEAD')},src/sub`);
    temporary.git('-c', 'user.name=p', '-c', 'user.email=p@example.test', 'commit', '--quiet', '-m', 'Sub');
    const head = commit(temporary.git('rev-parse', 'HEAD'));
    expect((await repository.list(head, folder('src'))).map(({ path, mode, size }) => [path, mode, size])).toEqual([
      ['src/a', '100644', 1], ['src/b.sh', '100755', 2], ['src/link', '120000', 1], ['src/sub', '160000', null],
    ]);
    expect(await repository.list(head, folder('no/such'))).toEqual([]);
    expect(await repository.list(head, folder('top'))).toEqual([]);
    expect(await repository.submodules(head)).toEqual(['src/sub']);
    expect((await refusalOf(repository.list(commit('1'.repeat(40)), folder('')))).refusal.reason).toBe('git-failed');
  });

  it('reads bytes of files, null of what is no file, and refuses an unknown commit', async () => {
    const bytes = Buffer.from([0, 1, 255, 10, 13, 10]);
    const { repository, head } = await open({ 'src/bytes': bytes, empty: '', link: { symlink: 'src/bytes' } });
    expect(await repository.read(head, file('src/bytes'))).toEqual(bytes);
    expect(text(await repository.read(head, file('empty')))).toBe('');
    expect(text(await repository.read(head, file('link')))).toBe('src/bytes');
    expect(await repository.read(head, file('src'))).toBeNull();
    expect(await repository.read(head, file('none'))).toBeNull();
    expect(await repository.read(await repository.treeOf(head), file('src/bytes'))).toEqual(bytes);
    expect((await refusalOf(repository.read(commit('1'.repeat(40)), file('empty')))).refusal.reason).toBe('git-failed');
  });

  it('lists a partial clone without fetching anything', async () => {
    const origin = makeTemporaryRepository({ 'src/a': 'a', b: 'b' });
    const clone = `${origin.folder}.clone`;
    cleanups.push(() => origin.remove());
    origin.git('config', 'uploadpack.allowFilter', 'true');
    origin.git('clone', '--quiet', '--filter=blob:none', '--no-checkout', `file://${origin.folder}`, clone);
    const head = commit(origin.git('rev-parse', 'HEAD'));
    rmSync(origin.folder, { recursive: true });
    const { repository, close } = await openRepository(clone);
    cleanups.push(close);
    expect((await repository.list(head, folder(''))).map(({ path: name, size }) => [name, size])).toEqual([['b', null], ['src/a', null]]);
    expect((await refusalOf(repository.read(head, file('b')))).refusal.next).toContain('partial clone');
  });

  it('reads a file of 50 MB', async () => {
    const big = Buffer.alloc(50_000_000, 'worldtree\n');
    const { repository, head } = await open({ big });
    const read = await repository.read(head, file('big'));
    expect(read !== null && Buffer.from(read).equals(big)).toBe(true);
  });

  it('keeps odd names the same everywhere', async () => {
    const { repository, temporary, head } = await open(Object.fromEntries(odd.map((name) => [`${name}/${name}.txt`, name])));
    const files = odd.map((name) => `${name}/${name}.txt`).sort();
    expect((await repository.list(head, folder(''))).map((entry) => entry.path as string).sort()).toEqual(files);
    for (const name of odd) {
      expect(text(await repository.read(head, file(`${name}/${name}.txt`)))).toBe(name);
      expect((await repository.list(head, folder(name))).map((entry) => entry.path)).toEqual([`${name}/${name}.txt`]);
    }
    const next = commit(temporary.commit('Change all', Object.fromEntries(odd.map((name) => [`${name}/${name}.txt`, `${name}!`]))));
    expect((await repository.diff(head, next)).map((changed) => [changed.path as string, changed.kind, changed.lines]).sort()).toEqual(files.map((name) => [name, 'modified', { added: 1, removed: 1 }]));
    temporary.write(Object.fromEntries(odd.map((name) => [`${name}/${name}.new`, name])));
    expect((await repository.uncommitted()).files.map(String).sort()).toEqual(odd.map((name) => `${name}/${name}.new`).sort());
  });

  it('tells each kind of change', async () => {
    const long = Array.from({ length: 60 }, (_, i) => `line ${i}\n`).join('');
    const { repository, temporary, head } = await open({
      modified: 'a\nb\n', deleted: 'x\n', 'old/name': long, 'copy/of': long.replaceAll('line', 'row'), mode: 'm\n', type: 'text\n', binary: Buffer.from([0, 1, 2]), space: ' ',
    });
    temporary.git('mv', 'old/name', 'new name');
    temporary.write({
      modified: 'a\nc\nd\n', deleted: null, 'copy/of': `${long.replaceAll('line', 'row')}more\n`, 'copy/made': long.replaceAll('line', 'row'), mode: { content: 'm\n', mode: 0o755 }, type: null, binary: Buffer.from([0, 9, 9]), empty: '', added: 'new\n',
    });
    temporary.write({ type: { symlink: 'target' } });
    temporary.git('add', '--all');
    temporary.git('update-index', '--add', '--cacheinfo', `160000,${head},sub`);
    temporary.git('-c', 'user.name=p', '-c', 'user.email=p@example.test', 'commit', '--quiet', '-m', 'All kinds');
    const changes = await repository.diff(head, commit(temporary.git('rev-parse', 'HEAD')));
    const by = new Map(changes.map((changed) => [changed.path as string, changed]));
    expect([...by].map(([name, { kind, from, lines }]) => [name, kind, from, lines]).sort()).toEqual([
      ['added', 'added', null, { added: 1, removed: 0 }],
      ['binary', 'modified', null, null],
      ['copy/made', 'copied', 'copy/of', { added: 0, removed: 0 }],
      ['copy/of', 'modified', null, { added: 1, removed: 0 }],
      ['deleted', 'deleted', null, { added: 0, removed: 1 }],
      ['empty', 'added', null, { added: 0, removed: 0 }],
      ['mode', 'mode', null, { added: 0, removed: 0 }],
      ['modified', 'modified', null, { added: 2, removed: 1 }],
      ['new name', 'renamed', 'old/name', { added: 0, removed: 0 }],
      ['sub', 'submodule', null, null],
      ['type', 'type', null, { added: 1, removed: 1 }],
    ]);
    expect(by.get('deleted')).toMatchObject({ oldMode: '100644', newMode: null, newBlob: null });
    expect(by.get('mode')).toMatchObject({ oldMode: '100644', newMode: '100755' });
    expect(by.get('added')).toMatchObject({ oldMode: null, oldBlob: null, newMode: '100644' });
  });
});

describe('history', () => {
  it('counts commits, knows ancestors, and finds merges on the line only', async () => {
    const { repository, temporary, head } = await open({ a: '1' });
    const second = commit(temporary.commit('Second', { a: '2' }));
    expect(await repository.commitsBetween(head, second)).toBe(1);
    expect(await repository.isAncestor(head, second)).toBe(true);
    expect(await repository.isAncestor(second, head)).toBe(false);
    expect(await repository.hasMerges(second)).toBe(false);
    temporary.git('checkout', '--quiet', '-b', 'side', head);
    temporary.commit('Side', { b: '1' });
    temporary.git('checkout', '--quiet', 'main');
    temporary.git('-c', 'user.name=p', '-c', 'user.email=p@example.test', 'merge', '--quiet', '--no-edit', 'side');
    expect(await repository.hasMerges(commit(temporary.git('rev-parse', 'HEAD')))).toBe(true);
  });
});

describe('refs of ours', () => {
  it('sets, lists and deletes refs, of one episode and not of another whose id begins alike', async () => {
    const { repository, head } = await open({ a: '1' });
    const refs = ['refs/worldtree/episodes/e1-abcd/base', 'refs/worldtree/episodes/e1-abcd/candidate/1', 'refs/worldtree/episodes/e12-abcd/base'];
    for (const ref of refs) await repository.setRef(ref as never, head);
    expect((await repository.listRefs('refs/worldtree/')).map((found) => found.ref)).toEqual(refs);
    await repository.deleteRefs('refs/worldtree/episodes/e1-abcd');
    expect(await repository.listRefs('refs/worldtree/')).toEqual([{ ref: refs[2], commit: head }]);
    await repository.deleteRefs('refs/worldtree/episodes/e1-abcd');
  });

  it('refuses every other ref', async () => {
    const { repository, temporary, head } = await open({ a: '1' });
    await refusalOf(repository.setRef('refs/heads/main' as never, head));
    await refusalOf(repository.deleteRefs('refs/heads/'));
    await refusalOf(repository.writeRecord('refs/heads/x' as never, { a: 'b' }, 'm'));
    expect(temporary.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  it('writes a record with nobody\'s name set and signing on', async () => {
    const { repository, temporary } = await open({ a: '1' });
    temporary.git('config', 'commit.gpgsign', 'true');
    temporary.git('config', 'gpg.program', '/bin/false');
    const id = await repository.writeRecord('refs/worldtree/episodes/e1-abcd/record' as never, { 'goal.md': 'Grüße\n', 'usage.json': '{}' }, 'Record of e1');
    expect(await repository.resolve('refs/worldtree/episodes/e1-abcd/record')).toBe(id);
    expect(text(await repository.read(id, file('goal.md')))).toBe('Grüße\n');
    expect((await repository.list(id, folder(''))).map((entry) => entry.path)).toEqual(['goal.md', 'usage.json']);
  });
});

describe('the process that reads objects', () => {
  it('goes on reading after its process died', async () => {
    const { door, repository, head } = await open({ a: '1', b: '2' });
    expect(text(await repository.read(head, file('a')))).toBe('1');
    process.kill(processWith('cat-file', door.place.gitDir), 'SIGKILL');
    const answers = await Promise.all([repository.read(head, file('b')), repository.read(head, file('a'))]);
    expect(answers.map(text)).toEqual(['2', '1']);
  });

  it('gives nobody the answer of another, when callers go in between', async () => {
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, `${i}`.repeat(2_000 + i)]));
    const { door, head } = await open(files);
    const reader = new ObjectReader(door);
    cleanups.push(() => reader.close());
    const answers = await Promise.all(Object.keys(files).map(async (name, i) => {
      const controller = new AbortController();
      const answer = reader.contents(`${head}:${name}`, controller.signal).then((found) => found?.bytes.toString('utf8') ?? null, () => 'cancelled');
      if (i % 3 === 0) controller.abort();
      return answer;
    }));
    expect(answers).toEqual(Object.values(files).map((content, i) => (i % 3 === 0 ? 'cancelled' : content)));
  });

  it('sees objects that were written after it started', async () => {
    const { repository, temporary, head } = await open({ a: '1' });
    await repository.read(head, file('a'));
    const next = commit(temporary.commit('Next', { a: '2' }));
    expect(text(await repository.read(next, file('a')))).toBe('2');
  });
});

function fails(repository: TemporaryRepository, ...args: string[]): void {
  expect(() => repository.git(...args)).toThrow();
}

/** The pid of a running process whose arguments hold these words. */
function processWith(...words: string[]): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    let line = '';
    try {
      line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
    } catch {
      continue;
    }
    if (words.every((word) => line.includes(word))) return Number(name);
  }
  throw new Error(`no process with ${words.join(' and ')}`);
}
