import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RefName } from '../../../src/core/ids.ts';
import type { PreparedMove } from '../../../src/core/ledger/events.ts';
import type { MoveStep } from '../../../src/runtime/ports/lines.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { filesOf, makeLineWorld, moveLine, moveTo, personsThings, staged, status } from './lineWorld.ts';
import type { LineWorld } from './lineWorld.ts';

/**
 * Case D20: the process of an accept is killed between any two steps and inside one, with other files staged by the
 * person. Afterwards nothing is lost, nothing doubled, and their staging is kept.
 */

const FILES: FileTree = { 'a.txt': 'a1\n', 'gone.txt': 'gone\n', 'm.slow': 'slow 1\n', 'z.txt': 'z1\n', '.gitattributes': '*.slow filter=slow\n', '.gitignore': 'ignored/\n' };
const CHANGE: FileTree = { 'a.txt': 'a2\n', 'gone.txt': null, 'm.slow': `slow 2 ${'x'.repeat(4000)}\n`, 'new/deep/file.txt': 'new\n', 'z.txt': 'z2\n' };

let world: LineWorld | undefined;
const started: number[] = [];
afterEach(async () => {
  for (const pid of started.splice(0)) endGroup(pid);
  await world?.remove();
  world = undefined;
});

function start(): LineWorld {
  world = makeLineWorld(FILES);
  world.repository.write({ 'staged.txt': 'staged by the person\n', 'ignored/x': 'ignored\n', 'untracked.txt': 'untracked\n' });
  world.repository.git('add', 'staged.txt');
  return world;
}

