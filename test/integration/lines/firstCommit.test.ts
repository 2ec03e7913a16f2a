import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GitDoor, type GitPlace } from '../../../src/adapters/git/door/door.ts';
import { createFirstCommit } from '../../../src/adapters/git/lines/firstCommit.ts';
import { MoveFolder } from '../../../src/adapters/git/lines/moveFolder.ts';
import { discover } from '../../../src/adapters/git/reading/discovery.ts';
import { moveId, type CommitId, type FilePath } from '../../../src/core/ids.ts';
import type { FirstCommit } from '../../../src/runtime/ports/firstCommit.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { isolateGit } from '../git/support.ts';
import { filesOf } from './lineWorld.ts';

isolateGit();

describe('given a repository without a commit', () => {
  let repository: TemporaryRepository;
  const git = (...args: readonly string[]): string => repository.git(...args);
  beforeEach(() => {
    repository = makeTemporaryRepository();
    git('config', 'user.name', 'Ada Person');
    git('config', 'user.email', 'ada@example.test');
  });
  afterEach(() => repository.remove());

  async function open(folder = repository.folder): Promise<FirstCommit> {
    const place = await discover(folder);
    if (!place) throw new Error(`no repository at ${folder}`);
    return createFirstCommit(new GitDoor(place));
  }
  async function make(files: readonly string[], message = 'First commit', folder?: string): Promise<CommitId> {
    return (await open(folder)).make({ files: files as readonly FilePath[], message, signal: new AbortController().signal });
  }
  const committed = () => git('ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0').filter((name) => name !== '').sort();
  const status = () => git('status', '--porcelain', '-uall');
  const files: FileTree = { 'README.md': '# Shop\n', 'src/a.ts': '1\n', '.gitignore': 'out/\n', 'out/a.js': '1\n' };

  it('then every file that is not ignored is offered, with its size', async () => {
    repository.write(files);
    expect(await (await open()).offer()).toEqual({
      ref: 'refs/heads/main', nestedRepositories: [],
      files: [['.gitignore', 5], ['README.md', 7], ['src/a.ts', 2]].map(([name, bytes]) => ({ path: name, bytes, staged: false })),
    });
  });

  it('then exactly the picked files are committed, as the person, and the others stay as they are', async () => {
    repository.write(files);
    const before = filesOf(repository.folder);
    const commit = await make(['README.md', '.gitignore'], 'Begin\n\nWith a body.');
    expect(git('rev-parse', 'refs/heads/main')).toBe(commit);
    expect(git('show', '-s', '--format=%an <%ae>|%cn|%P|%B')).toBe('Ada Person <ada@example.test>|Ada Person||Begin\n\nWith a body.\n');
    expect(committed()).toEqual(['.gitignore', 'README.md']);
    expect(status()).toBe('?? src/a.ts');
    expect(filesOf(repository.folder)).toEqual(before);
    expect(git('reflog', '--format=%gs', 'HEAD')).toBe('commit (initial): Begin');
  });

  it('then what is staged is committed as it was staged, and stays staged where it was not picked', async () => {
    repository.write({ 'a.txt': 'staged\n', 'b.txt': 'kept\n', 'c.txt': 'new\n' });
    git('add', 'a.txt', 'b.txt');
    repository.write({ 'a.txt': 'edited since\n' });
    expect((await (await open()).offer()).files.map(({ path: name, staged }) => [name, staged])).toEqual([['a.txt', true], ['b.txt', true], ['c.txt', false]]);
    await make(['a.txt', 'c.txt']);
    expect(git('show', 'HEAD:a.txt')).toBe('staged');
    expect(committed()).toEqual(['a.txt', 'c.txt']);
    expect(status()).toBe(' M a.txt\nA  b.txt');
  });

  it('then a file that is staged and gone from the disk, and one that is only announced, are told apart', async () => {
    repository.write({ 'gone.txt': 'still staged\n', 'announced.txt': 'x\n', 'never.txt': 'x\n' });
    git('add', 'gone.txt');
    git('add', '--intent-to-add', 'announced.txt', 'never.txt');
    repository.write({ 'gone.txt': null, 'never.txt': null });
    expect((await (await open()).offer()).files.map(({ path: name, staged, bytes }) => [name, staged, bytes])).toEqual([['announced.txt', false, 2], ['gone.txt', true, null]]);
    await make(['gone.txt', 'announced.txt']);
    expect(committed()).toEqual(['announced.txt', 'gone.txt']);
  });

  it('then names of every kind are taken as they are', async () => {
    const names = ['-rf', 'Größe.txt', 'a "quoted" one', 'line\nbreak', 'sp ace/x', ':(top)x', '*.ts'];
    repository.write(Object.fromEntries(names.map((name) => [name, 'x\n'])));
    expect((await (await open()).offer()).files.map((file) => file.path)).toEqual([...names].sort());
    await make(names.slice(0, 6));
    expect(committed()).toEqual(names.slice(0, 6).sort());
    expect(status()).toBe('?? *.ts');
  });

  it('then executable files and links keep what they are', async () => {
    repository.write({ 'run.sh': { content: '#!/bin/sh\n', mode: 0o755 }, 'link': { symlink: 'run.sh' }, 'out': { symlink: '/etc/hosts' } });
    await make(['run.sh', 'link', 'out']);
    expect(git('ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD').split('\n')).toEqual(['120000 link', '120000 out', '100755 run.sh']);
    expect(status()).toBe('');
  });

  it('then files are converted as `git add` would', async () => {
    repository.write({ '.gitattributes': '*.txt text\n', 'a.txt': 'one\r\ntwo\r\n' });
    await make(['.gitattributes', 'a.txt']);
    expect(git('cat-file', 'blob', 'HEAD:a.txt')).toBe('one\ntwo');
    expect(status()).toBe('');
  });

  it('then repositories in it are named and none of their files is offered', async () => {
    repository.write({ 'a.txt': '1\n', 'vendor/lib/x.c': '1\n', 'vendor/new/y.c': '1\n' });
    git('init', '-q', 'vendor/lib');
    git('-C', 'vendor/lib', '-c', 'user.name=x', '-c', 'user.email=x@example.test', 'commit', '-qm', 'x', '--allow-empty');
    git('init', '-q', 'vendor/new');
    const offer = await (await open()).offer();
    expect(offer.files.map((file) => file.path)).toEqual(['a.txt']);
    expect(offer.nestedRepositories).toEqual(['vendor/lib', 'vendor/new']);
  });

  it('then without a name or an address it is refused before anything is picked, and nothing is made up', async () => {
    repository.write(files);
    git('config', '--unset', 'user.email');
    await expect((await open()).offer()).rejects.toMatchObject({ refusal: { reason: 'no-identity' } });
    await expect(make(['README.md'])).rejects.toMatchObject({ refusal: { reason: 'no-identity' } });
    expect(git('for-each-ref')).toBe('');
    expect(status()).toContain('?? README.md');
  });

  it('then a key that is not at hand leaves no commit and nothing staged', async () => {
    repository.write(files);
    git('config', 'commit.gpgsign', 'true');
    git('config', 'gpg.program', 'false');
    await expect(make(['README.md'])).rejects.toMatchObject({ refusal: { reason: 'signing-failed' } });
    expect([git('for-each-ref'), git('ls-files')]).toEqual(['', '']);
  });

  it('then a commit that somebody else makes first is kept', async () => {
    repository.write(files);
    const first = await open();
    await first.offer();
    const theirs = repository.commit('Theirs');
    await expect(first.make({ files: ['README.md' as FilePath], message: 'Ours', signal: new AbortController().signal })).rejects.toMatchObject({ refusal: { reason: 'wrong-state' } });
    expect(git('rev-parse', 'HEAD')).toBe(theirs);
  });

  it('then another git at work in the index is waited for and never broken into', async () => {
    repository.write(files);
    writeFileSync(path.join(repository.folder, '.git', 'index.lock'), '');
    await expect(make(['README.md'])).rejects.toMatchObject({ refusal: { reason: 'git-failed', message: expect.stringContaining('index.lock') as string } });
    expect(git('for-each-ref')).toBe('');
    expect(existsSync(path.join(repository.folder, '.git', 'index.lock'))).toBe(true);
  });

  it('then a lock that our own crash left behind does not stand in the way', async () => {
    repository.write(files);
    const place = await discover(repository.folder);
    if (!place) throw new Error('no repository');
    writeFileSync(path.join(place.gitDir, 'index.lock'), MoveFolder.at(place.commonDir, moveId.parse(`first commit in ${place.gitDir}`)).signature);
    await make(['README.md']);
    expect(committed()).toEqual(['README.md']);
    expect(existsSync(path.join(place.gitDir, 'index.lock'))).toBe(false);
  });

  it('then a death between index and branch leaves no commit, the picked files staged, and a next try that goes through', async () => {
    repository.write(files);
    git('add', '.gitignore');
    const before = filesOf(repository.folder);
    const place = await discover(repository.folder);
    if (!place) throw new Error('no repository');
    await killedAtBranch({ place, files: ['README.md', 'src/a.ts'] });
    expect([git('for-each-ref'), git('symbolic-ref', 'HEAD')]).toEqual(['', 'refs/heads/main']);
    expect(status()).toBe('A  .gitignore\nA  README.md\nA  src/a.ts');
    expect(filesOf(repository.folder)).toEqual(before);

    const first = await open();
    expect((await first.offer()).files.map(({ path: name, staged }) => [name, staged])).toEqual([['.gitignore', true], ['README.md', true], ['src/a.ts', true]]);
    await make(['README.md', 'src/a.ts']);
    expect([committed(), status()]).toEqual([['README.md', 'src/a.ts'], 'A  .gitignore']);
    expect(existsSync(path.join(place.gitDir, 'index.lock'))).toBe(false);
    expect(readdirSync(path.join(place.commonDir, 'worldtree', 'moves'))).toEqual([]);
  });

  it('then files that were deleted, or became something else, since they were picked are named, and nothing is committed or staged', async () => {
    repository.write({ 'gone.txt': '1\n', 'folder.txt': '1\n', 'in/link/x.txt': '1\n', 'kept.txt': '1\n' });
    const first = await open();
    const picked = (await first.offer()).files.map((file) => file.path);
    repository.write({ 'gone.txt': null, 'folder.txt': null, 'in/link': null });
    repository.write({ 'folder.txt/x': '1\n', 'other/x.txt': '1\n', 'in/link': { symlink: '../other' } });
    await expect(first.make({ files: picked, message: 'First', signal: new AbortController().signal })).rejects.toMatchObject({ refusal: { reason: 'dirty-files', files: ['folder.txt', 'gone.txt', 'in/link/x.txt'] } });
    expect([git('for-each-ref'), git('ls-files')]).toEqual(['', '']);
  });

  it('then a staged file whose name is a folder on disk is not lost to the files in that folder', async () => {
    repository.write({ 'a': 'staged\n' });
    git('add', 'a');
    repository.write({ 'a': null });
    repository.write({ 'a/b': '1\n' });
    await expect(make(['a/b'])).rejects.toMatchObject({ refusal: { reason: 'dirty-files', files: ['a'] } });
    expect(git('show', ':a')).toBe('staged');
    expect(git('for-each-ref')).toBe('');
  });

  it('then a file is picked up as it is when the commit is made', async () => {
    repository.write(files);
    const first = await open();
    await first.offer();
    appendFileSync(path.join(repository.folder, 'README.md'), 'More.\n');
    await first.make({ files: ['README.md' as FilePath], message: 'First', signal: new AbortController().signal });
    expect(git('show', 'HEAD:README.md')).toBe('# Shop\nMore.');
  });
});

