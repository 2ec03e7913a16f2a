import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quietGitEnvironment } from '../support/gitEnvironment.ts';
import type { Seeded } from '../support/seeded.ts';

export interface PersonsPlaces {
  readonly checkout: string;
  /** A colleague's clone of the same origin. */
  readonly second: string;
}

type Deed = 'commits' | 'amends' | 'rebases' | 'drops' | 'pulls' | 'pushes';

/** What a person does with git in the checkout while agents work: everything that moves a line under their feet. */
export class PersonAtWork {
  /** Files of commits that stand, the colleague's included. */
  readonly files = new Map<string, string>();
  /** Subjects of those commits. */
  readonly subjects = new Set<string>();
  readonly did: Record<Deed, number> = { commits: 0, amends: 0, rebases: 0, drops: 0, pulls: 0, pushes: 0 };
  readonly #places: PersonsPlaces;
  readonly #chances: Seeded;
  #count = 0;

  constructor(places: PersonsPlaces, chances: Seeded) {
    this.#places = places;
    this.#chances = chances;
  }

  act(): Deed {
    const deed = this.#possible(this.#chances.oneOf(['commits', 'commits', 'amends', 'rebases', 'drops', 'pulls', 'pulls', 'pushes']));
    this.did[deed]++;
    const { checkout, second } = this.#places;
    switch (deed) {
      case 'commits':
        this.#commit(checkout, 'person');
        break;
      case 'amends':
        this.#add(checkout, 'person');
        run(checkout, 'commit', '--quiet', '--amend', '--no-edit');
        break;
      case 'rebases':
        run(checkout, 'rebase', '--quiet', '--force-rebase', `HEAD~${this.#chances.between(1, Math.min(4, this.#unpublished()))}`);
        break;
      case 'drops':
        for (const file of run(checkout, 'show', '--format=', '--name-only', 'HEAD').split('\n')) this.files.delete(file);
        this.subjects.delete(run(checkout, 'log', '-1', '--format=%s'));
        run(checkout, 'reset', '--quiet', '--keep', 'HEAD~1');
        break;
      case 'pulls':
        run(second, 'pull', '--quiet', '--rebase');
        this.#commit(second, 'colleague');
        run(second, 'push', '--quiet');
        run(checkout, 'pull', '--quiet', '--rebase');
        break;
      case 'pushes':
        run(checkout, 'pull', '--quiet', '--rebase');
        run(checkout, 'push', '--quiet');
        break;
    }
    return deed;
  }

  /** What is published is not rewritten, and of what is not published only a commit of the person's own is dropped. */
  #possible(wanted: Deed): Deed {
    switch (wanted) {
      case 'amends': case 'rebases':
        return this.#unpublished() > 0 ? wanted : 'commits';
      case 'drops':
        return this.#unpublished() > 0 && this.subjects.has(run(this.#places.checkout, 'log', '-1', '--format=%s')) ? wanted : 'commits';
      case 'commits': case 'pulls': case 'pushes':
        return wanted;
    }
  }

  #commit(where: string, who: string): void {
    const name = this.#add(where, who);
    const subject = `Work of ${name}`;
    run(where, 'commit', '--quiet', '-m', subject);
    this.subjects.add(subject);
  }

  #add(where: string, who: string): string {
    const name = `${who}/${++this.#count}.txt`;
    const text = `${name}\n`;
    mkdirSync(path.join(where, who), { recursive: true });
    writeFileSync(path.join(where, name), text);
    run(where, 'add', '--', name);
    this.files.set(name, text);
    return name;
  }

  #unpublished(): number {
    return Number(run(this.#places.checkout, 'rev-list', '--count', 'origin/main..HEAD'));
  }
}

/** Runs git as from a terminal, and gives what it printed without the last line end. */
export function run(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, env: quietGitEnvironment(), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, '');
}
