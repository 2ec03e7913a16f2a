/*
 * | case | test |
 * | --- | --- |
 * | C3 only untracked files | "saves what is in no ref before it goes…" |
 * | C4 kill -9 with a locked worktree; a reused pid | "sweeps at once what a killed process left", "is not fooled by a reused pid" |
 * | C5 the folder without git's knowledge, or the other way round | "finds a folder that git does not know…", "rebuilds…" |
 * | C6 a window reloads | "adopts…" |
 * | C13 shared with a container | "leaves another container's worktree…" |
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaseExpired } from '../../../src/adapters/git/worktrees/lease.ts';
import type { LeaseRecord } from '../../../src/adapters/git/worktrees/lease.ts';
import { thisProcess } from '../../../src/adapters/processIdentity.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { absolute, commit, episode, file, folder, isolateGit, openRepository, preparation } from './support.ts';

const cleanups: (() => unknown)[] = [];
beforeEach(isolateGit);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(files: FileTree) {
  const temporary = makeTemporaryRepository(files);
  const outside = makeTemporaryFolder('outside');
  cleanups.push(() => removeFolder(outside), () => temporary.remove());
  const root = path.join(outside, 'worktrees');
  const opened = await openRepository(temporary.folder, root);
  cleanups.push(opened.close);
  const home = (): string => path.join(root, readdirSync(root)[0] ?? '');
  return { ...opened, temporary, outside, root, home, head: commit(temporary.git('rev-parse', 'HEAD')) };
}

const id = episode('e1-abcd');
const registered = (temporary: { git(...args: string[]): string }): string => temporary.git('worktree', 'list', '--porcelain');

/** Makes a lease look as if another process had it. */
function changeLease(at: string, change: (lease: LeaseRecord) => LeaseRecord): void {
  const lease = JSON.parse(readFileSync(`${at}.lease`, 'utf8')) as LeaseRecord;
  writeFileSync(`${at}.lease`, JSON.stringify(change(lease)));
}

/** No process has it: beyond what Linux gives. */
const DEAD_PID = 4_194_305;
const kill = (lease: LeaseRecord): LeaseRecord => ({ ...lease, owner: { ...lease.owner, pid: DEAD_PID } });

