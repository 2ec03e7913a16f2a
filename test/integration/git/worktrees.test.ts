/*
 * | case | test |
 * | --- | --- |
 * | A1 no commit | (refused before: there is no commit to ask for; repository.test.ts "tells an unborn branch") |
 * | A2, A11 detached; the branch is checked out elsewhere | "makes a detached worktree exactly at the commit…" |
 * | A3 a filter's program is missing | "refuses when a filter cannot run…", "…brings files as they are stored" |
 * | A4 uncommitted files | "starts from the commit, not from what is uncommitted…" |
 * | A5 many at once | "makes twelve at once" |
 * | A6, A7 submodules; a linked worktree was opened | "leaves submodules empty and says so…" |
 * | A8 sparse main checkout | "is full although the main checkout is sparse" |
 * | A9 long paths | "holds long paths, or refuses and leaves nothing" |
 * | A10 a failing hook | "runs no hook" |
 * | A12 worktree differs | "refuses a worktree that differs…" |
 * | A14 an ignore rule matches the root | "loses no file below a folder that is ignored" |
 * | A17 odd names | "holds odd names" |
 * | rule 1, 2 | "leaves nothing when it is cancelled", "leaves the person's checkout and config as they were" |
 * | reset | "sets files back…" and what follows |
 * | C1 links | "removes links and leaves what they point to" |
 * | A16, C3 to C5, C13 | broughtFiles.test.ts, sweep.test.ts |
 * | B9 a replaced .git, a .git in a submodule's folder | hostileWorktree.test.ts |
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyWorktree } from '../../../src/adapters/git/worktrees/worktreeFiles.ts';
import { worktreeAccess } from '../../../src/adapters/git/worktrees/worktreeAccess.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { absolute, commit, episode, isolateGit, openRepository, photograph, preparation, refusalOf } from './support.ts';

const cleanups: (() => unknown)[] = [];
beforeEach(isolateGit);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(files: FileTree, change: (folder: string) => { readonly opened?: string; readonly root?: string } = () => ({})) {
  const temporary = makeTemporaryRepository(files);
  const outside = makeTemporaryFolder('outside');
  cleanups.push(() => removeFolder(outside), () => temporary.remove());
  const changed = change(temporary.folder);
  const root = changed.root ?? path.join(outside, 'worktrees');
  const opened = await openRepository(changed.opened ?? temporary.folder, root);
  cleanups.push(opened.close);
  const left = (): readonly string[] => readdirSync(path.join(root, readdirSync(root)[0] ?? '')).filter((name) => name !== '.trash');
  return { ...opened, temporary, outside, root, left, head: commit(temporary.git('rev-parse', 'HEAD')) };
}

/** Relative names of all files, without git's. */
function files(of: string): string[] {
  return Object.keys(photograph(of)).filter((name) => name !== '.git' && !name.startsWith('.git/')).sort();
}

const read = (...parts: string[]): string => readFileSync(path.join(...parts), 'utf8');
const registrations = (temporary: { git(...args: string[]): string }): number => temporary.git('worktree', 'list', '--porcelain').split('\n').filter((line) => line.startsWith('worktree ')).length - 1;
const odd = ['with space', 'ümläut', '漢字', '🌳', "quo'te", 'dou"ble', '-dash', 'new\nline', 'tab\there', '*', ':(top)x'];

