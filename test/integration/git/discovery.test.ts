/*
 * | case | test |
 * | --- | --- |
 * | A7 the opened folder is a linked worktree, also with submodules | "knows a linked worktree…" |
 * | A6 a folder inside a submodule | "says that a folder lies in a submodule" |
 * | A13 nested repositories: the innermost holds the folder | "takes the innermost repository" |
 * | A15 dubious ownership | "refuses a repository of another user…" |
 * | A17 odd names | "finds folders with odd names" |
 */
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discover } from '../../../src/adapters/git/reading/discovery.ts';
import type { GitFailure} from '../../../src/adapters/git/door/failure.ts';
import { failureKind } from '../../../src/adapters/git/door/failure.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import type { TemporaryRepository } from '../../support/temporaryRepository.ts';
import { isolateGit } from './support.ts';

const cleanups: (() => void)[] = [];
beforeEach(isolateGit);
afterEach(() => cleanups.splice(0).reverse().forEach((cleanup) => cleanup()));

function repository(files?: Parameters<typeof makeTemporaryRepository>[0]): TemporaryRepository {
  const made = makeTemporaryRepository(files);
  cleanups.push(() => made.remove());
  return made;
}

function emptyFolder(): string {
  const made = makeTemporaryFolder('discovery');
  cleanups.push(() => removeFolder(made));
  return made;
}

describe('discovery', () => {
  it('works in a shell that names an editor, a pager and a password asker', async () => {
    const { folder } = repository({ 'a.ts': '' });
    const before = { ...process.env };
    Object.assign(process.env, { EDITOR: 'vi', VISUAL: 'vi', PAGER: 'less', SSH_ASKPASS: '/bin/false', GIT_EDITOR: 'vi', GIT_PAGER: 'less', GIT_SSH_COMMAND: 'false' });
    cleanups.push(() => { process.env = before; });
    expect((await discover(folder))?.checkout).toBe(folder);
  });

  it('finds the repository of a subfolder, and where in it the folder lies', async () => {
    const { folder } = repository({ 'packages/api/a.ts': '' });
    const git = path.join(folder, '.git');
    expect(await discover(path.join(folder, 'packages/api'))).toEqual({ checkout: folder, gitDir: git, commonDir: git, superproject: null, folder: 'packages/api' });
    expect(await discover(folder)).toMatchObject({ folder: '' });
  });

  it('finds nothing where there is no repository, and nothing in a bare one', async () => {
    expect(await discover(emptyFolder())).toBeNull();
    const bare = emptyFolder();
    repository().git('init', '--quiet', '--bare', bare);
    expect(await discover(bare)).toBeNull();
  });

  it('knows a linked worktree and its common folder, also of a repository with submodules', async () => {
    const library = repository({ 'l.txt': 'l' });
    const main = repository({ 'a.txt': 'a' });
    main.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.folder, 'lib');
    main.commit('Add a submodule');
    const linked = path.join(emptyFolder(), 'linked');
    main.git('worktree', 'add', '--quiet', '--detach', linked);
    expect(await discover(linked)).toEqual({ checkout: linked, gitDir: path.join(main.folder, '.git/worktrees/linked'), commonDir: path.join(main.folder, '.git'), superproject: null, folder: '' });
  });

  it('says that a folder lies in a submodule', async () => {
    const library = repository({ 'src/l.txt': 'l' });
    const main = repository({ 'a.txt': 'a' });
    main.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.folder, 'lib');
    expect(await discover(path.join(main.folder, 'lib/src'))).toMatchObject({ checkout: path.join(main.folder, 'lib'), gitDir: path.join(main.folder, '.git/modules/lib'), superproject: main.folder, folder: 'src' });
  });

  it('takes the innermost repository that holds the folder', async () => {
    const outer = repository({ 'a.txt': 'a' });
    mkdirSync(path.join(outer.folder, 'inner/src'), { recursive: true });
    outer.git('init', '--quiet', path.join(outer.folder, 'inner'));
    expect(await discover(path.join(outer.folder, 'inner/src'))).toMatchObject({ checkout: path.join(outer.folder, 'inner'), superproject: null, folder: 'src' });
  });

  it('follows a git folder that stands elsewhere', async () => {
    const at = emptyFolder();
    const gitDir = path.join(emptyFolder(), 'the git folder');
    repository().git('init', '--quiet', '--separate-git-dir', gitDir, at);
    expect(await discover(at)).toMatchObject({ checkout: at, gitDir, commonDir: gitDir });
  });

  it('finds folders with odd names', async () => {
    for (const name of ['with space', 'ümläut', '漢字', '🌳', "quo'te\"s", '-dash', 'new\nline', 'trailing space ']) {
      const { folder } = repository({ [`${name}/a.txt`]: 'a' });
      expect(await discover(path.join(folder, name))).toMatchObject({ checkout: folder, folder: name });
    }
  });

  it('resolves a link to the folder', async () => {
    const { folder } = repository({ 'src/a.txt': 'a' });
    const link = path.join(emptyFolder(), 'link');
    symlinkSync(path.join(folder, 'src'), link);
    expect(await discover(link)).toMatchObject({ checkout: folder, folder: 'src' });
  });

  it('refuses a repository of another user in clear words, and changes no config', async () => {
    const { folder } = repository({ 'a.txt': 'a' });
    if (process.getuid?.() !== 0) {
      // Only root can give a folder away; what git says then is known.
      expect(failureKind(`fatal: detected dubious ownership in repository at '${folder}'`)).toBe('dubious-ownership');
      return;
    }
    giveAway(folder, 12_345);
    const config = path.join(emptyFolder(), 'gitconfig');
    writeFileSync(config, '');
    process.env['GIT_CONFIG_GLOBAL'] = config;
    const failure = await discover(folder).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'dubious-ownership', refusal: { reason: 'dubious-ownership' } });
    expect((failure as GitFailure).refusal.next).toContain('safe.directory');
    expect(lstatSync(config).size).toBe(0);
  });

  it('refuses a git that is missing or too old, and a folder that is gone', async () => {
    const { folder } = repository();
    const bin = emptyFolder();
    const before = process.env['PATH'];
    try {
      process.env['PATH'] = bin;
      const install = /Install git 2\.38 or newer \(.*git-scm\.com.*\), make sure that it is on the PATH/;
      await expect(discover(folder)).rejects.toMatchObject({ refusal: { reason: 'git-missing', next: expect.stringMatching(install) as string } });
      const old = path.join(bin, 'git');
      writeFileSync(old, '#!/bin/sh\necho git version 2.37.9\n');
      chmodSync(old, 0o755);
      process.env['PATH'] = `${bin}:${before ?? ''}`;
      await expect(discover(folder)).rejects.toMatchObject({ refusal: { reason: 'git-too-old', message: expect.stringContaining('git version 2.37.9') as string, next: expect.stringMatching(/Update git to 2\.38 or newer \(/) as string } });
    } finally {
      process.env['PATH'] = before;
    }
    await expect(discover(path.join(folder, 'gone'))).rejects.toMatchObject({ refusal: { reason: 'folder-missing' } });
  });
});

function giveAway(target: string, uid: number): void {
  chownSync(target, uid, uid);
  if (lstatSync(target).isDirectory()) for (const name of readdirSync(target)) giveAway(path.join(target, name), uid);
}