/** Makes the first commit in a process of its own and kills that before the branch gets it. */
function killedAtBranch(what: { readonly place: GitPlace; readonly files: readonly string[] }): Promise<void> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'crashingFirstCommit.ts'), JSON.stringify(what)], { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString('utf8');
      if (said.includes('at branch\n')) child.kill('SIGKILL');
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', (_code, signal) => (signal === 'SIGKILL' ? resolve() : reject(new Error(`the first commit ended by itself: ${said}`))));
  });
}

describe('given a linked worktree on a branch without a commit', () => {
  it('then its first commit is made there, and the main checkout sees nothing of it', async () => {
    const repository = makeTemporaryRepository({ 'a.txt': '1\n', 'b.txt': '1\n' });
    try {
      const git = (...args: readonly string[]): string => repository.git(...args);
      git('config', 'user.name', 'Ada Person');
      git('config', 'user.email', 'ada@example.test');
      const linked = path.join(path.dirname(repository.folder), 'linked');
      git('worktree', 'add', '-q', '--detach', linked);
      git('-C', linked, 'checkout', '-q', '--orphan', 'pages');
      git('-C', linked, 'rm', '-q', '--cached', 'b.txt');
      mkdirSync(path.join(linked, 'docs'));
      writeFileSync(path.join(linked, 'docs/index.html'), 'x\n');
      const place = await discover(linked);
      if (!place) throw new Error('no repository');
      const first = createFirstCommit(new GitDoor(place));
      const main = git('rev-parse', 'main');
      expect(await first.offer()).toMatchObject({ ref: 'refs/heads/pages', files: [{ path: 'a.txt', staged: true }, { path: 'b.txt', staged: false }, { path: 'docs/index.html', staged: false }] });
      const commit = await first.make({ files: ['a.txt', 'docs/index.html'] as unknown as readonly FilePath[], message: 'Pages', signal: new AbortController().signal });
      expect(git('rev-parse', 'pages')).toBe(commit);
      expect(git('-C', linked, 'status', '--porcelain', '-uall')).toBe('?? b.txt');
      expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([main, '']);
    } finally {
      repository.remove();
    }
  });
});