describe('sweeping', () => {
  it('sweeps at once what a killed process left, lock and all', async () => {
    const { worktrees, temporary, root, head, outside } = await open({ a: 'a' });
    const child = await preparedInAnotherProcess(temporary.folder, root, head, outside);
    expect(await worktrees.sweep(() => true)).toEqual([]);
    process.kill(child.pid, 'SIGKILL');
    await child.gone;
    expect(registered(temporary)).toContain('locked');
    expect(await worktrees.sweep(() => true)).toEqual(['e1-abcd']);
    expect(registered(temporary)).not.toContain('e1-abcd');
    await worktrees.emptyTrash();
    expect(readdirSync(path.join(root, readdirSync(root)[0] ?? '')).filter((name) => name !== '.trash')).toEqual([]);
  });

  it('leaves what is in use, and what the ledger says is not over', async () => {
    const { worktrees, head } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    expect(await worktrees.sweep(() => true)).toEqual([]);
    await worktrees.close();
    changeLease(at, kill);
    expect(await worktrees.sweep(() => false)).toEqual([]);
    expect(existsSync(at)).toBe(true);
    expect(await worktrees.sweep((ended) => ended === id)).toEqual([id]);
    expect(existsSync(at)).toBe(false);
  });

  it('saves what is in no ref before it goes: new files only, changes, and not what was brought', async () => {
    const { worktrees, repository, temporary, head } = await open({ '.gitignore': '.env\n*.log\n', '.worktreeinclude': '.env\n', a: 'a', gone: 'g' });
    temporary.write({ '.env': 'SECRET=1' });
    const { path: at } = await worktrees.prepare(preparation(id, head, { setup: { include: '.env\n', script: null } }));
    writeFileSync(path.join(at, 'a'), 'changed');
    writeFileSync(path.join(at, 'new\nfile'), 'new');
    writeFileSync(path.join(at, '.gitignore'), '!.env\n');
    rmSync(path.join(at, 'gone'));
    // Hidden from the worktree's own index.
    temporary.git('-C', at, 'update-index', '--assume-unchanged', 'a');
    temporary.git('init', '--quiet', path.join(at, 'nested'));
    await worktrees.close();
    changeLease(at, kill);
    expect(await worktrees.sweep(() => true)).toEqual([id]);
    const saved = await repository.resolve('refs/worldtree/episodes/e1-abcd/saved');
    if (saved === null) throw new Error('nothing was saved');
    expect((await repository.diff(head, saved)).map(({ path: name, kind }) => [name as string, kind]).sort()).toEqual([['.gitignore', 'modified'], ['a', 'modified'], ['gone', 'deleted'], ['new\nfile', 'added']]);
    expect(Buffer.from((await repository.read(saved, file('new\nfile'))) ?? []).toString()).toBe('new');
    expect(temporary.git('rev-parse', `${saved}^`)).toBe(head);
  });

  it('saves only untracked files too, and nothing that a ref has already', async () => {
    const { worktrees, repository, temporary, head } = await open({ a: 'a' });
    const first = await worktrees.prepare(preparation('e1-abcd', head));
    const second = await worktrees.prepare(preparation('e2-abcd', head));
    const third = await worktrees.prepare(preparation('e3-abcd', head));
    for (const { path: at } of [first, second]) writeFileSync(path.join(at, 'untracked'), 'u');
    // The second's files are a candidate already.
    temporary.write({ untracked: 'u' });
    const candidate = commit(temporary.commit('Candidate'));
    await repository.setRef('refs/worldtree/episodes/e2-abcd/candidate/1' as never, candidate);
    await worktrees.close();
    for (const { path: at } of [first, second, third]) changeLease(at, kill);
    expect([...(await worktrees.sweep(() => true))].sort()).toEqual(['e1-abcd', 'e2-abcd', 'e3-abcd']);
    expect((await repository.listRefs('refs/worldtree/')).map(({ ref }) => ref)).toEqual(['refs/worldtree/episodes/e1-abcd/saved', 'refs/worldtree/episodes/e2-abcd/candidate/1']);
  });

  it('keeps a worktree whose files cannot be saved', async () => {
    const { worktrees, temporary, head } = await open({ '.gitattributes': '*.bin filter=x\n', a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    writeFileSync(path.join(at, 'new.bin'), 'precious');
    temporary.git('config', 'filter.x.clean', 'no-such-program');
    temporary.git('config', 'filter.x.required', 'true');
    await worktrees.close();
    changeLease(at, kill);
    expect(await worktrees.sweep(() => true)).toEqual([]);
    expect(readFileSync(path.join(at, 'new.bin'), 'utf8')).toBe('precious');
    temporary.git('config', 'filter.x.clean', 'cat');
    expect(await worktrees.sweep(() => true)).toEqual([id]);
  });

  it('clears away what a killed window had half written, with a worktree and where none is left', async () => {
    const { worktrees, home, head } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head));
    changeLease(at, kill);
    for (const name of ['e1-abcd.lease.12345678.tmp', 'e1-abcd.saved-index.lock', 'e2-abcd.lease.12345678.tmp', 'e3-abcd.include']) writeFileSync(path.join(home(), name), 'half');

    expect([...await worktrees.sweep((swept) => swept !== episode('e3-abcd'))].sort()).toEqual(['e1-abcd', 'e2-abcd']);

    expect(readdirSync(home()).filter((name) => name !== '.trash')).toEqual(['e3-abcd.include']);
  });

  it('keeps a worktree of which one file cannot be taken, and all that is in it', async () => {
    const { worktrees, head } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    writeFileSync(path.join(at, 'new'), 'precious');
    rmSync(path.join(at, 'a'));
    // As good as a file that may not be read, also for a user who may read everything.
    execFileSync('mkfifo', [path.join(at, 'a')]);
    await worktrees.close();
    changeLease(at, kill);
    expect(await worktrees.sweep(() => true)).toEqual([]);
    expect(readFileSync(path.join(at, 'new'), 'utf8')).toBe('precious');
    rmSync(path.join(at, 'a'));
    expect(await worktrees.sweep(() => true)).toEqual([id]);
  });

  it('sweeps what was made under a folder for worktrees that the settings named before', async () => {
    const { worktrees, head, temporary, outside } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    await worktrees.close();
    changeLease(at, kill);
    const moved = await openRepository(temporary.folder, path.join(outside, 'another'));
    cleanups.push(moved.close);
    expect(await moved.worktrees.sweep(() => true)).toEqual([id]);
    expect(existsSync(at)).toBe(false);
    expect(registered(temporary)).not.toContain('e1-abcd');
  });

  it('finds a folder that git does not know, and keeps its files', async () => {
    const { worktrees, repository, temporary, head } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    writeFileSync(path.join(at, 'new'), 'n');
    rmSync(path.join(temporary.folder, '.git/worktrees/e1-abcd'), { recursive: true });
    expect(await worktrees.adopt(id, at)).toMatchObject({ kind: 'damaged' });
    await worktrees.close();
    changeLease(at, kill);
    expect(await worktrees.sweep(() => true)).toEqual([id]);
    const saved = await repository.resolve('refs/worldtree/episodes/e1-abcd/saved');
    expect(saved !== null && (await repository.list(saved, folder(''))).map((entry) => entry.path)).toEqual(['a', 'new']);
  });

  it('forgets a registration whose folder is gone, if it was made here', async () => {
    const { worktrees, temporary, head } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    await worktrees.close();
    rmSync(at, { recursive: true });
    for (const beside of ['lease', 'brought']) rmSync(`${at}.${beside}`);
    expect(await worktrees.sweep(() => true)).toEqual([id]);
    expect(registered(temporary)).not.toContain('e1-abcd');
  });

  it('leaves another container\'s worktree whose files it cannot see', async () => {
    const { worktrees, temporary, head } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    await worktrees.close();
    rmSync(at, { recursive: true });
    for (const beside of ['lease', 'brought']) rmSync(`${at}.${beside}`);
    writeFileSync(path.join(temporary.folder, '.git/worktrees/e1-abcd/locked'), 'Worldtree agent on another-container pid:[4026531999]');
    expect(await worktrees.sweep(() => true)).toEqual([]);
    expect(registered(temporary)).toContain('e1-abcd');
  });

  it('leaves a lease of a newer version, and folders that are no episode\'s', async () => {
    const { worktrees, head, home } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    await worktrees.close();
    writeFileSync(`${at}.lease`, '{"version":3}');
    mkdirSync(path.join(home(), 'not-ours'));
    expect(await worktrees.sweep(() => true)).toEqual([]);
    expect(existsSync(at) && existsSync(path.join(home(), 'not-ours'))).toBe(true);
  });
});

