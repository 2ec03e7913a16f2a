import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { ScriptedModel } from '../support/scriptedModel.ts';
import { Seeded } from '../support/seeded.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporaryFolder.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';
import { leftovers } from './leftovers.ts';
import { differences, standing } from './line.ts';
import { PersonAtWork, run } from './personAtWork.ts';
import { agentOf, effectOf, filesFor, goalOf, makeTasks, type Task, type Verdict } from './tasks.ts';
import type { Click, Row } from './window.child.ts';
import { WindowProcess, type Clicked } from './windowProcess.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly worktrees: number;
  readonly atOnce: number;
  /** After that long nothing more is delegated. */
  readonly minutes: number;
  /** Clicks between two kills of the window, from and to. */
  readonly clicksBetweenKills: readonly [number, number];
  readonly say: (words: string) => void;
}

export interface SoakResult {
  /** What is not as it must be, in words; empty where all holds. */
  readonly wrong: readonly string[];
  readonly kills: number;
  readonly accepted: number;
}

/** So long a window may show nothing new before the soak gives up. */
const PATIENCE_MS = 90_000;
/** A click that came too early (a change that is being re-made) is made again that often. */
const AGAIN = 50;

/** Delegates, judges and takes back many changes while the person works with git and the window is killed; then looks at what is left. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const chances = new Seeded(options.seed);
  const tasks = makeTasks(options.worktrees, chances);
  const repository = makeTemporaryRepository(filesFor(tasks), 'checkout');
  const machine = makeTemporaryFolder('soak-machine');
  const model = await ScriptedModel.start({ script: agentOf(tasks) });
  try {
    return await new Soak(options, chances, tasks, repository, machine, model).run();
  } finally {
    await model.stop();
    repository.remove();
    removeFolder(machine);
  }
}

interface Progress {
  readonly task: Task;
  verdicts: readonly Verdict[];
  next: number;
  /** A click whose window died before it answered. */
  unsure: Verdict | null;
  /** Changes that were proposed when it was clicked. */
  proposed: number;
  again: number;
  delegated: boolean;
  settled: boolean;
}

class Soak {
  readonly #options: SoakOptions;
  readonly #chances: Seeded;
  readonly #repository: TemporaryRepository;
  readonly #machine: string;
  readonly #place: { readonly checkout: string; readonly machine: string; readonly temporary: string; readonly baseUrl: string };
  readonly #person: PersonAtWork;
  readonly #progress: readonly Progress[];
  readonly #wrong: string[] = [];
  /** Tasks whose change the line holds, the newest last. */
  readonly #accepted = new Set<Task>();
  #kills = 0;
  #clicks = 0;
  #nextKill: number;

  constructor(options: SoakOptions, chances: Seeded, tasks: readonly Task[], repository: TemporaryRepository, machine: string, model: ScriptedModel) {
    this.#options = options;
    this.#chances = chances;
    this.#repository = repository;
    this.#machine = machine;
    this.#progress = tasks.map((task) => ({ task, verdicts: task.verdicts, next: 0, unsure: null, proposed: 0, again: 0, delegated: false, settled: false }));
    this.#nextKill = chances.between(...options.clicksBetweenKills);
    const temporary = path.join(machine, 'temporary');
    mkdirSync(temporary);
    this.#place = { checkout: repository.folder, machine: path.join(machine, 'storage'), temporary, baseUrl: model.baseUrl };
    this.#person = new PersonAtWork({ checkout: repository.folder, second: path.join(machine, 'second') }, chances);
  }

