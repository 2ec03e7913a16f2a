/*
 * | case | test |
 * | --- | --- |
 * | B9 the agent replaces its worktree's .git | "runs nothing of a config that an agent put…" |
 * | B9 a .git in a submodule's empty folder, whose filters git would run | the same, with a submodule |
 * | B4 git commands of an agent | "…what an agent's git did stays in its worktree" |
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyWorktree } from '../../../src/adapters/git/worktrees/worktreeFiles.ts';
import { worktreeAccess } from '../../../src/adapters/git/worktrees/worktreeAccess.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { commit, episode, isolateGit, openRepository, photograph, preparation } from './support.ts';

const cleanups: (() => unknown)[] = [];
beforeEach(isolateGit);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open() {
  const library = makeTemporaryRepository({ 'l.txt': 'l\n' });
  const temporary = makeTemporaryRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const outside = makeTemporaryFolder('outside');
  cleanups.push(() => removeFolder(outside), () => temporary.remove(), () => library.remove());
  temporary.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.folder, 'lib');
  const head = commit(temporary.commit('Submodule'));
  const opened = await openRepository(temporary.folder, path.join(outside, 'worktrees'));
  cleanups.push(opened.close);
  return { ...opened, library, temporary, head, ran: path.join(outside, 'ran') };
}

/** A repository's config that runs a program wherever git lets it. */
function arm(git: (...args: string[]) => unknown, program: string): void {
  for (const setting of ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'diff.external', 'filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'diff.evil.command', 'diff.evil.textconv', 'core.editor', 'gpg.program']) git('config', setting, program);
  git('config', 'core.hooksPath', path.dirname(program));
}

describe('a worktree whose git folders an agent wrote', () => {
  it('runs nothing of a config that an agent put there, in whatever we do with the worktree', async () => {
    const { worktrees, door, temporary, library, head, ran } = await open();
    const program = path.join(path.dirname(ran), 'evil');
    writeFileSync(program, `#!/bin/sh\ntouch '${ran}'\ncat\n`, { mode: 0o755 });
    const plant = (at: string): void => {
      rmSync(path.join(at, '.git'));
      temporary.git('init', '--quiet', at);
      arm((...args) => temporary.git('-C', at, ...args), program);
      writeFileSync(path.join(at, '.gitattributes'), '* filter=evil diff=evil\n');
      // The submodule's very commit, so that git looks for changes inside; same size, so that it reads the file.
      temporary.git('clone', '--quiet', library.folder, path.join(at, 'lib'));
      arm((...args) => temporary.git('-C', path.join(at, 'lib'), ...args), program);
      writeFileSync(path.join(at, 'lib/.git/info/attributes'), '* filter=evil diff=evil\n');
      writeFileSync(path.join(at, 'lib/l.txt'), 'm\n');
      writeFileSync(path.join(at, 'a.txt'), 'x\n');
    };
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    plant(at);
    // It is armed: git that discovers does run it.
    execFileSync('git', ['-C', at, 'status'], { stdio: 'ignore' });
    expect(existsSync(ran)).toBe(true);
    rmSync(ran);

    const access = await worktreeAccess(door, at);
    await verifyWorktree(door, access, head, new Set()).catch(() => undefined);
    expect(await worktrees.adopt(episode('e1-abcd'), at)).toEqual({ kind: 'ready' });
    await worktrees.reset(at, head, head).catch(() => undefined);
    expect(readFileSync(path.join(at, 'a.txt'), 'utf8')).toBe('a\n');
    // Preparing again saves what is there, then removes it.
    writeFileSync(path.join(at, 'a.txt'), 'y\n');
    const again = await worktrees.prepare(preparation('e1-abcd', head));
    plant(again.path);
    await worktrees.close();
    const lease = JSON.parse(readFileSync(`${at}.lease`, 'utf8')) as { owner: object };
    writeFileSync(`${at}.lease`, JSON.stringify({ ...lease, owner: { ...lease.owner, pid: 4_194_305 } }));
    expect(await worktrees.sweep(() => true)).toEqual(['e1-abcd']);
    await worktrees.emptyTrash();
    expect(existsSync(ran)).toBe(false);
    expect(temporary.git('show', 'refs/worldtree/episodes/e1-abcd/saved:a.txt')).toBe('x');
  });

  it('keeps what an agent\'s git did in its worktree: the main checkout is as it was', async () => {
    const { worktrees, temporary, head } = await open();
    temporary.write({ 'b.txt': 'mine\n', staged: 's' });
    temporary.git('add', 'staged');
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    const ours = (name: string): boolean => !/^\.git\/(worktrees|objects|refs\/worldtree)\//.test(name);
    const shoot = (): [string, string][] => Object.entries(photograph(temporary.folder)).filter(([name]) => ours(name));
    const before = shoot();
    writeFileSync(path.join(at, 'b.txt'), 'agent\n');
    for (const args of [['reset', '--hard'], ['clean', '-ffdx'], ['checkout', '--detach', 'HEAD~1']]) temporary.git('-C', at, ...args);
    await worktrees.reset(at, head, head);
    expect(shoot()).toEqual(before);
  });
});
