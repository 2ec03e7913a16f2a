import { readdirSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { RunRepositoryCommand } from '../../../src/adapters/commands/repositoryCommand.ts';
import { runCommand } from '../../../src/adapters/commands/runCommand.ts';
import { GitDoor } from '../../../src/adapters/git/door/door.ts';
import { discover } from '../../../src/adapters/git/reading/discovery.ts';
import { GitRepository } from '../../../src/adapters/git/reading/repository.ts';
import { GitWorktrees } from '../../../src/adapters/git/worktrees/worktrees.ts';
import type { AbsolutePath, CommitId, EpisodeId, FilePath, FolderPath } from '../../../src/core/ids.ts';
import { Refused } from '../../../src/core/refusal.ts';
import { EVERYTHING } from '../../../src/core/world/extent.ts';
import type { PrepareRequest } from '../../../src/runtime/ports/worktrees.ts';
import { quietGitEnvironment } from '../../support/gitEnvironment.ts';

/** Our own git calls in this process see no configuration of the machine either. */
export function isolateGit(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) Reflect.deleteProperty(process.env, name);
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM } = quietGitEnvironment();
  Object.assign(process.env, { GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM });
}

export async function openRepository(folder: string, root?: string, submodules: 'leave' | 'init' = 'leave', run: RunRepositoryCommand = runCommand) {
  const place = await discover(folder);
  if (place === null) throw new Error(`no repository at ${folder}`);
  const door = new GitDoor(place);
  const repository = new GitRepository(door);
  const worktrees = new GitWorktrees(door, { root: (root ?? `${folder}.worktrees`) as AbsolutePath, submodules: () => submodules, run });
  const close = async (): Promise<void> => {
    await worktrees.close();
    await repository.close();
  };
  return { place, door, repository, worktrees, close };
}

export function preparation(episode: string, commit: string, more: Partial<PrepareRequest> = {}): PrepareRequest {
  return { episode: episode as EpisodeId, commit: commit as CommitId, extent: EVERYTHING, setup: null, signal: new AbortController().signal, progress: () => undefined, mayRun: () => Promise.resolve(true), ...more };
}

/** Every file, link and folder below, with bytes, mode and times: equal only where nothing was touched, git's folder included. */
export function photograph(folder: string): Record<string, string> {
  const seen: Record<string, string> = {};
  const walk = (at: string): void => {
    for (const name of readdirSync(at).sort()) {
      const file = path.join(at, name);
      const found = lstatSync(file);
      const relative = path.relative(folder, file);
      if (found.isDirectory()) walk(file);
      else seen[relative] = `${found.mode.toString(8)} ${found.mtimeMs} ${found.isSymbolicLink() ? readlinkSync(file) : readFileSync(file).toString('base64')}`;
    }
  };
  walk(folder);
  return seen;
}

export async function refusalOf(promise: Promise<unknown>): Promise<Refused> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

export const file = (path: string): FilePath => path as FilePath;
export const folder = (path: string): FolderPath => path as FolderPath;
export const episode = (id: string): EpisodeId => id as EpisodeId;
export const commit = (id: string): CommitId => id as CommitId;
export const absolute = (path: string): AbsolutePath => path as AbsolutePath;