describe('adopting', () => {
  it('adopts the worktree of an episode that goes on, and holds it against a sweep', async () => {
    const { worktrees, head, root, temporary } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    writeFileSync(path.join(at, 'work'), 'w');
    await worktrees.close();
    changeLease(at, kill);
    const next = await openRepository(temporary.folder, root);
    cleanups.push(next.close);
    expect(await next.worktrees.adopt(id, at)).toEqual({ kind: 'ready' });
    expect(await worktrees.sweep(() => true)).toEqual([]);
    expect(readFileSync(path.join(at, 'work'), 'utf8')).toBe('w');
    expect(await next.worktrees.adopt(episode('e2-abcd'), absolute(`${at}-2`))).toEqual({ kind: 'gone' });
  });

  it('rebuilds a worktree from the commit when it is prepared again, and keeps what was in it', async () => {
    const { worktrees, repository, temporary, head } = await open({ a: 'a' });
    const { path: at } = await worktrees.prepare(preparation(id, head));
    writeFileSync(path.join(at, 'work'), 'w');
    const again = await worktrees.prepare(preparation(id, head));
    expect(again.path).toBe(at);
    expect(readdirSync(at).sort()).toEqual(['.git', 'a']);
    const saved = await repository.resolve('refs/worldtree/episodes/e1-abcd/saved');
    expect(saved !== null && (await repository.list(saved, folder(''))).map((entry) => entry.path)).toEqual(['a', 'work']);

    renameSync(at, `${at}.moved-away`);
    await worktrees.prepare(preparation(id, head));
    expect(registered(temporary).match(/e1-abcd/g)).toHaveLength(1);
  });
});

describe('whether a lease has expired', async () => {
  const here = await thisProcess();
  const now = 1_000_000_000;
  const lease = (change: Partial<LeaseRecord['owner']>, age = 0): LeaseRecord => ({ version: 2, commit: commit('1'.repeat(40)), owner: { ...here, ...change }, heartbeat: now - age });

  it('holds while its process lives, also after the machine slept', async () => {
    expect(await leaseExpired(lease({}, 3_600_000), now)).toBe(false);
  });

  it('expires at once with its process, whatever its heartbeat', async () => {
    expect(await leaseExpired(lease({ pid: DEAD_PID }), now)).toBe(true);
  });

  it('is not fooled by a reused pid', async () => {
    expect(await leaseExpired(lease({ startedAt: '1' }), now)).toBe(here.startedAt !== null);
  });

  it('of another container or boot expires by its heartbeat alone', async () => {
    for (const other of [{ pidNamespace: 'pid:[1]' }, { boot: 'another' }, { host: 'another' }]) {
      expect(await leaseExpired(lease({ ...other, pid: DEAD_PID }, 59_000), now)).toBe(false);
      expect(await leaseExpired(lease({ ...other, pid: DEAD_PID }, 61_000), now)).toBe(true);
    }
  });

  it('without start times, a living pid counts until its heartbeat is old', async () => {
    expect(await leaseExpired(lease({ startedAt: null }, 59_000), now)).toBe(false);
    expect(await leaseExpired(lease({ startedAt: null }, 61_000), now)).toBe(true);
  });
});

/** Another process makes the worktree of e1-abcd, then waits to be killed. */
async function preparedInAnotherProcess(repository: string, root: string, head: string, outside: string): Promise<{ readonly pid: number; readonly gone: Promise<unknown> }> {
  const script = path.join(outside, 'child.cjs');
  const support = path.join(import.meta.dirname, 'support.ts');
  buildSync({
    stdin: {
      contents: `import { openRepository, preparation } from ${JSON.stringify(support)};
        void openRepository(${JSON.stringify(repository)}, ${JSON.stringify(root)})
          .then(({ worktrees }) => worktrees.prepare(preparation('e1-abcd', ${JSON.stringify(head)})))
          .then(() => { console.log('prepared'); setInterval(() => undefined, 1_000); });`,
      loader: 'ts',
      resolveDir: import.meta.dirname,
    },
    bundle: true, platform: 'node', format: 'cjs', outfile: script, logLevel: 'silent',
  });
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  cleanups.push(() => child.kill('SIGKILL'));
  await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), gone.then(() => Promise.reject(new Error('the other process ended')))]);
  if (child.pid === undefined) throw new Error('the other process did not start');
  return { pid: child.pid, gone };
}