describe('making a worktree', () => {
  it('makes a detached worktree exactly at the commit, also when its branch is checked out and has moved on', async () => {
    const { worktrees, temporary, head, root } = await open({ 'a.txt': 'one', 'src/run.sh': { content: '#!/bin/sh', mode: 0o755 }, link: { symlink: 'a.txt' } });
    temporary.commit('Next', { 'a.txt': 'two' });
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    expect(made.path.startsWith(root)).toBe(true);
    expect(made).toMatchObject({ brought: [], notes: [] });
    expect(files(made.path)).toEqual(['a.txt', 'link', 'src/run.sh']);
    expect(read(made.path, 'a.txt')).toBe('one');
    expect(lstatSync(path.join(made.path, 'src/run.sh')).mode & 0o111).not.toBe(0);
    expect(temporary.git('worktree', 'list', '--porcelain')).toMatch(/detached\nlocked/);
    expect(temporary.git('-C', made.path, 'rev-parse', 'HEAD')).toBe(head);
    expect(temporary.git('-C', made.path, 'status', '--porcelain', '--ignored')).toBe('');
  });

  it('starts from the commit, not from what is uncommitted in the main checkout', async () => {
    const { worktrees, temporary, head } = await open({ 'a.txt': 'one' });
    temporary.write(Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`new${i}`, 'n'])));
    temporary.write({ 'a.txt': 'changed' });
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    expect(files(made.path)).toEqual(['a.txt']);
    expect(read(made.path, 'a.txt')).toBe('one');
  });

  it('leaves the person\'s checkout and config as they were', async () => {
    const { worktrees, temporary, head } = await open({ 'a.txt': 'one', '.gitignore': 'build/\n' });
    temporary.write({ 'a.txt': 'changed', staged: 's', 'build/out': 'b' });
    temporary.git('add', 'staged');
    const ours = (name: string): boolean => !/^\.git\/(worktrees|objects|refs\/worldtree)\//.test(name);
    const shoot = (): [string, string][] => Object.entries(photograph(temporary.folder)).filter(([name]) => ours(name));
    const before = shoot();
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    writeFileSync(path.join(made.path, 'a.txt'), 'agent');
    await worktrees.reset(made.path, head, head);
    await worktrees.remove(episode('e1-abcd'), null);
    expect(shoot()).toEqual(before);
  });

  it('makes twelve at once, each with all files', async () => {
    const { worktrees, temporary, head } = await open(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`d${i % 5}/f${i}`, `${i}`])));
    const made = await Promise.all(Array.from({ length: 12 }, (_, i) => worktrees.prepare(preparation(`e${i + 1}-abcd`, head))));
    expect(new Set(made.map(({ path: at }) => at)).size).toBe(12);
    for (const { path: at } of made) expect(files(at)).toHaveLength(40);
    expect(registrations(temporary)).toBe(12);
    await Promise.all(made.map((_, i) => worktrees.remove(episode(`e${i + 1}-abcd`), null)));
    expect(registrations(temporary)).toBe(0);
    expect(existsSync(path.join(temporary.folder, '.git/index.lock'))).toBe(false);
  });

  it('leaves submodules empty and says so, from a linked worktree too', async () => {
    const library = makeTemporaryRepository({ 'l.txt': 'l' });
    cleanups.push(() => library.remove());
    const { worktrees, place, temporary } = await open({ 'a.txt': 'a' }, (at) => {
      const main = { git: (...args: string[]) => library.git('-C', at, '-c', 'protocol.file.allow=always', '-c', 'user.name=p', '-c', 'user.email=p@example.test', ...args) };
      main.git('submodule', '--quiet', 'add', library.folder, 'lib');
      main.git('commit', '--quiet', '-m', 'Sub');
      main.git('worktree', 'add', '--quiet', '--detach', `${at}.linked`);
      cleanups.push(() => rmSync(`${at}.linked`, { recursive: true, force: true }));
      return { opened: `${at}.linked` };
    });
    expect(place.commonDir).toBe(path.join(temporary.folder, '.git'));
    const made = await worktrees.prepare(preparation('e1-abcd', temporary.git('rev-parse', 'HEAD')));
    expect(readdirSync(path.join(made.path, 'lib'))).toEqual([]);
    expect(made.notes.join()).toContain('lib');
    await worktrees.remove(episode('e1-abcd'), null);
    expect(registrations(temporary)).toBe(1);
  });

  it('is full although the main checkout is sparse, and leaves that as it is', async () => {
    const { worktrees, temporary, head } = await open({ 'a/f': 'a', 'b/f': 'b', top: 't' }, (at) => {
      const git = makeGit(at);
      git('sparse-checkout', 'set', '--cone', 'a');
      return {};
    });
    expect(existsSync(path.join(temporary.folder, 'b'))).toBe(false);
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    expect(files(made.path)).toEqual(['a/f', 'b/f', 'top']);
    await worktrees.reset(made.path, head, head);
    expect(files(made.path)).toEqual(['a/f', 'b/f', 'top']);
    // The agent's own git must see them too.
    expect(temporary.git('-C', made.path, 'status', '--porcelain')).toBe('');
    expect(temporary.git('sparse-checkout', 'list')).toBe('a');
  });

  it('holds long paths, or refuses and leaves nothing', async () => {
    const long = `${'d'.repeat(115)}/${'e'.repeat(60)}/${'f'.repeat(63)}`;
    const fine = await open({ [long]: 'x' });
    expect(files((await fine.worktrees.prepare(preparation('e1-abcd', fine.head))).path)).toEqual([long]);

    const deep = await open({ [long]: 'x' }, (at) => ({ root: path.join(`${at}.deep`, ...Array.from({ length: 39 }, () => 'r'.repeat(99))) }));
    cleanups.push(() => rmSync(`${deep.temporary.folder}.deep`, { recursive: true, force: true }));
    const refused = await refusalOf(deep.worktrees.prepare(preparation('e1-abcd', deep.head)));
    expect(refused.refusal.next).toMatch(/shorter/);
    expect(registrations(deep.temporary)).toBe(0);
    expect(deep.left()).toEqual([]);
  });

  it('runs no hook', async () => {
    const { worktrees, temporary, head, outside } = await open({ a: 'a' });
    const ran = path.join(outside, 'ran');
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) temporary.write({ [`.git/hooks/${hook}`]: { content: `#!/bin/sh\ntouch '${ran}'\nexit 1\n`, mode: 0o755 } });
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    await worktrees.reset(made.path, head, head);
    await worktrees.remove(episode('e1-abcd'), null);
    expect(existsSync(ran)).toBe(false);
  });

  it('refuses when a filter cannot run, with the program\'s name, and leaves nothing', async () => {
    const { worktrees, temporary, left } = await open({ '.gitattributes': '*.bin filter=lfs\n', 'a.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n', b: 'b' });
    temporary.git('config', 'filter.lfs.smudge', 'git-lfs-missing smudge -- %f');
    temporary.git('config', 'filter.lfs.clean', 'git-lfs-missing clean -- %f');
    temporary.git('config', 'filter.lfs.required', 'true');
    const head = temporary.git('rev-parse', 'HEAD');
    const refused = await refusalOf(worktrees.prepare(preparation('e1-abcd', head)));
    expect(refused.refusal).toMatchObject({ reason: 'filter-missing' });
    expect(refused.refusal.message).toContain('git-lfs-missing');
    expect(registrations(temporary)).toBe(0);
    expect(left()).toEqual([]);

    // The second try, which the person chose: files as they are stored.
    const made = await worktrees.prepare(preparation('e1-abcd', head, { withoutFilters: true }));
    expect(read(made.path, 'a.bin')).toMatch(/^version https/);
    expect(made.notes.join('\n')).toContain('a.bin');
    await worktrees.reset(made.path, commit(head), commit(head));
    expect(read(made.path, 'a.bin')).toMatch(/^version https/);
  });

  it('accepts files whose line endings are not what their attributes ask for, and names them', async () => {
    const { worktrees, temporary } = await open({ 'crlf.txt': 'a\r\nb\r\n', other: 'o' });
    temporary.write({ '.gitattributes': '*.txt text eol=lf\n' });
    temporary.git('add', '.gitattributes');
    temporary.git('-c', 'user.name=p', '-c', 'user.email=p@example.test', 'commit', '--quiet', '-m', 'Attributes only');
    const head = commit(temporary.git('rev-parse', 'HEAD'));
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    expect(read(made.path, 'crlf.txt')).toBe('a\r\nb\r\n');
    await worktrees.reset(made.path, head, head);
    expect(read(made.path, 'crlf.txt')).toBe('a\r\nb\r\n');
  });

  it('loses no file below a folder that is ignored', async () => {
    const { worktrees, head } = await open({ '.gitignore': 'cache/\n', 'src/a': 'a' }, (at) => ({ root: path.join(at, 'cache') }));
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    expect(files(made.path)).toEqual(['.gitignore', 'src/a']);
    writeFileSync(path.join(made.path, 'src/new'), 'n');
    await worktrees.reset(made.path, head, head);
    expect(files(made.path)).toEqual(['.gitignore', 'src/a']);
  });

  it('holds odd names, and sets them back', async () => {
    const { worktrees, head } = await open(Object.fromEntries(odd.map((name) => [`${name}/${name}.txt`, name])));
    const expected = odd.map((name) => `${name}/${name}.txt`).sort();
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    expect(files(made.path)).toEqual(expected);
    for (const name of odd) {
      writeFileSync(path.join(made.path, name, `${name}.txt`), 'changed');
      writeFileSync(path.join(made.path, name, `${name}.new`), 'new');
    }
    await worktrees.reset(made.path, head, head);
    expect(files(made.path)).toEqual(expected);
    for (const name of odd) expect(read(made.path, name, `${name}.txt`)).toBe(name);
  });

  it('leaves nothing when it is cancelled, before and in the middle', async () => {
    const { worktrees, temporary, head, left } = await open({ a: 'a' });
    expect((await refusalOf(worktrees.prepare(preparation('e1-abcd', head, { signal: AbortSignal.abort() })))).refusal.reason).toBe('cancelled');
    const controller = new AbortController();
    const cancelled = worktrees.prepare(preparation('e1-abcd', head, { signal: controller.signal, progress: () => controller.abort() }));
    expect((await refusalOf(cancelled)).refusal.reason).toBe('cancelled');
    expect(registrations(temporary)).toBe(0);
    expect(left()).toEqual([]);
  });

  it('refuses an unknown commit, and a folder for worktrees that cannot be made', async () => {
    const { worktrees, left } = await open({ a: 'a' });
    expect((await refusalOf(worktrees.prepare(preparation('e1-abcd', '1'.repeat(40))))).refusal.next).not.toBe('');
    expect(left()).toEqual([]);
    const other = await open({ a: 'a' }, (at) => {
      writeFileSync(`${at}.file`, '');
      cleanups.push(() => rmSync(`${at}.file`, { force: true }));
      return { root: path.join(`${at}.file`, 'root') };
    });
    expect((await refusalOf(other.worktrees.prepare(preparation('e1-abcd', other.head)))).refusal.reason).toBe('worktree-failed');
  });

  it('refuses a worktree that differs: another file, another HEAD, a bit that hides a file, something more', async () => {
    const { worktrees, door, temporary, head } = await open({ a: 'aa', b: 'bb' });
    const next = temporary.commit('Next', { a: 'other' });
    const made = await worktrees.prepare(preparation('e1-abcd', head));
    const access = await worktreeAccess(door, made.path);
    const verify = (): Promise<unknown> => verifyWorktree(door, access, head, new Set());
    await verify();
    const ways: [string, () => void][] = [
      ['a', () => writeFileSync(path.join(made.path, 'a'), 'stale')],
      ['a', () => rmSync(path.join(made.path, 'a'))],
      ['more', () => writeFileSync(path.join(made.path, 'more'), '')],
      ['a', () => temporary.git('-C', made.path, 'update-index', '--skip-worktree', 'a')],
      ['b', () => temporary.git('-C', made.path, 'update-index', '--assume-unchanged', 'b')],
      ['HEAD', () => temporary.git('-C', made.path, 'update-ref', '--no-deref', 'HEAD', next)],
      ['a', () => temporary.git('-C', made.path, 'read-tree', next)],
    ];
    for (const [name, change] of ways) {
      change();
      expect((await refusalOf(verify())).refusal).toMatchObject({ reason: 'worktree-differs', files: [name] });
      // Which verifies by itself.
      await worktrees.reset(made.path, head, head);
    }
  });
});

