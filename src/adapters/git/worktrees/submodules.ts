import { copyFile, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { absolutePath, commitId, filePath } from '../../../core/ids.ts';
import type { AbsolutePath, CommitId, FilePath } from '../../../core/ids.ts';
import { CHECKOUT_TIMEOUT_MS } from '../door/door.ts';
import type { CallOptions, GitDoor } from '../door/door.ts';
import { NEVER_ASKS } from '../door/environment.ts';
import { GitFailure } from '../door/failure.ts';
import { fields } from '../door/nulList.ts';
import { declaredSubmodules, remoteUrl, type DeclaredSubmodule } from './submoduleUrls.ts';
import { removeTree } from './trash.ts';
import type { WorktreeAccess } from './worktreeAccess.ts';

/** Milliseconds for what is missing of one submodule, over a slow line. */
const FETCH_TIMEOUT_MS = 15 * 60_000;
/** Which address is fetched from is the repository's word: `protocol.file.allow` and the like bind as in `git submodule update`. */
const FETCH_ENVIRONMENT = { ...NEVER_ASKS, GIT_PROTOCOL_FROM_USER: '0' } as const;
const ONLY_OBJECTS = ['--no-write-fetch-head', '--no-tags', '--no-auto-gc', '--no-recurse-submodules', '--no-progress', '--refmap='] as const;

export interface FilledSubmodules {
  /** Of the worktree's commit itself; one that is there stands for those in it. */
  readonly there: readonly FilePath[];
  /** Those that stay empty, also in others, and why. */
  readonly empty: readonly { readonly path: string; readonly words: string }[];
}

interface Filling {
  readonly door: GitDoor;
  readonly access: WorktreeAccess;
  readonly progress: (words: string) => void;
  readonly signal: AbortSignal;
  readonly empty: { readonly path: string; readonly words: string }[];
}

/** A commit with submodules, and where the person may have them already. */
interface Superproject {
  readonly gitDir: AbsolutePath;
  readonly commit: CommitId;
  readonly workTree: AbsolutePath;
  readonly url: string;
  /** Git folders of the person's: those of submodules lie in their `modules`. */
  readonly gitFolders: readonly string[];
  /** Checkouts of the person's: a submodule that was cloned by hand has its git folder there. */
  readonly checkouts: readonly string[];
}

interface Submodule extends DeclaredSubmodule {
  readonly path: string;
  readonly commit: CommitId;
}

/**
 * Checks out the submodules of a worktree's commit, and theirs. Without `git submodule`, which writes what it begins
 * into the common config. Each gets a git folder in the worktree's registration, so that it goes with that, and reads
 * what the person's own checkouts have; only what is missing there is fetched.
 */
export async function fillSubmodules(door: GitDoor, access: WorktreeAccess, commit: CommitId, { progress, signal }: Pick<Filling, 'progress' | 'signal'>): Promise<FilledSubmodules> {
  const { commonDir, gitDir, checkout } = door.place;
  const filling: Filling = { door, access, progress, signal, empty: [] };
  const there = await fillAll(filling, { gitDir: commonDir, commit, workTree: access.workTree, url: await remoteUrl(door, commonDir) ?? checkout, gitFolders: [...new Set([gitDir, commonDir])], checkouts: [checkout] });
  return { there: there.map((at) => filePath.parse(at)), empty: filling.empty };
}

/** What the agent is told of the submodules of its commit; `filled` is null where they are left. */
export function submoduleNotes(submodules: readonly string[], filled: FilledSubmodules | null): string[] {
  const there = filled?.there ?? [];
  const empty = filled === null ? submodules : filled.empty.map(({ path: at, words }) => `${at} (${words})`);
  return [
    ...(there.length === 0 ? [] : [`Submodules are repositories of their own: what is changed in these folders is in no proposed change: ${some(there)}.`]),
    ...(empty.length === 0 ? [] : [`Submodules are not checked out here, their folders are empty: ${some(empty)}.`]),
  ];
}

function some(names: readonly string[]): string {
  return names.length <= 20 ? names.join(', ') : `${names.slice(0, 20).join(', ')} and ${String(names.length - 20)} more`;
}

/** Gives the paths, from the top of the commit, of those that are there. */
async function fillAll(filling: Filling, parent: Superproject): Promise<string[]> {
  const [links, declared] = await Promise.all([gitlinks(filling, parent), declaredSubmodules(filling.door, parent)]);
  const there: string[] = [];
  for (const link of links) {
    filling.signal.throwIfAborted();
    const workTree = absolutePath.parse(path.join(parent.workTree, link.path));
    const own = declared.get(link.path);
    const leave = (words: string): number => filling.empty.push({ path: path.relative(filling.access.workTree, workTree).split(path.sep).join('/'), words });
    if (!(await isFolder(workTree))) leave('this worktree has not everything on disk');
    else if (own === undefined) leave('.gitmodules does not say where it comes from');
    else if (!own.wanted) leave('it is declared not to be checked out');
    else {
      try {
        await fillOne(filling, parent, { ...link, ...own }, workTree);
        there.push(link.path);
      } catch (error) {
        if (filling.signal.aborted || !(error instanceof GitFailure || error instanceof Lacking)) throw error;
        leave(error instanceof GitFailure ? error.refusal.message : error.message);
      }
    }
  }
  return there;
}

/** Thrown where a submodule's commit is nowhere to be had. */
class Lacking extends Error {}

async function fillOne(filling: Filling, parent: Superproject, submodule: Submodule, workTree: AbsolutePath): Promise<void> {
  const { door, access, progress, signal } = filling;
  const modules = path.join(access.gitDir, 'modules');
  await mkdir(modules, { recursive: true });
  // Numbered: a name of the repository's choosing could lie within another's git folder.
  const gitDir = absolutePath.parse(path.join(modules, String((await readdir(modules)).length + 1)));
  const inIt: CallOptions = { write: true, scope: access.workTree, gitDir, workTree, signal, config: [...access.config, 'core.sparseCheckout=false'], timeoutMs: CHECKOUT_TIMEOUT_MS };
  const persons = await personsGitFolders(parent, submodule);
  try {
    await door.run(['init', '--quiet', '--template=', `--object-format=${submodule.commit.length === 64 ? 'sha256' : 'sha1'}`], inIt);
    await borrowObjects(gitDir, persons);
    if (!(await has(filling, gitDir, submodule.commit))) {
      progress(`fetching the submodule ${submodule.path}`);
      await fetchCommit(filling, gitDir, submodule);
    }
    progress(`checking out the submodule ${submodule.path}`);
    await door.run(['update-ref', '--no-deref', 'HEAD', submodule.commit], inIt);
    await door.run(['config', 'remote.origin.url', submodule.url], inIt);
    await door.run(['read-tree', '--reset', '-u', submodule.commit], inIt);
    await writeFile(path.join(workTree, '.git'), `gitdir: ${gitDir}\n`, { flag: 'wx' });
  } catch (error) {
    for (const name of await readdir(workTree)) await removeTree(path.join(workTree, name));
    await rm(gitDir, { recursive: true, force: true });
    throw error;
  }
  await fillAll(filling, { gitDir, commit: submodule.commit, workTree, url: submodule.url, gitFolders: persons, checkouts: parent.checkouts.map((at) => path.join(at, submodule.path)) });
}

async function gitlinks({ door, signal }: Filling, { gitDir, commit }: Superproject): Promise<{ readonly path: string; readonly commit: CommitId }[]> {
  const { stdout } = await door.run(['ls-tree', '-r', '-z', '--full-tree', commit], { write: false, gitDir, signal });
  return fields(stdout).flatMap((entry) => {
    const tab = entry.indexOf('\t');
    const [mode = '', , object = ''] = entry.slice(0, tab).split(' ');
    return mode === '160000' ? [{ path: entry.slice(tab + 1), commit: commitId.parse(object) }] : [];
  });
}

async function personsGitFolders({ gitFolders, checkouts }: Superproject, { name, path: at }: Submodule): Promise<string[]> {
  const likely = [...gitFolders.map((folder) => path.join(folder, 'modules', name)), ...checkouts.map((checkout) => path.join(checkout, at, '.git'))];
  const there = await Promise.all(likely.map((folder) => isFolder(path.join(folder, 'objects'))));
  return likely.filter((_, i) => there[i]);
}

/** Objects are read where they are, nothing else of those folders is: their config and hooks are not ours to follow. */
async function borrowObjects(gitDir: string, folders: readonly string[]): Promise<void> {
  await writeFile(path.join(gitDir, 'objects', 'info', 'alternates'), folders.map((folder) => `${path.join(folder, 'objects')}\n`).join(''));
  // Of a shallow clone the history ends where it says so; without that file, git would take it for damaged.
  for (const folder of folders) await copyFile(path.join(folder, 'shallow'), path.join(gitDir, 'shallow')).catch(() => undefined);
}

async function fetchCommit(filling: Filling, gitDir: AbsolutePath, { url, commit }: Submodule): Promise<void> {
  const fetch = (...refs: string[]): Promise<unknown> => filling.door.run(['fetch', ...ONLY_OBJECTS, '--', url, ...refs], {
    write: false, gitDir, signal: filling.signal, env: FETCH_ENVIRONMENT, timeoutMs: FETCH_TIMEOUT_MS, config: ['fetch.writeCommitGraph=false'],
  });
  try {
    await fetch(commit);
  } catch (error) {
    // Some servers give only what a branch points to; whatever else stands in the way would do so again.
    if (!(error instanceof GitFailure) || error.kind !== 'other') throw error;
    await fetch('+refs/heads/*:refs/remotes/origin/*');
  }
  if (!(await has(filling, gitDir, commit))) throw new Lacking(`${url} does not have its commit ${commit.slice(0, 7)}`);
}

async function has({ door, signal }: Filling, gitDir: AbsolutePath, commit: CommitId): Promise<boolean> {
  return (await door.run(['cat-file', '-e', `${commit}^{commit}`], { write: false, gitDir, signal, allowExit: [1, 128] })).exitCode === 0;
}

async function isFolder(at: string): Promise<boolean> {
  return (await lstat(at).catch(() => null))?.isDirectory() ?? false;
}
