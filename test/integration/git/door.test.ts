/*
 * | what must hold | test |
 * | --- | --- |
 * | one writer at a time, many readers, interactive first | "runs one write at a time…", "lets reads go on…", "serves what a person waits for…" |
 * | abort and time-out end the whole process tree | "ends everything that a call started…", "ends a call that takes too long" |
 * | rule 11: nothing is discovered, no GIT_* gets in | "scrubs…", "reads the given repository…" |
 * | failures say what to do | "tells a missing git…", "tells an unknown revision…", "tells a lock…" |
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GitDoor } from '../../../src/adapters/git/door/door.ts';
import { GitFailure } from '../../../src/adapters/git/door/failure.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import type { TemporaryRepository } from '../../support/temporaryRepository.ts';
import { absolute, isolateGit } from './support.ts';

let temporary: TemporaryRepository;
let door: GitDoor;

beforeEach(() => {
  isolateGit();
  temporary = makeTemporaryRepository({ 'a.txt': 'one\n' });
  const gitDir = absolute(path.join(temporary.folder, '.git'));
  door = new GitDoor({ checkout: absolute(temporary.folder), gitDir, commonDir: gitDir });
});
afterEach(() => temporary.remove());

/** An alias that runs a shell line: what git itself starts, as it would a filter. */
const shell = (line: string): string[] => ['-c', `alias.go=!${line}`, 'go'];

describe('the queue', () => {
  it('runs one write at a time, also when many are asked for at once', async () => {
    const log = path.join(temporary.folder, 'log');
    await Promise.all(Array.from({ length: 6 }, (_, i) => door.run(shell(`echo begin ${i} >> '${log}'; sleep 0.02; echo end ${i} >> '${log}'`), { write: true })));
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i]?.replace('begin', 'end'));
    expect(lines).toHaveLength(12);
  });

  it('lets reads go on while a write is at work', async () => {
    const order: string[] = [];
    const go = path.join(temporary.folder, 'go');
    const write = door.run(shell(`while ! test -e '${go}'; do sleep 0.02; done`), { write: true }).then(() => order.push('write'));
    await door.run(['rev-parse', 'HEAD'], { write: false }).then(() => order.push('read'));
    writeFileSync(go, '');
    await write;
    expect(order).toEqual(['read', 'write']);
  });

  it('lets writes of different worktrees go on beside each other', async () => {
    const a = path.join(temporary.folder, 'a-began');
    const b = path.join(temporary.folder, 'b-began');
    const meet = (mine: string, other: string): string[] => shell(`touch '${mine}'; while ! test -e '${other}'; do sleep 0.02; done`);
    await Promise.all([
      door.run(meet(a, b), { write: true, scope: absolute('/one'), timeoutMs: 10_000 }),
      door.run(meet(b, a), { write: true, scope: absolute('/two'), timeoutMs: 10_000 }),
    ]);
  });

  it('serves what a person waits for before what nobody looks at', async () => {
    const order: string[] = [];
    const first = door.run(shell('sleep 0.1'), { write: true });
    const background = door.run(['version'], { write: true, priority: 'background' }).then(() => order.push('background'));
    const interactive = door.run(['version'], { write: true, priority: 'interactive' }).then(() => order.push('interactive'));
    await Promise.all([first, background, interactive]);
    expect(order).toEqual(['interactive', 'background']);
  });

  it('lets a person read before agents do, once eight reads are at work', async () => {
    const order: string[] = [];
    const [one, all] = [path.join(temporary.folder, 'one'), path.join(temporary.folder, 'all')];
    const busy = [one, ...Array.from({ length: 7 }, () => all)].map((go) => door.run(shell(`while ! test -e '${go}'; do sleep 0.02; done`), { write: false }));
    const late = (['background', 'background', 'interactive'] as const).map((priority) => door.run(['version'], { write: false, priority }).then(() => order.push(priority)));
    writeFileSync(one, '');
    await Promise.all(late);
    writeFileSync(all, '');
    await Promise.all(busy);
    expect(order).toEqual(['interactive', 'background', 'background']);
  });

  it('keeps other writes out for as long as an exclusive piece of work lasts', async () => {
    const order: string[] = [];
    let inside = (): void => undefined;
    const begun = new Promise<void>((resolve) => (inside = resolve));
    const work = door.exclusive({}, async (git) => {
      inside();
      await git.run(shell('sleep 0.1'), { write: true });
      await git.run(['version'], { write: true });
      order.push('exclusive');
    });
    await begun;
    await door.run(['version'], { write: true }).then(() => order.push('other'));
    await work;
    expect(order).toEqual(['exclusive', 'other']);
  });

  it('lets a cancelled call leave the queue, and the next one run', async () => {
    const controller = new AbortController();
    const first = door.run(shell('sleep 0.2'), { write: true });
    const second = door.run(['version'], { write: true, signal: controller.signal });
    controller.abort();
    await expect(second).rejects.toMatchObject({ kind: 'cancelled', refusal: { reason: 'cancelled' } });
    await first;
    expect((await door.run(['version'], { write: true })).exitCode).toBe(0);
  });
});

