/*
 * | case | test |
 * | --- | --- |
 * | A16 a fresh checkout cannot build: .worktreeinclude | "copies ignored files that the commit's file asks for", "copies nothing that…" |
 * | A16 the setup script, and its failure | "runs setup with…", "tells a setup that failed…", "ends a setup…", "asks before…" |
 * | B10 brought files are remembered whatever ignore files say | "keeps brought files through a reset…" |
 * | rule 1 exactly at the commit after setup | "sets back files of the commit that setup changed" |
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { commit, isolateGit, openRepository, photograph, preparation, refusalOf } from './support.ts';

const cleanups: (() => unknown)[] = [];
beforeEach(isolateGit);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(files: FileTree, uncommitted: FileTree = {}) {
  const temporary = makeTemporaryRepository(files);
  const outside = makeTemporaryFolder('outside');
  cleanups.push(() => removeFolder(outside), () => temporary.remove());
  const head = commit(temporary.git('rev-parse', 'HEAD'));
  temporary.write(uncommitted);
  const opened = await openRepository(temporary.folder, path.join(outside, 'worktrees'));
  cleanups.push(opened.close);
  return { ...opened, temporary, outside, head };
}

const read = (...parts: string[]): string => readFileSync(path.join(...parts), 'utf8');
const files = (of: string): string[] => Object.keys(photograph(of)).filter((name) => name !== '.git').sort();
const setup = (run: string, timeoutMs = 30_000, include: string | null = null) => ({ setup: { include, script: { run, timeoutMs } } });
const include = (patterns: string) => ({ setup: { include: patterns, script: null } });

describe('.worktreeinclude', () => {
  it('copies ignored files that the commit\'s file asks for, with mode and time', async () => {
    const { worktrees, temporary, head } = await open(
      { '.gitignore': '.env*\nnode_modules/\n*.log\n', '.worktreeinclude': '# what a build needs\n.env*\n!.env.production\nnode_modules/\n', a: 'a' },
      { '.env': 'KEY=1', '.env.production': 'KEY=2', 'app/.env.local': 'KEY=3', 'node_modules/x/index.js': 'x', 'node_modules/漢 字/i.js': 'y', 'x.log': 'no', '.worktreeinclude': '*' },
    );
    chmodSync(path.join(temporary.folder, '.env'), 0o600);
    mkdirSync(path.join(temporary.folder, 'node_modules/.bin'));
    symlinkSync('../x/index.js', path.join(temporary.folder, 'node_modules/.bin/x'));
    const words: string[] = [];
    const made = await worktrees.prepare(preparation('e1-abcd', head, { ...include('# what a build needs\n.env*\n!.env.production\nnode_modules/\n'), progress: (w) => words.push(w) }));
    const expected = ['.env', 'app/.env.local', 'node_modules/.bin/x', 'node_modules/x/index.js', 'node_modules/漢 字/i.js'];
    expect(made.brought).toEqual(expected);
    expect(files(made.path)).toEqual(['.gitignore', '.worktreeinclude', 'a', ...expected].sort());
    expect(lstatSync(path.join(made.path, '.env')).mode & 0o777).toBe(0o600);
    expect(Math.abs(lstatSync(path.join(made.path, '.env')).mtimeMs - lstatSync(path.join(temporary.folder, '.env')).mtimeMs)).toBeLessThan(5);
    expect(readlinkSync(path.join(made.path, 'node_modules/.bin/x'))).toBe('../x/index.js');
    expect(words.join('\n')).toMatch(/copying 5 of your ignored files/);
  });

  it('copies nothing that is not ignored, that the commit has, or that leads out of the checkout', async () => {
    const { worktrees, temporary, outside, head } = await open(
      { '.gitignore': 'out/\nlinked/\ninner/\nown\n', '.worktreeinclude': '*\n', tracked: 't', linked: { symlink: '/nowhere' } },
      { tracked: 'changed', untracked: 'mine', 'out/fine': 'f' },
    );
    writeFileSync(path.join(outside, 'secret'), 's');
    symlinkSync(path.join(outside, 'secret'), path.join(temporary.folder, 'out/absolute'));
    symlinkSync(`../../${path.basename(outside)}/secret`, path.join(temporary.folder, 'out/relative'));
    symlinkSync(outside, path.join(temporary.folder, 'own'));
    temporary.git('init', '--quiet', path.join(temporary.folder, 'inner'));
    // A link in the commit, a folder in the checkout: writing "into" it would leave the worktree.
    unlinkSync(path.join(temporary.folder, 'linked'));
    temporary.write({ 'linked/file': 'x' });
    const made = await worktrees.prepare(preparation('e1-abcd', head, include('*\n')));
    expect(made.brought).toEqual(['out/fine']);
    expect(files(made.path)).toEqual(['.gitignore', '.worktreeinclude', 'linked', 'out/fine', 'tracked']);
    expect(read(made.path, 'tracked')).toBe('t');
    for (const name of ['out/absolute', 'out/relative', 'own', 'linked/file']) expect(made.notes.join('\n')).toContain(name);
  });
});

describe('setup', () => {
  it('runs setup with the five variables, and remembers what it made, a folder as one', async () => {
    const { worktrees, temporary, head } = await open({ '.gitignore': 'node_modules/\n', 'setup.sh': { content: '#!/bin/sh\nmkdir -p node_modules/x/y generated\necho 1 > node_modules/x/y/z\necho 2 > generated/code.ts\nenv | grep _PATH= > generated/variables\npwd > generated/here\n', mode: 0o755 } });
    process.env['WORLDTREE_TEST_API_KEY'] = 'secret';
    const made = await worktrees.prepare(preparation('e1-abcd', head, setup('./setup.sh')));
    Reflect.deleteProperty(process.env, 'WORLDTREE_TEST_API_KEY');
    expect([...made.brought].sort()).toEqual(['generated/code.ts', 'generated/here', 'generated/variables', 'node_modules']);
    expect(made.notes).toEqual([]);
    const variables = new Map(read(made.path, 'generated/variables').trim().split('\n').map((line) => line.split('=') as [string, string]));
    for (const [name, value] of [['SOURCE_REPO_PATH', temporary.folder], ['REPO_PATH', temporary.folder], ['SOURCE_WORKTREE_PATH', temporary.folder], ['TARGET_WORKTREE_PATH', made.path], ['WORKTREE_PATH', made.path]] as const) expect(variables.get(name)).toBe(value);
    expect(read(made.path, 'generated/here').trim()).toBe(made.path);
  });

  it('gives a script no key, no token and no variable of git\'s or the editor\'s', async () => {
    const { worktrees, head } = await open({ '.gitignore': 'env\n', a: 'a' });
    const added = { WORLDTREE_TEST_API_KEY: 'secret', WORLDTREE_TEST_TOKEN: 'secret', HTTPS_PROXY: 'http://me:secret@proxy', VSCODE_PID: '1', ELECTRON_RUN_AS_NODE: '1', GIT_DIR: '/elsewhere' };
    Object.assign(process.env, added);
    const { path: at } = await worktrees.prepare(preparation('e1-abcd', head, setup('env > env')));
    for (const name of Object.keys(added)) Reflect.deleteProperty(process.env, name);
    expect(read(at, 'env')).not.toMatch(/secret|VSCODE_|ELECTRON_|GIT_/);
  });

  it('tells a setup that failed, with its output, and starts all the same', async () => {
    const { worktrees, head } = await open({ a: 'a' });
    const made = await worktrees.prepare(preparation('e1-abcd', head, setup('echo cannot find pnpm >&2; exit 7')));
    expect(made.notes.join('\n')).toMatch(/exit code 7[^]*cannot find pnpm/);
    expect(files(made.path)).toEqual(['a']);
  });

  it('ends a setup that takes too long, with all that it started', async () => {
    const { worktrees, head } = await open({ '.gitignore': 'pid\n', a: 'a' });
    const made = await worktrees.prepare(preparation('e1-abcd', head, setup('sleep 60 & echo $! > pid; echo waiting; wait', 300)));
    expect(made.notes.join('\n')).toMatch(/was ended after[^]*waiting/);
    await expect.poll(() => isAlive(Number(read(made.path, 'pid')))).toBe(false);
  });

  it('leaves nothing running behind a setup that ended', async () => {
    const { worktrees, head } = await open({ '.gitignore': 'pid\n', a: 'a' });
    const made = await worktrees.prepare(preparation('e1-abcd', head, setup('sleep 60 & echo $! > pid')));
    expect(made.notes).toEqual([]);
    await expect.poll(() => isAlive(Number(read(made.path, 'pid')))).toBe(false);
  });

  it('asks before it runs a script, and tells the agent when it was not allowed', async () => {
    const { worktrees, head } = await open({ a: 'a' });
    const asked: string[] = [];
    const made = await worktrees.prepare(preparation('e1-abcd', head, { ...setup('touch made'), mayRun: (command) => (asked.push(command), Promise.resolve(false)) }));
    expect(asked).toEqual(['touch made']);
    expect(existsSync(path.join(made.path, 'made'))).toBe(false);
    expect(made.notes.join('\n')).toContain('not run');
  });

  it('leaves nothing when it is cancelled while setup runs', async () => {
    const { worktrees, temporary, head, outside } = await open({ a: 'a' });
    const pid = path.join(outside, 'pid');
    const controller = new AbortController();
    const made = worktrees.prepare(preparation('e1-abcd', head, { ...setup(`echo $$ > '${pid}.new'; mv '${pid}.new' '${pid}'; sleep 60`), signal: controller.signal }));
    void expect.poll(() => existsSync(pid), { timeout: 30_000 }).toBe(true).then(() => controller.abort());
    expect((await refusalOf(made)).refusal.reason).toBe('cancelled');
    expect(isAlive(Number(read(pid)))).toBe(false);
    expect(temporary.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('sets back files of the commit that setup changed, and names them', async () => {
    const { worktrees, head } = await open({ '.gitignore': 'out\n', lock: 'committed' });
    const made = await worktrees.prepare(preparation('e1-abcd', head, setup('echo changed > lock; echo o > out; git add -A; git update-index --skip-worktree .gitignore')));
    expect(read(made.path, 'lock')).toBe('committed');
    expect(made.brought).toEqual(['out']);
    expect(made.notes.join('\n')).toMatch(/set back: .*lock/);
  });

  it('keeps brought files through a reset, whatever an agent writes into .gitignore', async () => {
    const { worktrees, head } = await open({ '.gitignore': '.env\nnode_modules/\n', '.worktreeinclude': '.env\n', a: 'a' }, { '.env': 'KEY=1' });
    const made = await worktrees.prepare(preparation('e1-abcd', head, setup('mkdir node_modules; echo x > node_modules/x; echo g > generated', 30_000, '.env\n')));
    writeFileSync(path.join(made.path, '.gitignore'), '!.env\n!node_modules\n');
    writeFileSync(path.join(made.path, 'more'), 'agent');
    await worktrees.reset(made.path, head, head);
    expect(files(made.path)).toEqual(['.env', '.gitignore', '.worktreeinclude', 'a', 'generated', 'node_modules/x']);
    expect(read(made.path, '.env')).toBe('KEY=1');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
