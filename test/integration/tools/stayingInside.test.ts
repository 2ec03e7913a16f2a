import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { ToolBench } from './toolBench.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

const FILES = { 'README.md': 'read me\n', 'packages/api/a.ts': 'one\ntwo\n', 'packages/web/b.ts': 'web\n' };

describe('a path of the person\'s checkout', () => {
  it('means the same file of the worktree, and is never written itself', async () => {
    const bench = given();
    const absolute = path.join(bench.repository.folder, 'packages/api/a.ts');
    expect((await bench.call('read_file', { path: absolute })).text).toContain('1\tone');
    expect(await bench.call('write_file', { path: absolute, content: 'mine\n' })).toMatchObject({ ok: true, wrote: 'packages/api/a.ts' });
    expect(bench.read('packages/api/a.ts')).toBe('mine\n');
    expect(readFileSync(absolute, 'utf8')).toBe('one\ntwo\n');
  });

  it('is taken through any spelling, and so is a path of the worktree', async () => {
    const bench = given();
    for (const spelling of [bench.at('packages/api/a.ts'), `${bench.repository.folder}/packages/web/../api/./a.ts`, './packages/api/a.ts', 'packages//api/a.ts', `${bench.worktree}/packages/api/a.ts`]) {
      expect((await bench.call('read_file', { path: spelling })).ok).toBe(true);
    }
  });
});

describe('a path outside', () => {
  it.each(['/etc/passwd', '../x', 'packages/../../x', '~/x', '~', '/', 'packages/api/../../../x', 'a\0b'])('(%j) is neither read nor written', async (outside) => {
    const bench = given();
    for (const result of [await bench.call('read_file', { path: outside }), await bench.call('write_file', { path: outside, content: 'x' }), await bench.call('list_files', { folder: outside }), await bench.call('search', { pattern: 'x', folder: outside }), await bench.call('run', { command: 'true', folder: outside })]) {
      expect(result.ok).toBe(false);
      expect(result.text).toMatch(/outside the repository|out of the repository|NUL/);
    }
    expect(bench.asked).toEqual([]);
  });

  it('whose name only begins like the worktree\'s is outside too', async () => {
    const bench = given();
    mkdirSync(`${bench.worktree}-other`);
    writeFileSync(`${bench.worktree}-other/x`, 'secret');
    expect((await bench.call('read_file', { path: `${bench.worktree}-other/x` })).text).toMatch(/outside the repository/);
  });
});

describe('a path of another folder of the repository', () => {
  it('can be read and not written', async () => {
    const bench = given();
    expect((await bench.call('read_file', { path: 'packages/web/b.ts' })).text).toContain('1\tweb');
    for (const result of [await bench.call('write_file', { path: 'packages/web/b.ts', content: 'x' }), await bench.call('edit_file', { path: 'packages/web/b.ts', old_text: 'web', new_text: 'x' }), await bench.call('write_file', { path: 'packages/api2/x', content: 'x' }), await bench.call('write_file', { path: 'packages/api', content: 'x' })]) {
      expect(result.ok).toBe(false);
    }
    expect((await bench.call('write_file', { path: 'packages/web/b.ts', content: 'x' })).text).toMatch(/outside your folder packages\/api, so nothing was written\. .*call again with outside true/);
    expect(bench.changed()).toEqual([]);
  });

  it('is written when the model says that it means it, and set apart', async () => {
    const bench = given();
    const made = await bench.call('write_file', { path: 'packages/web/b.test.ts', content: 'x\n', outside: true });
    expect(made.text).toMatch(/made, 1 line\. packages\/web\/b\.test\.ts is outside your folder packages\/api: commands see it, but it becomes part of your change only if the person allows it\. Finish with include_outside true/);
    expect((await bench.call('edit_file', { path: 'packages/web/b.ts', old_text: 'web', new_text: 'net', outside: true })).ok).toBe(true);
    expect(bench.changed()).toEqual([' M packages/web/b.ts', '?? packages/web/b.test.ts']);
    expect((await bench.call('write_file', { path: 'packages/api/a2.ts', content: 'x', outside: true })).text).not.toMatch(/outside your folder/);
  });

  it('is not written through a link, whatever the model says', async () => {
    const bench = given();
    symlinkSync('../web', bench.at('packages/api/web'));
    symlinkSync('api', bench.at('packages/alias'));
    for (const file of ['packages/api/web/b.ts', 'packages/alias/a.ts']) expect((await bench.call('write_file', { path: file, content: 'x', outside: true })).text).toMatch(/leads through a link/);
  });
});

