import { statSync } from 'node:fs';
import { simpleGit } from 'simple-git';
import { absolutePath, folderPath } from '../../../core/ids.ts';
import type { AbsolutePath, FolderPath } from '../../../core/ids.ts';
import type { GitPlace } from '../door/door.ts';
import { CONFIG, gitEnvironment } from '../door/environment.ts';
import { GitFailure, failureKind } from '../door/failure.ts';

/** The oldest git that everything here was tried on: `merge-tree --write-tree` came with it. */
const OLDEST_GIT = [2, 38] as const;

interface Discovered extends GitPlace {
  /** The folder that was asked about, within the checkout. */
  readonly folder: FolderPath;
  /** The checkout that this one is a submodule of; null where it is none. */
  readonly superproject: AbsolutePath | null;
}

/**
 * The innermost repository that holds an absolute folder of the person's; null where there is none, or where it has no
 * checkout. The only place that lets git search, and never to be called for a worktree of ours (rule 11). Links are
 * resolved. Throws `GitFailure`: no git, one older than 2.38, a folder that is gone or belongs to somebody else.
 */
export async function discover(folder: string, signal?: AbortSignal): Promise<Discovered | null> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw new GitFailure('folder-missing', { args: ['rev-parse'] });
  const git = searchingGit(folder, signal);
  await checkVersion(git);
  const inWorkTree = await ask(git, signal, ['--is-inside-work-tree']);
  if (inWorkTree !== 'true') return null;
  // One question a call: a path may hold a newline, and then several answers could not be told apart.
  const answers: string[] = [];
  for (const question of ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--show-superproject-working-tree', '--show-prefix']) {
    const answer = await ask(git, signal, ['--path-format=absolute', question]);
    if (answer === null) return null;
    answers.push(answer);
  }
  const [checkout = '', gitDir = '', commonDir = '', superproject = '', prefix = ''] = answers;
  return {
    checkout: absolutePath.parse(checkout),
    gitDir: absolutePath.parse(gitDir),
    commonDir: absolutePath.parse(commonDir),
    superproject: superproject === '' ? null : absolutePath.parse(superproject),
    folder: folderPath.parse(prefix.replace(/\/$/, '')),
  };
}

type SearchingGit = ReturnType<typeof searchingGit>;

function searchingGit(folder: string, signal: AbortSignal | undefined) {
  const environment = gitEnvironment(process.env, { write: false });
  return simpleGit({
    baseDir: folder,
    config: [...CONFIG],
    timeout: { block: 20_000 },
    allowEnvironment: Object.keys(environment),
    // Opened for our own settings, all of which turn something off.
    unsafe: { allowUnsafeFsMonitor: true, allowUnsafeHooksPath: true, allowUnsafeDiffExternal: true, allowUnsafeConfigPaths: true },
    ...(signal === undefined ? {} : { abort: signal }),
  }).env(environment);
}

async function checkVersion(git: SearchingGit): Promise<void> {
  const args = ['version'];
  const version = await git.version().catch((error: unknown) => {
    throw new GitFailure('other', { args, stderr: String(error) }, { cause: error });
  });
  if (!version.installed) throw new GitFailure('git-missing', { args });
  const [major, minor] = OLDEST_GIT;
  if (version.major < major || (version.major === major && version.minor < minor)) {
    throw new GitFailure('git-too-old', { args, stderr: `git version ${version.major}.${version.minor}.${version.patch}` });
  }
}

/** Null where there is no repository. */
async function ask(git: SearchingGit, signal: AbortSignal | undefined, questions: readonly string[]): Promise<string | null> {
  const args = ['rev-parse', ...questions];
  try {
    return (await git.raw(args)).replace(/\r?\n$/, '');
  } catch (error) {
    if (signal?.aborted === true) throw new GitFailure('cancelled', { args }, { cause: error });
    const stderr = error instanceof Error ? error.message : String(error);
    const kind = failureKind(stderr);
    if (kind === 'not-a-repository') return null;
    throw new GitFailure(kind, { args, stderr }, { cause: error });
  }
}
