import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/adapters/commands/runCommand.ts';
import { openChecks } from '../../../src/adapters/checks/openChecks.ts';
import type { Constraint } from '../../../src/core/constraints/constraint.ts';
import type { AbsolutePath, CommitId, TreeId } from '../../../src/core/ids.ts';
import type { ClosableChecks } from '../../../src/adapters/checks/openChecks.ts';
import type { CheckRequest, Checks } from '../../../src/runtime/ports/checks.ts';
import type { Setup } from '../../../src/runtime/ports/worktrees.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { makeLineWorld } from '../lines/lineWorld.ts';
import type { LineWorld } from '../lines/lineWorld.ts';

/** Cases B8, B9, C14 and rule 5: required checks run by the host, in worktrees of its own. */

const FILES: FileTree = { 'a.txt': 'good\n', '.gitignore': 'out/\ndeps/\n.env\n', '.worktreeinclude': '.env\n' };
const SETUP: Setup = { include: '.env\n', script: { run: 'mkdir -p deps && echo installed > deps/dep && echo setup >> "$SOURCE_REPO_PATH/.git/setups"', timeoutMs: 60_000 } };

let world: LineWorld | undefined;
let root = '';
afterEach(async () => {
  await world?.remove();
  world = undefined;
  removeFolder(root);
});

function start(options: { temperature?: 'warm' | 'cold'; environment?: Record<string, string> } = {}): { w: LineWorld; checks: ClosableChecks } {
  const w = makeLineWorld(FILES);
  world = w;
  root = makeTemporaryFolder('checks');
  w.repository.write({ '.env': 'COPIED=1\n' });
  return { w, checks: openChecks(w.door, { root: root as AbsolutePath, temperature: options.temperature ?? 'warm', run: runCommand, ...(options.environment === undefined ? {} : { environment: options.environment }) }) };
}

function constraint(run: string, more: Partial<Constraint> = {}): Constraint {
  return { name: 'test', run, paths: ['**'], timeoutMs: 60_000, required: true, ...more };
}

interface Extras {
  readonly setup?: Setup | null;
  readonly mayRun?: CheckRequest['mayRun'];
  readonly signal?: AbortSignal;
}

function run(w: LineWorld, checks: Checks, commit: CommitId, run: string | Constraint, extras: Extras = {}) {
  return checks.run({
    commit, tree: w.repository.git('rev-parse', `${commit}^{tree}`) as TreeId, constraint: typeof run === 'string' ? constraint(run) : run, setup: extras.setup ?? null,
    signal: extras.signal ?? new AbortController().signal, progress: () => undefined, mayRun: extras.mayRun ?? (() => Promise.resolve(true)),
  });
}