describe('given an accept whose process is killed, when the next start looks at it', () => {
  it.each<[MoveStep, 'old' | 'new']>([['locked', 'old'], ['looked', 'old'], ['files-updated', 'old'], ['ref-updated', 'new']])('then a death at "%s" leaves the %s state', async (step, kind) => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    const before = { files: filesOf(w.repository.folder), staged: staged(w), things: personsThings(w), head: w.head() };

    await killAt(w, move, step);

    expect(await w.lines.recover(move)).toEqual({ kind });
    expect(personsThings(w)).toEqual(before.things);
    if (kind === 'old') {
      expect({ files: filesOf(w.repository.folder), staged: staged(w), head: w.head() }).toEqual({ files: before.files, staged: before.staged, head: before.head });
    } else {
      expect(w.head()).toBe(move.new);
    }
    expect(status(w)).toBe('A  staged.txt\n?? untracked.txt');
    expect(await w.lines.recover(move)).toEqual({ kind });

    if (kind === 'old') expect(await moveLine(w, move)).toEqual({ kind: 'moved' });
    expect(w.repository.git('rev-list', '--count', `${before.head}..main`)).toBe('1');
    expect(status(w)).toBe('A  staged.txt\n?? untracked.txt');
  });

  it('then a death of everything while git writes the files puts them back, the half-written ones too', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    const before = { files: filesOf(w.repository.folder), staged: staged(w), things: personsThings(w) };
    const { child, gate } = await killableInsideReadTree(w, move);
    const git = Number(readFileSync(onlyMoveFile(w, 'pid'), 'utf8'));
    child.kill('SIGKILL');
    endGroup(git);
    await ended(child);
    rmSync(gate);
    expect(filesOf(w.repository.folder)).not.toEqual(before.files);
    // A file of which git had written the beginning only.
    writeFileSync(path.join(w.repository.folder, 'z.txt'), 'z');

    expect(await w.lines.recover(move)).toEqual({ kind: 'old' });

    w.repository.git('config', '--remove-section', 'filter.slow');
    expect({ files: filesOf(w.repository.folder), staged: staged(w) }).toEqual({ files: before.files, staged: before.staged });
    expect(status(w)).toBe('A  staged.txt\n?? untracked.txt');
    expect(allLocks(w)).toEqual([]);
    expect(await moveLine(w, move)).toEqual({ kind: 'moved' });
  });

  it('then a git that outlives the process is waited for, not worked against', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    const before = { files: filesOf(w.repository.folder), staged: staged(w) };
    const { child, gate } = await killableInsideReadTree(w, move);
    child.kill('SIGKILL');
    await ended(child);

    let over = false;
    const recovery = w.lines.recover(move).finally(() => { over = true; });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(over).toBe(false);
    rmSync(gate);

    expect(await recovery).toEqual({ kind: 'old' });
    expect({ files: filesOf(w.repository.folder), staged: staged(w) }).toEqual(before);
    expect(allLocks(w)).toEqual([]);
  });

  it('then lock files that git left, killed with it, go if they are ours and stay if they are not', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    const { child } = await runUntil(w, move, 'locked');
    const updateRef = childrenOf(child.pid ?? 0);
    child.kill('SIGKILL');
    for (const pid of updateRef) endGroup(pid);
    await ended(child);
    // Killed with the accept, or ended by itself just before: in both cases the locks are what a power cut leaves.
    w.repository.write({ '.git/refs/heads/main.lock': `${move.new}\n`, '.git/HEAD.lock': '' });
    expect(await w.lines.recover(move)).toEqual({ kind: 'old' });
    expect(allLocks(w)).toEqual([]);

    w.repository.write({ '.git/refs/heads/main.lock': `${'1'.repeat(40)}\n`, '.git/HEAD.lock': '' });
    await w.lines.recover(move);
    expect(allLocks(w)).toEqual(['.git/HEAD.lock', '.git/refs/heads/main.lock']);
  });

  it('then work that the person did since is told and not touched', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    await killAt(w, move, 'files-updated');
    w.repository.write({ 'a.txt': 'a third text, typed after the crash\n' });
    const before = filesOf(w.repository.folder);
    expect(await w.lines.recover(move)).toMatchObject({ kind: 'unclear', files: ['a.txt'] });
    expect(filesOf(w.repository.folder)).toEqual(before);
    expect(existsSync(path.join(w.repository.folder, '.git/index.lock'))).toBe(false);
  });

  it('then a commit that the person made since from a clean state stands, and nothing of the accept is left', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    await killAt(w, move, 'looked');
    rmSync(path.join(w.repository.folder, '.git/index.lock'));
    const own = w.repository.commit('went on', { 'z.txt': 'z of the person\n' });
    expect(await w.lines.recover(move)).toEqual({ kind: 'old' });
    expect([w.head(), status(w)]).toEqual([own, '']);
  });

  it.each([['deleted', ['branch', '--quiet', '-D', 'main']], ['renamed', ['branch', '--quiet', '-m', 'main', 'trunk']]] as const)('then a branch that the person %s since leaves nothing to wait for', async (how, args) => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    await killAt(w, move, 'looked');
    rmSync(path.join(w.repository.folder, '.git/index.lock'));
    if (how === 'deleted') w.repository.git('checkout', '--quiet', '-b', 'other');
    w.repository.git(...args);
    expect(await w.lines.recover(move)).toEqual({ kind: 'old' });
    expect(status(w)).toBe('A  staged.txt\n?? untracked.txt');
  });

  it('then files of a branch that was deleted since, half of an accept, are told', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    await killAt(w, move, 'files-updated');
    w.repository.git('symbolic-ref', 'HEAD', 'refs/heads/other');
    w.repository.git('update-ref', 'refs/heads/other', move.old ?? '');
    w.repository.git('update-ref', '-d', 'refs/heads/main');
    expect(await w.lines.recover(move)).toMatchObject({ kind: 'unclear' });
  });

  it('then a commit that was accepted and reset away by the person is not brought back', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    const old = w.head();
    await killAt(w, move, 'ref-updated');
    w.repository.git('reset', '--quiet', '--hard', old);
    expect(await w.lines.recover(move)).toEqual({ kind: 'old' });
    expect(w.head()).toBe(old);
  });
});

describe('given an accept that is cancelled while git writes the files', () => {
  it('then git is ended and everything is as before', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE));
    const before = { files: filesOf(w.repository.folder), staged: staged(w), things: personsThings(w), head: w.head() };
    const { gate, reached } = setGate(w);
    const cancel = new AbortController();
    const moving = moveLine(w, move, { signal: cancel.signal });
    await until(() => existsSync(reached));
    cancel.abort();
    // The same filter is needed to bring the old file back.
    rmSync(gate);
    expect(await moving).toMatchObject({ kind: 'refused', refusal: { reason: 'cancelled' } });
    w.repository.git('config', '--remove-section', 'filter.slow');
    expect({ files: filesOf(w.repository.folder), staged: staged(w), things: personsThings(w), head: w.head() }).toEqual(before);
  });
});