describe('git\'s own files', () => {
  it.each(['.git', '.git/config', 'packages/api/.git/hooks/x', 'packages/api/.GIT/config', 'packages/api/.git. /x', 'packages/api/GIT~1/x'])('(%s) are left alone', async (file) => {
    const bench = given('');
    expect((await bench.call('write_file', { path: file, content: 'x' })).text).toMatch(/git/);
    expect((await bench.call('read_file', { path: file })).ok).toBe(false);
    expect(bench.changed()).toEqual([]);
  });

  it('are left alone through a link too', async () => {
    const bench = given('');
    symlinkSync('.git', bench.at('innocent'));
    symlinkSync('.git', bench.at('packages/api/x'));
    expect((await bench.call('read_file', { path: 'innocent' })).text).toMatch(/git's own files/);
    expect((await bench.call('write_file', { path: 'innocent', content: 'gitdir: /elsewhere' })).text).toMatch(/git's own files/);
    expect((await bench.call('read_file', { path: 'packages/api/x' })).ok).toBe(false);
  });
});

describe('a link in the folder that leads out of it', () => {
  it('to a file elsewhere on the machine is neither read nor written', async () => {
    const { bench, outside } = givenOutside();
    symlinkSync(path.join(outside, 'secret.txt'), bench.at('packages/api/link'));
    expect((await bench.call('read_file', { path: 'packages/api/link' })).text).toMatch(/through a link out of the worktree/);
    expect((await bench.call('write_file', { path: 'packages/api/link', content: 'mine' })).ok).toBe(false);
    expect((await bench.call('edit_file', { path: 'packages/api/link', old_text: 'secret', new_text: 'mine' })).ok).toBe(false);
    expect(readFileSync(path.join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('to a folder elsewhere gives nothing of it, also with a tail that does not exist yet', async () => {
    const { bench, outside } = givenOutside();
    symlinkSync(outside, bench.at('packages/api/out'));
    for (const tail of ['secret.txt', 'new.txt', 'new/folder/x.txt']) expect((await bench.call('write_file', { path: `packages/api/out/${tail}`, content: 'mine' })).ok).toBe(false);
    expect((await bench.call('list_files', { folder: 'packages/api/out' })).text).toMatch(/out of the worktree/);
    expect((await bench.call('list_files', {})).text).not.toContain('secret.txt');
    expect((await bench.call('search', { pattern: 'secret' })).text).toMatch(/No line matches/);
    expect((await bench.call('run', { command: 'true', folder: 'packages/api/out' })).ok).toBe(false);
    expect(readFileSync(path.join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect(existsSync(path.join(outside, 'new'))).toBe(false);
  });

  it('that dangles makes nothing where it points to', async () => {
    const { bench, outside } = givenOutside();
    symlinkSync(path.join(outside, 'not-yet'), bench.at('packages/api/dangling'));
    symlinkSync('../../../not-yet', bench.at('packages/api/relative'));
    symlinkSync('dangling', bench.at('packages/api/twice'));
    for (const link of ['dangling', 'relative', 'twice', 'dangling/x']) expect((await bench.call('write_file', { path: `packages/api/${link}`, content: 'x' })).ok).toBe(false);
    expect(existsSync(path.join(outside, 'not-yet'))).toBe(false);
    expect(existsSync(path.join(path.dirname(bench.worktree), 'not-yet'))).toBe(false);
  });

  it('to another folder of the repository can be read and not written', async () => {
    const bench = given();
    symlinkSync('../web', bench.at('packages/api/web'));
    expect((await bench.call('read_file', { path: 'packages/api/web/b.ts' })).text).toContain('1\tweb');
    const result = await bench.call('write_file', { path: 'packages/api/web/new.ts', content: 'x' });
    expect(result).toMatchObject({ ok: false });
    expect(result.text).toMatch(/leads through a link to packages\/web\/new\.ts/);
    expect(bench.has('packages/web/new.ts')).toBe(false);
  });

  it('in place of the folder itself makes everything below it outside', async () => {
    const { bench, outside } = givenOutside();
    renameSync(bench.at('packages/api'), bench.at('packages/moved'));
    symlinkSync(outside, bench.at('packages/api'));
    expect((await bench.call('write_file', { path: 'packages/api/secret.txt', content: 'mine' })).ok).toBe(false);
    expect(readFileSync(path.join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('in a circle is told', async () => {
    const bench = given();
    symlinkSync('b', bench.at('packages/api/a'));
    symlinkSync('a', bench.at('packages/api/b'));
    expect((await bench.call('read_file', { path: 'packages/api/a' })).text).toMatch(/without end/);
    expect((await bench.call('write_file', { path: 'packages/api/a/x', content: 'x' })).text).toMatch(/without end/);
  });

  it('inside the folder is written through, and stays a link', async () => {
    const bench = given();
    symlinkSync('a.ts', bench.at('packages/api/link.ts'));
    expect(await bench.call('edit_file', { path: 'packages/api/link.ts', old_text: 'one', new_text: 'ONE' })).toMatchObject({ ok: true, wrote: 'packages/api/a.ts' });
    expect(bench.read('packages/api/a.ts')).toBe('ONE\ntwo\n');
    expect(bench.changed()).toEqual([' M packages/api/a.ts', '?? packages/api/link.ts']);
  });
});

describe('a worktree that is gone', () => {
  it('is told once and for all', async () => {
    const bench = given();
    removeFolder(bench.worktree);
    for (const [name, args] of [['read_file', { path: 'README.md' }], ['list_files', {}], ['run', { command: 'pwd' }], ['write_file', { path: 'packages/api/x', content: 'x' }]] as const) {
      expect(await bench.call(name, args)).toMatchObject({ ok: false, worktreeGone: true });
    }
    expect(existsSync(bench.worktree)).toBe(false);
  });
});

function given(folder = 'packages/api'): ToolBench {
  const bench = new ToolBench(FILES, folder);
  cleanups.push(() => bench.close());
  return bench;
}

function givenOutside(): { readonly bench: ToolBench; readonly outside: string } {
  const bench = given();
  const outside = makeTemporaryFolder('outside');
  cleanups.push(() => removeFolder(outside));
  writeFileSync(path.join(outside, 'secret.txt'), 'secret');
  return { bench, outside };
}
