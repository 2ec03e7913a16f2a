import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { run } from './personAtWork.ts';
import { ANY_TEXT } from './tasks.ts';
import type { Row } from './window.child.ts';

/** What of a checkout no agent's change touches: each file by its content and time, and the person's stash, config and hooks. */
export interface Standing {
  readonly files: ReadonlyMap<string, string>;
  readonly stash: string;
  readonly config: string;
  readonly hooks: string;
}

export function standing(checkout: string): Standing {
  const files = new Map<string, string>();
  for (const entry of readdirSync(checkout, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(checkout, file);
    if (name.startsWith('.git/') || !entry.isFile()) continue;
    files.set(name, `${createHash('sha256').update(readFileSync(file)).digest('hex')} ${statSync(file).mtimeMs}`);
  }
  return {
    files,
    stash: run(checkout, 'stash', 'list', '--format=%H'),
    config: readFileSync(path.join(checkout, '.git/config'), 'utf8'),
    hooks: readdirSync(path.join(checkout, '.git'), { recursive: true, encoding: 'utf8' }).filter((name) => name.startsWith('hooks/')).join('\n'),
  };
}

export interface LineCheck {
  readonly checkout: string;
  readonly before: Standing;
  readonly rows: readonly Row[];
  /** Every file that the line must hold, and its text. */
  readonly files: ReadonlyMap<string, string>;
  /** Of the person's own commits that they have not dropped. */
  readonly subjects: ReadonlySet<string>;
}

/** Where the line or the checkout is not as it must be, in words. */
export function differences({ checkout, before, rows, files, subjects }: LineCheck): string[] {
  const wrong: string[] = [];
  const status = run(checkout, 'status', '--porcelain', '--ignored', '-z');
  if (status !== '?? thoughts.txt\0!! .env\0!! build/\0') wrong.push(`git status says ${JSON.stringify(status)}`);
  const held = new Set(run(checkout, 'ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0').filter((name) => name !== ''));
  for (const name of held) {
    const text = files.get(name);
    if (text === undefined) wrong.push(`the line holds ${name}, which nobody brought`);
    else if (text !== ANY_TEXT && readFileSync(path.join(checkout, name), 'utf8') !== text) wrong.push(`${name} is not what was accepted: ${JSON.stringify(readFileSync(path.join(checkout, name), 'utf8'))}`);
  }
  for (const name of files.keys()) if (!held.has(name)) wrong.push(`the line lacks ${name}`);

  const log = run(checkout, 'log', '--format=%s%x09%(trailers:key=Worldtree-Episode,valueonly,separator=%x2c)').split('\n').map((entry) => entry.split('\t'));
  for (const row of rows) {
    const own = log.filter(([, episode]) => episode === row.id).map(([subject = '']) => subject.startsWith('Undo: '));
    const [accepts, undos] = [own.filter((undo) => !undo).length, own.filter((undo) => undo).length];
    if (accepts !== row.accepts || undos !== row.undos) wrong.push(`${row.id} was accepted ${row.accepts} and undone ${row.undos} times, and the line has ${accepts} and ${undos} commits of it`);
  }
  for (const subject of subjects) {
    const times = log.filter(([found]) => found === subject).length;
    if (times !== 1) wrong.push(`"${subject}" stands ${times} times on the line`);
  }
  const strange = log.filter(([subject = '', episode]) => episode === '' && subject.startsWith('Work of ') && !subjects.has(subject));
  for (const [subject = ''] of strange) wrong.push(`"${subject}" is back, which the person had dropped`);

  const now = standing(checkout);
  for (const what of ['stash', 'config', 'hooks'] as const) if (now[what] !== before[what]) wrong.push(`the person's ${what} changed: ${before[what]} -> ${now[what]}`);
  const commits = new Map<string, number>();
  for (const name of run(checkout, 'log', '--name-only', '--no-renames', '--format=', '-z').split('\0')) commits.set(name, (commits.get(name) ?? 0) + 1);
  for (const [name, seen] of before.files) {
    // One commit brought it, or none, and so no commit since can have changed it.
    if ((commits.get(name) ?? 0) <= 1 && now.files.get(name) !== seen) wrong.push(`${name} was touched although no commit changed it`);
  }
  return wrong;
}