describe('given other lines than the opened branch whose accept is killed, when the next start looks at it', () => {
  it('then a detached HEAD is put back, or stays where it got to', async () => {
    const w = start();
    const old = w.head();
    const to = w.commitElsewhere(CHANGE);
    w.repository.git('checkout', '--quiet', '--detach');
    const move = moveTo(w, to, { ref: 'HEAD', target: { kind: 'detached' } });
    const before = { files: filesOf(w.repository.folder), staged: staged(w) };
    await killAt(w, move, 'files-updated');
    expect(await w.lines.recover(move)).toEqual({ kind: 'old' });
    expect({ files: filesOf(w.repository.folder), staged: staged(w) }).toEqual(before);
    await killAt(w, move, 'ref-updated');
    expect(await w.lines.recover(move)).toEqual({ kind: 'new' });
    expect([w.head(), w.repository.git('rev-parse', 'main'), allLocks(w)]).toEqual([to, old, []]);
  });

  it('then a new branch is there or is not', async () => {
    const w = start();
    const move = moveTo(w, w.commitElsewhere(CHANGE), { ref: 'refs/heads/fresh' as RefName, old: null, checkouts: [] });
    await killAt(w, move, 'looked');
    expect(await w.lines.recover(move)).toEqual({ kind: 'old' });
    expect(w.repository.git('branch', '--list', 'fresh')).toBe('');
    await killAt(w, move, 'ref-updated');
    expect(await w.lines.recover(move)).toEqual({ kind: 'new' });
    expect(allLocks(w)).toEqual([]);
  });
});

async function killAt(w: LineWorld, move: PreparedMove, step: MoveStep): Promise<void> {
  const { child } = await runUntil(w, move, step);
  child.kill('SIGKILL');
  await ended(child);
}

function runUntil(w: LineWorld, move: PreparedMove, stopAt: string): Promise<{ child: ChildProcess }> {
  const child = spawnMove(w, move, stopAt);
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString('utf8');
      if (said.includes(`at ${stopAt}\n`)) resolve({ child });
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', () => reject(new Error(`the move ended before ${stopAt}: ${said}`)));
  });
}

/** A filter that waits at a gate holds git in the middle of writing the files. */
function setGate(w: LineWorld): { gate: string; reached: string } {
  const gate = path.join(w.repository.folder, '.git', 'gate');
  const reached = path.join(w.repository.folder, '.git', 'reached');
  writeFileSync(gate, '');
  w.repository.git('config', 'filter.slow.smudge', `cat; [ -e '${gate}' ] && touch '${reached}'; while [ -e '${gate}' ]; do sleep 0.02; done`);
  return { gate, reached };
}

async function killableInsideReadTree(w: LineWorld, move: PreparedMove): Promise<{ child: ChildProcess; gate: string }> {
  const { gate, reached } = setGate(w);
  const child = spawnMove(w, move, 'never');
  await until(() => existsSync(reached) && existsSync(onlyMoveFile(w, 'pid')));
  return { child, gate };
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 30_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error('git never reached the filter');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function spawnMove(w: LineWorld, move: PreparedMove, stopAt: string): ChildProcess {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'crashingMove.ts'), JSON.stringify({ place: w.place, move, stopAt })], { stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) started.push(child.pid);
  return child;
}

function onlyMoveFile(w: LineWorld, name: string): string {
  const moves = path.join(w.repository.folder, '.git/worldtree/moves');
  return path.join(moves, readdirSync(moves)[0] ?? '', name);
}

function allLocks(w: LineWorld): string[] {
  const gitDir = path.join(w.repository.folder, '.git');
  return readdirSync(gitDir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.lock')).map((file) => `.git/${file}`).sort();
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter((text) => text.trim() !== '').map(Number);
  } catch {
    // Another system: its locks go with the end of its input, and the test writes them itself.
    return [];
  }
}

/** Git's processes lead groups of their own. */
function endGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  }
}