describe('ending', () => {
  it('ends everything that a call started when it is cancelled', async () => {
    const pidFile = path.join(temporary.folder, 'pid');
    const controller = new AbortController();
    const call = door.run(shell(`sleep 60 & echo $! > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; wait`), { write: true, signal: controller.signal });
    await expect.poll(() => existsSync(pidFile), { timeout: 10_000 }).toBe(true);
    const grandchild = Number(readFileSync(pidFile, 'utf8'));
    controller.abort();
    await expect(call).rejects.toMatchObject({ kind: 'cancelled' });
    await expect.poll(() => isAlive(grandchild), { timeout: 5_000 }).toBe(false);
  });

  it('ends a call that takes too long', async () => {
    await expect(door.run(shell('sleep 60'), { write: false, timeoutMs: 100 })).rejects.toMatchObject({ kind: 'timed-out' });
  });

  it('ends a short answer that takes too long, or that nobody waits for any more', async () => {
    const waits = ['cat-file', '--batch'];
    await expect(door.text(waits, { timeoutMs: 100 })).rejects.toMatchObject({ kind: 'timed-out' });
    const controller = new AbortController();
    const call = door.text(waits, { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('ends a process that lives on when it is cancelled, and tells whoever waits for its answer', async () => {
    const controller = new AbortController();
    const held = door.hold(['cat-file', '--batch-command'], { write: false, signal: controller.signal });
    const answer = held.readLine();
    controller.abort();
    await expect(answer).rejects.toMatchObject({ kind: 'cancelled' });
    expect(held.alive).toBe(false);
  });

  it('goes on with the next write after one that was ended', async () => {
    const slow = door.run(shell('sleep 60'), { write: true, timeoutMs: 100 });
    const next = door.run(['version'], { write: true });
    await expect(slow).rejects.toMatchObject({ kind: 'timed-out' });
    expect((await next).exitCode).toBe(0);
  });

  it('does not start a call that was cancelled before', async () => {
    const made = path.join(temporary.folder, 'made');
    await expect(door.run(shell(`touch '${made}'`), { write: true, signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'cancelled' });
    expect(existsSync(made)).toBe(false);
  });
});

describe('calls', () => {
  it('takes bytes and gives bytes, with zeros and no text in them', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 0, 128]);
    const id = (await door.run(['hash-object', '-w', '--stdin'], { write: false, stdin: bytes })).stdout.toString('utf8').trim();
    expect((await door.run(['cat-file', 'blob', id], { write: false })).stdout).toEqual(bytes);
  });

  it('gives exit codes that are answers, and fails on others', async () => {
    expect((await door.run(['config', '--get', 'no.such'], { write: false, allowExit: [1] })).exitCode).toBe(1);
    await expect(door.run(['config', '--get', 'no.such'], { write: false })).rejects.toBeInstanceOf(GitFailure);
    await expect(door.text(['config', '--get', 'no.such'])).rejects.toBeInstanceOf(GitFailure);
  });

  it('scrubs git variables of the environment that name another repository', async () => {
    const other = makeTemporaryRepository({ 'b.txt': 'other\n' });
    process.env['GIT_DIR'] = path.join(other.folder, '.git');
    process.env['GIT_INDEX_FILE'] = path.join(other.folder, '.git', 'index');
    try {
      const listed = await door.run(['ls-files'], { write: false, workTree: absolute(temporary.folder) });
      expect(listed.stdout.toString('utf8')).toBe('a.txt\n');
      expect(await door.text(['rev-parse', 'HEAD'])).toBe(temporary.git('rev-parse', 'HEAD'));
    } finally {
      Reflect.deleteProperty(process.env, 'GIT_DIR');
      Reflect.deleteProperty(process.env, 'GIT_INDEX_FILE');
      other.remove();
    }
  });

  it('runs no program that the config of the repository names', async () => {
    const ran = path.join(temporary.folder, 'ran');
    temporary.write({ 'evil.sh': { content: `#!/bin/sh\ntouch '${ran}'\n`, mode: 0o755 }, '.git/hooks/post-index-change': { content: `#!/bin/sh\ntouch '${ran}'\n`, mode: 0o755 } });
    temporary.git('config', 'core.fsmonitor', path.join(temporary.folder, 'evil.sh'));
    temporary.git('config', 'diff.external', path.join(temporary.folder, 'evil.sh'));
    const workTree = absolute(temporary.folder);
    await door.run(['status', '--porcelain'], { write: true, workTree });
    await door.run(['diff-index', '-p', '--no-ext-diff', 'HEAD'], { write: false, workTree });
    await door.run(['read-tree', '-m', '-u', 'HEAD'], { write: true, workTree });
    expect(existsSync(ran)).toBe(false);
  });

  it('talks with a process that lives on, in order', async () => {
    const held = door.hold(['cat-file', '--batch-command'], { write: false });
    held.write('contents HEAD:a.txt\n');
    held.write('info HEAD:no-such\n');
    const size = Number((await held.readLine()).split(' ')[2]);
    expect((await held.readBytes(size + 1)).toString('utf8')).toBe('one\n\n');
    expect(await held.readLine()).toBe('HEAD:no-such missing');
    expect(await held.close()).toEqual({ exitCode: 0, stderr: '' });
  });

  it('rejects what is waited for from a process that dies', async () => {
    const held = door.hold(shell('read line; echo first; exit 3'), { write: false });
    const answers = [held.readLine(), held.readLine()] as const;
    held.write('go\n');
    expect(await answers[0]).toBe('first');
    await expect(answers[1]).rejects.toBeInstanceOf(GitFailure);
    expect(held.alive).toBe(false);
  });
});

describe('failures', () => {
  it('tells a missing git from a missing folder', async () => {
    const before = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      await expect(door.run(['version'], { write: false })).rejects.toMatchObject({ kind: 'git-missing', refusal: { reason: 'git-missing' } });
    } finally {
      process.env['PATH'] = before;
    }
    await expect(door.run(['version'], { write: false, cwd: absolute('/no/such/folder') })).rejects.toMatchObject({ kind: 'folder-missing' });
  });

  it('tells an unknown revision, with what to do next', async () => {
    const failure = await door.run(['rev-parse', '--verify', 'no-such'], { write: false }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'unknown-revision' });
    expect((failure as GitFailure).refusal.next).not.toBe('');
  });

  it('tells a lock that another git holds', async () => {
    writeFileSync(path.join(temporary.folder, '.git', 'index.lock'), '');
    await expect(door.run(['read-tree', 'HEAD'], { write: true })).rejects.toMatchObject({ kind: 'lock-exists' });
  });

  it('tells a ref that is not where it was said to be', async () => {
    const head = temporary.git('rev-parse', 'HEAD');
    const next = temporary.commit('Second');
    await expect(door.run(['update-ref', 'refs/heads/main', next, head], { write: true })).rejects.toMatchObject({ kind: 'ref-moved' });
  });

  it('tells a path that is too long', async () => {
    const blob = (await door.run(['hash-object', '-w', '--stdin'], { write: false, stdin: 'x' })).stdout.toString('utf8').trim();
    const tree = (await door.run(['mktree', '-z'], { write: false, stdin: `100644 blob ${blob}\t${'n'.repeat(300)}\0` })).stdout.toString('utf8').trim();
    const workTree = absolute(path.join(temporary.folder, 'other'));
    mkdirSync(workTree);
    const env = { GIT_INDEX_FILE: path.join(temporary.folder, 'index') };
    await expect(door.run(['read-tree', '--reset', '-u', tree], { write: true, workTree, env })).rejects.toMatchObject({ kind: 'path-too-long' });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that ended and that nobody waited for yet still has its pid.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