  async run(): Promise<SoakResult> {
    const { say } = this.#options;
    this.#givenClones();
    const before = standing(this.#repository.folder);
    const end = performance.now() + this.#options.minutes * 60_000;
    let window = await WindowProcess.open(this.#place);
    let told = 0;
    for (let left = this.#left(end); left.length > 0; left = this.#left(end)) {
      if (!window.alive) {
        this.#wrong.push(...window.broke);
        // Not in the middle of a verdict: the person sees that the window is gone, and opens it again.
        if (!this.#progress.some((p) => p.unsure === 'accept' || p.unsure === 'undo') && this.#chances.chance(0.3)) this.#person.act();
        window = await WindowProcess.open(this.#place);
      }
      const settled = this.#progress.filter((p) => p.settled).length;
      if (settled >= told + 25) say(`${told = settled} of ${this.#progress.length} are settled, ${this.#accepted.size} accepted, ${this.#kills} kills`);
      if (await this.#step(window, left)) continue;
      const quiet = new AbortController();
      const stands = await Promise.race([window.news().then(() => false), after(PATIENCE_MS, true, { signal: quiet.signal }).catch(() => false)]);
      quiet.abort();
      if (stands) {
        this.#wrong.push(`nothing moves any more: ${left.slice(0, 5).map((p) => JSON.stringify([p.verdicts, p.next, window.rows.get(goalOf(p.task))])).join('; ')}`);
        break;
      }
    }
    const rows = await this.#finalRows(window);
    say(`the person: ${Object.entries(this.#person.did).map(([deed, times]) => `${deed} ${times}`).join(', ')}; ${this.#kills} kills; ${this.#accepted.size} of ${rows.length} accepted`);
    this.#wrong.push(...differences({ checkout: this.#repository.folder, before, rows, files: this.#filesOnLine(), subjects: this.#person.subjects }));
    this.#wrong.push(...await leftovers({ checkout: this.#repository.folder, storage: this.#place.machine, temporary: this.#place.temporary, folders: [this.#repository.folder, this.#machine], rows }));
    return { wrong: this.#wrong, kills: this.#kills, accepted: this.#accepted.size };
  }

  /** An origin, the person's checkout with things of theirs lying about, and a colleague's clone. */
  #givenClones(): void {
    const { folder } = this.#repository;
    const origin = path.join(this.#machine, 'origin.git');
    this.#repository.commit('Ignore what is built', { '.gitignore': '.env\nbuild/\n' });
    run(this.#machine, 'clone', '--quiet', '--bare', folder, origin);
    run(this.#machine, 'clone', '--quiet', origin, 'second');
    run(folder, 'remote', 'add', 'origin', origin);
    run(folder, 'fetch', '--quiet', 'origin');
    run(folder, 'branch', '--quiet', '--set-upstream-to=origin/main');
    for (const clone of [folder, path.join(this.#machine, 'second')]) {
      run(clone, 'config', 'user.name', 'Test Person');
      run(clone, 'config', 'user.email', 'person@example.test');
    }
    writeFileSync(path.join(folder, 'shared/0.txt'), 'For later.\n');
    run(folder, 'stash', 'push', '--quiet');
    this.#repository.write({ '.env': 'KEY=1\n', 'build/out.bin': new Uint8Array([0, 1, 2]), 'thoughts.txt': 'Not committed.\n' });
  }

  #left(end: number): readonly Progress[] {
    if (performance.now() > end) for (const p of this.#progress) p.settled ||= !p.delegated;
    return this.#progress.filter((p) => !p.settled);
  }

  /** One click at most, as a person makes them. False where there is nothing to do but to wait. */
  async #step(window: WindowProcess, left: readonly Progress[]): Promise<boolean> {
    const active = left.filter((p) => window.rows.has(goalOf(p.task)));
    for (const p of active) {
      const row = window.rows.get(goalOf(p.task));
      if (row !== undefined && await this.#attend(window, p, row)) return true;
    }
    const waits = active.length < this.#options.atOnce ? left.find((p) => !window.rows.has(goalOf(p.task))) : undefined;
    if (waits === undefined) return false;
    waits.delegated = true;
    const clicked = await this.#click(window, { do: 'delegate', folder: waits.task.folder, goal: waits.task.kind === 'surveys' ? null : goalOf(waits.task) });
    if (clicked.kind === 'refused') this.#giveUp(waits, `could not be delegated: ${clicked.message}`);
    return true;
  }

  async #attend(window: WindowProcess, p: Progress, row: Row): Promise<boolean> {
    if (p.unsure !== null) {
      if (row.phase === 'judging' && row.detail === null) return false;
      if (row.phase !== 'judging' && happened(p.unsure, row, p.proposed)) this.#judged(p, p.unsure);
      p.unsure = null;
    }
    switch (row.phase) {
      case 'preparing': case 'running':
        if (p.verdicts[p.next] === 'stop') return this.#judge(window, p, row, 'stop');
        return false;
      case 'interrupted':
        return false;
      case 'asking':
        if (row.detail !== 'run') this.#giveUp(p, `asks ${row.detail ?? ''}`);
        await this.#click(window, { do: 'answer', episode: row.id, choice: row.detail === 'run' ? 'run' : 'stop' });
        return true;
      case 'judging':
        if (row.detail !== null) this.#giveUp(p, `unclear: ${row.detail}`);
        return row.detail !== null;
      case 'waiting': case 'ended': {
        if (p.verdicts[p.next] === 'stop') p.next++;
        const verdict = p.verdicts[p.next];
        if (verdict === undefined || (row.phase === 'ended' && row.candidate === null)) {
          if (row.phase === 'ended') p.settled = true;
          if (row.phase === 'ended' && (row.detail === 'failed' || (verdict !== undefined && !p.verdicts.includes('stop')))) this.#giveUp(p, `ended as ${row.detail ?? ''}`);
          return p.settled;
        }
        if ((row.phase === 'ended') !== (verdict === 'undo' || verdict === 'withdraw')) return false;
        return this.#judge(window, p, row, verdict);
      }
    }
  }

  async #judge(window: WindowProcess, p: Progress, row: Row, verdict: Verdict): Promise<true> {
    if (this.#chances.chance(0.25)) this.#person.act();
    p.proposed = row.candidates.length;
    const clicked = await this.#click(window, { do: verdict, episode: row.id });
    switch (clicked.kind) {
      case 'done':
        this.#judged(p, verdict);
        break;
      case 'died':
        p.unsure = verdict;
        break;
      case 'refused':
        if (clicked.reason === 'conflict' && p.task.kind === 'contends' && clicked.message.includes(`${p.task.folder}/`)) p.verdicts = [...p.verdicts.slice(0, p.next), 'reject'];
        else if ((clicked.reason === 'candidate-superseded' || clicked.reason === 'wrong-state') && ++p.again < AGAIN) await window.news();
        else this.#giveUp(p, `${verdict} was refused (${clicked.reason}): ${clicked.message}`);
    }
    return true;
  }

  #judged(p: Progress, verdict: Verdict): void {
    p.next++;
    if (verdict === 'accept') this.#accepted.add(p.task);
    if (verdict === 'undo') this.#accepted.delete(p.task);
  }

  #giveUp(p: Progress, words: string): void {
    this.#wrong.push(`task ${p.task.number} (${p.task.kind}, ${p.verdicts.join(' ')}) ${words}`);
    p.settled = true;
  }

  /** Every few clicks the window is killed at some moment after the click, so mostly in the middle of what the click began. */
  async #click(window: WindowProcess, what: Click): Promise<Clicked> {
    const clicked = window.click(what);
    if (++this.#clicks >= this.#nextKill) {
      this.#nextKill = this.#clicks + this.#chances.between(...this.#options.clicksBetweenKills);
      await after(this.#chances.between(0, 250));
      await window.kill();
      this.#kills++;
    }
    return clicked;
  }

  /** As the person finds things next morning: the window is closed, and opened once more. */
  async #finalRows(window: WindowProcess): Promise<readonly Row[]> {
    if (window.alive) await window.close();
    const again = await WindowProcess.open(this.#place);
    const rows = [...again.rows.values()];
    await again.close();
    this.#wrong.push(...window.broke, ...again.broke);
    return rows;
  }

  #filesOnLine(): ReadonlyMap<string, string> {
    const files = new Map<string, string>(this.#person.files);
    const tasks = this.#progress.map((p) => p.task);
    for (const [name, text] of Object.entries(filesFor(tasks))) files.set(name, text);
    files.set('.gitignore', '.env\nbuild/\n');
    for (const task of this.#accepted) {
      for (const [name, text] of Object.entries(effectOf(task))) {
        if (text === null) files.delete(name);
        else files.set(name, text);
      }
    }
    return files;
  }
}

/** Whether a click had its effect, seen from what the window shows after a restart. */
function happened(verdict: Verdict, row: Row, proposed: number): boolean {
  switch (verdict) {
    case 'accept': return row.phase === 'ended' && row.detail === 'retained';
    case 'reject': return row.phase === 'ended';
    case 'undo': case 'withdraw': return row.phase === 'waiting';
    case 'rework': return row.phase !== 'waiting' || row.candidates.length > proposed;
    case 'stop': return true;
  }
}
