import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { quietGitEnvironment } from '../support/gitEnvironment.ts';

/** A repository whose one commit has about so many files: a monorepo of packages, each with some folders of text files. */
export function generateRepository(folder: string, files: number): void {
  mkdirSync(folder);
  git(folder, 'init', '--quiet', '--initial-branch=main', '--template=');
  const stream: string[] = ['commit refs/heads/main\ncommitter Test Person <person@example.test> 1700000000 +0000\ndata 5\nFirst\n'];
  for (let i = 0; i < files; i++) {
    const name = i === 0 ? 'README.md' : `packages/p${String(Math.floor(i / 200)).padStart(3, '0')}/src/part${Math.floor(i / 20) % 10}/file${i}.ts`;
    const text = contentOf(i);
    stream.push(`M 100644 inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, env: quietGitEnvironment(), input: stream.join('') });
  makePersons(folder);
}

/** A clone of somebody's repository, to be worked on in its stead. */
export function cloneRepository(folder: string, source: string): void {
  git(path.dirname(folder), 'clone', '--quiet', '--no-hardlinks', '--', source, folder);
  makePersons(folder);
}

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, env: quietGitEnvironment(), encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

function makePersons(folder: string): void {
  git(folder, 'config', 'user.name', 'Test Person');
  git(folder, 'config', 'user.email', 'person@example.test');
  git(folder, 'config', 'gc.auto', '0');
  git(folder, 'reset', '--quiet', '--hard');
  // What a repository in use has: packed objects, and an index that knows its files.
  git(folder, 'repack', '-adq');
  git(folder, 'status', '--porcelain');
}

/** About as long as source files are: mostly short, some of a few hundred lines. */
function contentOf(number: number): string {
  const lines = 10 + (number % 17) * 8 + (number % 101 === 0 ? 600 : 0);
  return Array.from({ length: lines }, (_, line) => `export const value${number}x${line} = ${(number * 31 + line * 17) % 9973};`).join('\n');
}
