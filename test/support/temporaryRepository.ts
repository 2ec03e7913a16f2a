import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quietGitEnvironment } from './gitEnvironment.ts';
import { makeTemporaryFolder, removeFolder } from './temporaryFolder.ts';

/** What a file should be: its text or bytes, the same with a mode, or a link; `null` removes it. */
type FileSpec = string | Uint8Array | { readonly content: string | Uint8Array; readonly mode: number } | { readonly symlink: string } | null;
export type FileTree = Readonly<Record<string, FileSpec>>;

export interface TemporaryRepository {
  readonly folder: string;
  /** Runs git here, without the machine's configuration, and returns what it printed, without the last line end. */
  git(...args: readonly string[]): string;
  write(files: FileTree): void;
  /** Writes the files, commits everything and returns the commit. */
  commit(message: string, files?: FileTree): string;
  remove(): void;
}

/** A git repository on branch `main` whose first commit holds `files`; without files it has no commit. `name` is what an editor shows as the folder's name. */
export function makeTemporaryRepository(files: FileTree = {}, name = 'project', parent = makeTemporaryFolder('repository')): TemporaryRepository {
  const folder = path.join(parent, name);
  mkdirSync(folder);
  const git = (...args: readonly string[]): string => runGit(folder, args);
  const write = (tree: FileTree): void => writeFiles(folder, tree);
  const commit = (message: string, tree: FileTree = {}): string => {
    write(tree);
    git('add', '--all');
    git('-c', 'user.name=Test Person', '-c', 'user.email=person@example.test', 'commit', '--quiet', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch=main', '--template=');
  git('config', 'gc.auto', '0');
  if (Object.keys(files).length > 0) commit('First commit', files);
  return { folder, git, write, commit, remove: () => removeFolder(parent) };
}

function runGit(cwd: string, args: readonly string[]): string {
  return execFileSync('git', args, { cwd, env: quietGitEnvironment(), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, '');
}

export function writeFiles(folder: string, tree: FileTree): void {
  for (const [name, spec] of Object.entries(tree)) {
    const file = path.join(folder, name);
    if (spec === null) {
      rmSync(file, { recursive: true, force: true });
      continue;
    }
    mkdirSync(path.dirname(file), { recursive: true });
    if (typeof spec === 'string' || spec instanceof Uint8Array) {
      writeFileSync(file, spec);
    } else if ('symlink' in spec) {
      rmSync(file, { force: true });
      symlinkSync(spec.symlink, file);
    } else {
      writeFileSync(file, spec.content);
      chmodSync(file, spec.mode);
    }
  }
}