function setups(w: LineWorld): number {
  const file = path.join(w.repository.folder, '.git/setups');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

describe('given a constraint, when it is run on a tree', () => {
  it('then it sees exactly that tree, and the evidence says how it came out', async () => {
    const { w, checks } = start();
    const good = w.commitElsewhere({ 'b.txt': 'b\n' });
    const bad = w.commitElsewhere({ 'a.txt': 'bad\n' });
    w.repository.write({ 'a.txt': 'dirty in the checkout\n' });
    const passed = await run(w, checks, good, 'grep -q good a.txt && test -f b.txt && echo fine');
    expect(passed).toMatchObject({ constraint: 'test', required: true, result: 'passed', exitCode: 0, output: 'fine\n', tree: w.repository.git('rev-parse', `${good}^{tree}`) });
    const failed = await run(w, checks, bad, 'test ! -f b.txt || exit 9; grep good a.txt || { echo "no good" >&2; exit 3; }');
    expect(failed).toMatchObject({ result: 'failed', exitCode: 3, output: 'no good\n' });
    const key = await checks.keyOf({ tree: failed.tree as TreeId, constraint: constraint(failed.run), setup: null });
    expect({ definition: failed.definition, setup: failed.setup }).toEqual(key);
    expect(w.repository.git('status', '--porcelain')).toBe(' M a.txt');
  });

  it('then keys change with command, time-out, setup and lock files, and with nothing else', async () => {
    const { w, checks } = start();
    const tree = w.repository.git('rev-parse', 'HEAD^{tree}') as TreeId;
    const locked = w.repository.git('rev-parse', `${w.commitElsewhere({ 'web/package-lock.json': '{}\n' })}^{tree}`) as TreeId;
    const other = w.repository.git('rev-parse', `${w.commitElsewhere({ 'a.txt': 'x\n' })}^{tree}`) as TreeId;
    const base = await checks.keyOf({ tree, constraint: constraint('t'), setup: null });
    expect(await checks.keyOf({ tree: other, constraint: constraint('t', { name: 'renamed', required: false, paths: [] }), setup: null })).toEqual(base);
    expect((await checks.keyOf({ tree, constraint: constraint('u'), setup: null })).definition).not.toBe(base.definition);
    expect((await checks.keyOf({ tree, constraint: constraint('t', { timeoutMs: 1 }), setup: null })).definition).not.toBe(base.definition);
    expect((await checks.keyOf({ tree, constraint: constraint('t'), setup: SETUP })).setup).not.toBe(base.setup);
    expect((await checks.keyOf({ tree, constraint: constraint('t'), setup: { include: '.env\n', script: null } })).setup).not.toBe(base.setup);
    expect((await checks.keyOf({ tree: locked, constraint: constraint('t'), setup: null })).setup).not.toBe(base.setup);
  });

  it('then ignored files and setup are there, and setup runs once for checks of the same kind', async () => {
    const { w, checks } = start();
    const asked: string[] = [];
    const mayRun: CheckRequest['mayRun'] = (command, purpose) => { asked.push(`${purpose}: ${command === SETUP.script?.run ? 'script' : command}`); return Promise.resolve(true); };
    for (const name of ['one', 'two']) {
      expect(await run(w, checks, w.commitElsewhere({ [name]: name }), `cat .env deps/dep ${name}`, { setup: SETUP, mayRun })).toMatchObject({ result: 'passed', output: `COPIED=1\ninstalled\n${name}` });
    }
    expect(setups(w)).toBe(1);
    expect(asked).toEqual(['check: cat .env deps/dep one', 'setup: script', 'check: cat .env deps/dep two']);
  });

  it('then neither a candidate nor what the line took since chooses what is copied in (rule 5)', async () => {
    const { w, checks } = start();
    w.repository.write({ 'deps/private.key': 'KEY\n' });
    w.repository.commit('An accepted change that widens it', { '.worktreeinclude': '.env\ndeps/*\n' });
    const candidate = w.commitElsewhere({ '.worktreeinclude': '.env\ndeps/private.key\n' });
    expect(await run(w, checks, candidate, 'test -f .env && test ! -e deps/private.key', { setup: { include: '.env\n', script: null } })).toMatchObject({ result: 'passed' });
  });

  it('then what a candidate left behind is not there for the next one (C14)', async () => {
    const { w, checks } = start();
    const evil = w.commitElsewhere({ 'evil.txt': 'e\n' });
    const next = w.commitElsewhere({ 'next.txt': 'n\n' });
    await run(w, checks, evil, 'mkdir -p out sub/.git && echo poison > out/cache && echo loose > loose.txt && echo poison > deps/extra && git update-index --skip-worktree a.txt; echo changed > a.txt; echo x > sub/.git/config', { setup: SETUP });
    expect(await run(w, checks, next, 'test ! -e out && test ! -e loose.txt && test ! -e deps/extra && test ! -e sub && test ! -e evil.txt && grep -q good a.txt && cat deps/dep', { setup: SETUP })).toMatchObject({ result: 'passed', output: 'installed\n' });
    expect(setups(w)).toBe(1);
  });

  it.each(['in the worktree of the last one', 'in a worktree that is made'])('then what it would meet of another candidate and cannot be removed keeps it from running %s (C14)', async (where) => {
    const { w, checks } = start();
    const next = w.commitElsewhere({ 'next.txt': 'n\n' });
    await run(w, checks, w.commitElsewhere({ 'first.txt': 'f\n' }), where.startsWith('in the') ? 'true' : 'rm .git');
    // No rights keep a file from root; what is below a file cannot be removed by anybody.
    const [home] = readdirSync(root);
    rmSync(path.join(root, home ?? '', 'caches'), { recursive: true, force: true });
    writeFileSync(path.join(root, home ?? '', 'caches'), 'of another\n');
    expect(await run(w, checks, next, 'true')).toMatchObject({ result: 'could-not-run', output: expect.stringContaining('an earlier command left') as unknown });
    rmSync(path.join(root, home ?? '', 'caches'));
    expect(await run(w, checks, next, 'true')).toMatchObject({ result: 'passed' });
  });

  it('then what a candidate did to dependencies or to .git makes the worktree anew (C14, B9)', async () => {
    const { w, checks } = start();
    const evil = w.commitElsewhere({ 'evil.txt': 'e\n' });
    const next = w.commitElsewhere({ 'next.txt': 'n\n' });
    await run(w, checks, evil, 'echo poisonedd > deps/dep; touch -r .env deps/dep', { setup: SETUP });
    expect(await run(w, checks, next, 'cat deps/dep', { setup: SETUP })).toMatchObject({ result: 'passed', output: 'installed\n' });
    expect(setups(w)).toBe(2);
    const trap = path.join(w.repository.folder, 'trapped');
    await run(w, checks, evil, `rm .git; git init -q .; git config core.fsmonitor 'touch ${trap}'`, { setup: SETUP });
    expect(await run(w, checks, next, 'test -f .git && cat next.txt', { setup: SETUP })).toMatchObject({ result: 'passed' });
    expect(existsSync(trap)).toBe(false);
    expect(setups(w)).toBe(3);
  });

  it('then build output of a tree that the line took is kept, and with "cold" nothing is', async () => {
    const { w, checks } = start();
    const built = w.commitElsewhere({ 'built.txt': 'b\n' });
    await run(w, checks, built, 'mkdir -p out && echo compiled > out/cache && echo loose > loose.txt');
    w.repository.git('reset', '--quiet', '--hard', built);
    const next = w.commitElsewhere({ 'next.txt': 'n\n' });
    expect(await run(w, checks, next, 'cat out/cache; test ! -e loose.txt')).toMatchObject({ result: 'passed', output: 'compiled\n' });
    const cold = openChecks(w.door, { root: root as AbsolutePath, temperature: 'cold', run: runCommand });
    await run(w, cold, next, 'echo x > out-of-place', { setup: SETUP });
    expect(await run(w, cold, next, 'test ! -e out-of-place', { setup: SETUP })).toMatchObject({ result: 'passed' });
    expect(setups(w)).toBe(2);
  });

  it('then it ends at its time-out with everything that it started, and keeps the end of its output', async () => {
    const { w, checks } = start();
    const left = path.join(root, 'still-alive');
    const result = await run(w, checks, w.head(), constraint(`i=0; while [ $i -lt 3000 ]; do echo "line $i ü"; i=$((i+1)); done; (sleep 3; touch ${left}) & sleep 600`, { timeoutMs: 1_500 }));
    expect(result).toMatchObject({ result: 'timed-out' });
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(8192);
    expect(result.output).toMatch(/^[^\ufffd]*line 2999 ü\n$/);
    await run(w, checks, w.head(), 'sleep 4');
    expect(existsSync(left)).toBe(false);
  });

  it.skipIf(process.platform !== 'linux')('then it is not waited for what it started in a session of its own and what keeps its output open', async () => {
    const { w, checks } = start();
    const pid = path.join(root, 'pid');
    const from = performance.now();
    const result = await run(w, checks, w.head(), `setsid sh -c 'echo $$ > ${pid}.new; mv ${pid}.new ${pid}; exec sleep 60' & while [ ! -e ${pid} ]; do sleep 0.1; done; echo done`);
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    expect(result).toMatchObject({ result: 'passed', output: 'done\n' });
    expect(performance.now() - from).toBeLessThan(30_000);
  });

  it('then a command that cannot be run, a person who says no, and a setup that fails are told apart', async () => {
    const { w, checks } = start();
    expect(await run(w, checks, w.head(), 'no-such-command-here')).toMatchObject({ result: 'could-not-run', exitCode: 127 });
    expect(await run(w, checks, w.head(), 'true', { mayRun: () => Promise.resolve(false) })).toMatchObject({ result: 'refused', exitCode: null });
    expect(await run(w, checks, w.head(), 'true', { setup: SETUP, mayRun: (_, purpose) => Promise.resolve(purpose !== 'setup') })).toMatchObject({ result: 'refused' });
    const broken = await run(w, checks, w.head(), 'true', { setup: { include: null, script: { run: 'echo "no registry" >&2; exit 5', timeoutMs: 10_000 } } });
    expect(broken).toMatchObject({ result: 'could-not-run' });
    expect(broken.output).toContain('no registry');
  });

  it('then a worktree that cannot be made is a check that could not run, with its cause', async () => {
    const { w, checks } = start();
    const filtered = w.commitElsewhere({ '.gitattributes': '*.bin filter=lfs\n', 'big.bin': 'pointer\n' });
    w.repository.git('config', 'filter.lfs.smudge', 'git-lfs-missing smudge %f');
    w.repository.git('config', 'filter.lfs.required', 'true');
    expect(await run(w, checks, filtered, 'true')).toMatchObject({ result: 'could-not-run', output: expect.stringContaining('git-lfs-missing') as unknown });
    expect(w.repository.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  });

  it('then cancelling ends it', async () => {
    const { w, checks } = start();
    const cancel = new AbortController();
    const running = run(w, checks, w.head(), constraint('echo started; sleep 600'), { signal: cancel.signal, mayRun: () => Promise.resolve(true) });
    setTimeout(() => cancel.abort(), 1_000);
    await expect(running).rejects.toMatchObject({ refusal: { reason: 'cancelled' } });
    expect(await run(w, checks, w.head(), 'true')).toMatchObject({ result: 'passed' });
  });

  it('then no key of the environment reaches it (B8)', async () => {
    const { w, checks } = start({ environment: { PATH: process.env['PATH'] ?? '', HOME: '/home/ada', OPENAI_API_KEY: 'sk-secret', GITHUB_TOKEN: 'secret', GIT_DIR: '/elsewhere', NODE_OPTIONS: '--inspect', https_proxy: 'http://me:secret@proxy', http_proxy: 'http://proxy:3128' } });
    const { output } = await run(w, checks, w.head(), 'env');
    expect(output).toContain('HOME=/home/ada');
    expect(output).toContain('http_proxy=http://proxy:3128');
    expect(output).not.toMatch(/secret|GIT_DIR|NODE_OPTIONS/);
  });

  it('then two run one after the other', async () => {
    const { w, checks } = start();
    const log = path.join(root, 'log');
    const command = `echo in >> ${log}; sleep 0.3; echo out >> ${log}`;
    await Promise.all([run(w, checks, w.head(), command), run(w, checks, w.head(), command)]);
    expect(readFileSync(log, 'utf8')).toBe('in\nout\nin\nout\n');
  });

  it('then a worktree that a window left behind is taken over, and few are kept', async () => {
    const { w, checks } = start();
    await run(w, checks, w.head(), 'true', { setup: SETUP });
    // As after the end of that window: no heartbeat any more, and its lease is not one that anybody holds.
    await checks.close();
    for (const file of leases()) rmSync(file);
    const later = openChecks(w.door, { root: root as AbsolutePath, temperature: 'warm', run: runCommand });
    expect(await run(w, later, w.head(), 'cat deps/dep', { setup: SETUP })).toMatchObject({ result: 'passed' });
    expect(setups(w)).toBe(1);
    for (const name of ['one', 'two', 'three']) await run(w, later, w.commitElsewhere({ 'package-lock.json': name }), 'true');
    expect(leases()).toHaveLength(2);
    expect(w.repository.git('worktree', 'list').split('\n')).toHaveLength(3);
  });
});

function leases(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lease')).map((name) => path.join(root, name));
}