describe('resetting a worktree', () => {
  it('sets files back and removes new ones, keeps ignored ones and the times of what did not change', async () => {
    const { worktrees, head } = await open({ '.gitignore': 'build/\n', changed: 'c', gone: 'g', same: 's', 'dir/f': 'f' });
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    const time = lstatSync(path.join(at, 'same')).mtimeMs;
    const inode = lstatSync(path.join(at, 'same')).ino;
    writeFileSync(path.join(at, 'changed'), 'x');
    rmSync(path.join(at, 'gone'));
    mkdirSync(path.join(at, 'build'));
    writeFileSync(path.join(at, 'build/out'), 'kept');
    mkdirSync(path.join(at, 'new/deep'), { recursive: true });
    writeFileSync(path.join(at, 'new/deep/file'), 'n');
    rmSync(path.join(at, 'dir'), { recursive: true });
    writeFileSync(path.join(at, 'dir'), 'a file where a folder was');
    await worktrees.reset(at, head, head);
    expect(files(at)).toEqual(['.gitignore', 'build/out', 'changed', 'dir/f', 'gone', 'same']);
    expect([read(at, 'changed'), read(at, 'gone'), read(at, 'dir/f')]).toEqual(['c', 'g', 'f']);
    expect(existsSync(path.join(at, 'new'))).toBe(false);
    expect(lstatSync(path.join(at, 'same'))).toMatchObject({ mtimeMs: time, ino: inode });
  });

  it('goes to another commit and back, also over a file that the other one ignores', async () => {
    const { worktrees, temporary, head } = await open({ a: '1', '.gitignore': '*.gen\n' });
    temporary.write({ a: '2', b: 'b', 'x.gen': 'forced' });
    temporary.git('add', '--force', '--all');
    const next = commit(temporary.commit('Next'));
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    await worktrees.reset(at, next, head);
    expect(files(at)).toEqual(['.gitignore', 'a', 'b', 'x.gen']);
    expect(temporary.git('-C', at, 'rev-parse', 'HEAD')).toBe(next);
    await worktrees.reset(at, head, head);
    expect(files(at)).toEqual(['.gitignore', 'a']);
  });

  it('is not fooled by bits that an agent set, nor stopped by a branch it made or a lock it left', async () => {
    const { worktrees, temporary, head } = await open({ a: 'a', b: 'b' });
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    temporary.git('-C', at, 'checkout', '--quiet', '-b', 'mine');
    temporary.git('-C', at, 'update-index', '--skip-worktree', 'a');
    temporary.git('-C', at, 'update-index', '--assume-unchanged', 'b');
    writeFileSync(path.join(at, 'a'), 'hidden');
    writeFileSync(path.join(at, 'b'), 'hidden');
    writeFileSync(path.join(temporary.folder, '.git/worktrees/e1-abcd/index.lock'), '');
    await worktrees.reset(at, head, head);
    expect([read(at, 'a'), read(at, 'b')]).toEqual(['a', 'b']);
    expect(temporary.git('-C', at, 'ls-files', '-v')).toBe('H a\nH b');
    expect(temporary.git('rev-parse', 'mine')).toBe(head);
    expect(temporary.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });

  it('writes through no link that an agent put in place of a folder, and removes nested repositories', async () => {
    const { worktrees, temporary, head, outside } = await open({ 'src/a': 'a', 'src/sub/b': 'b' });
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    const precious = path.join(outside, 'precious');
    mkdirSync(path.join(precious, 'sub'), { recursive: true });
    writeFileSync(path.join(precious, 'a'), 'mine');
    writeFileSync(path.join(precious, 'sub/other'), 'mine');
    rmSync(path.join(at, 'src'), { recursive: true });
    symlinkSync(precious, path.join(at, 'src'));
    symlinkSync(precious, path.join(at, 'more'));
    temporary.git('init', '--quiet', path.join(at, 'nested'));
    await worktrees.reset(at, head, head);
    expect(files(at)).toEqual(['src/a', 'src/sub/b']);
    expect(existsSync(path.join(at, 'nested'))).toBe(false);
    expect([read(precious, 'a'), read(precious, 'sub/other')]).toEqual(['mine', 'mine']);
  });
});

describe('removing a worktree', () => {
  it('removes links and leaves what they point to', async () => {
    const { worktrees, temporary, head, outside, root } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    const precious = path.join(outside, 'precious');
    mkdirSync(path.join(precious, 'deep'), { recursive: true });
    writeFileSync(path.join(precious, 'deep/file'), 'mine');
    symlinkSync(precious, path.join(at, 'link'));
    mkdirSync(path.join(at, 'locked'), { mode: 0o500 });
    await worktrees.remove(episode('e1-abcd'), null);
    expect(existsSync(at)).toBe(false);
    expect(registrations(temporary)).toBe(0);
    await worktrees.emptyTrash();
    expect(read(precious, 'deep/file')).toBe('mine');
    expect(Object.keys(photograph(root))).toEqual([]);
    await worktrees.remove(episode('e1-abcd'), null);
  });

  it('unlinks a link that stands where the worktree should be', async () => {
    const { worktrees, head, outside } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    mkdirSync(path.join(outside, 'precious'));
    rmSync(at, { recursive: true });
    symlinkSync(path.join(outside, 'precious'), at);
    expect(await worktrees.adopt(episode('e1-abcd'), absolute(at))).toEqual({ kind: 'gone' });
    await worktrees.remove(episode('e1-abcd'), null);
    expect(existsSync(path.join(outside, 'precious'))).toBe(true);
    expect(existsSync(at)).toBe(false);
  });
});

function makeGit(at: string): (...args: string[]) => string {
  const any = makeTemporaryRepository();
  cleanups.push(() => any.remove());
  return (...args) => any.git('-C', at, ...args);
}
