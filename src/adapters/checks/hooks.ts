import { access as mayAccess, constants, cp } from 'node:fs/promises';
import path from 'node:path';
import type { CommitId, FilePath, TreeId } from '../../core/ids.ts';
import type { HookResult } from '../../runtime/ports/checks.ts';
import type { RunRepositoryCommand } from '../commands/repositoryCommand.ts';
import { onDisk } from '../git/lines/diskEntry.ts';
import type { GitDoor } from '../git/door/door.ts';
import { fields, nulTerminated } from '../git/door/nulList.ts';
import { foldersBeside } from '../sandbox/besideWorktree.ts';
import { onIndex, withPrivateIndex } from '../git/candidates/privateIndex.ts';
import { personsHooksPath } from '../git/reading/hooksPath.ts';
import { removeTree } from '../git/worktrees/trash.ts';
import type { WorktreeAccess } from '../git/worktrees/worktreeAccess.ts';
import { runForEvidence } from './evidenceCommand.ts';
import { makeHookRepository, messageOf, stagedTree } from './hookRepository.ts';

type HookName = 'pre-commit' | 'commit-msg';
const HOOKS: readonly HookName[] = ['pre-commit', 'commit-msg'];

/** Milliseconds: a pre-commit that runs a test suite is slow, one that waits for a person never ends. */
const HOOK_TIMEOUT_MS = 10 * 60_000;

/** Where the person's git looks for hooks: `relative` to the top of the worktree that is committed from. */
type HooksFolder = { readonly kind: 'absolute'; readonly folder: string } | { readonly kind: 'relative'; readonly folder: string };

interface FoundHook {
  readonly name: HookName;
  /** As it is shown to the person. */
  readonly shown: string;
}

async function hooksFolder(git: GitDoor): Promise<HooksFolder> {
  const configured = await personsHooksPath(git);
  if (configured === undefined) return { kind: 'absolute', folder: path.join(git.place.commonDir, 'hooks') };
  return path.isAbsolute(configured) ? { kind: 'absolute', folder: configured } : { kind: 'relative', folder: path.posix.normalize(configured.replaceAll('\\', '/')).replace(/\/$/, '') };
}

/** The hooks that git would run for a commit of the person's: there, and executable. */
export async function findHooks(git: GitDoor): Promise<FoundHook[]> {
  const where = await hooksFolder(git);
  const folder = where.kind === 'absolute' ? where.folder : path.join(git.place.checkout, where.folder);
  const found: FoundHook[] = [];
  for (const name of HOOKS) {
    if (await isExecutable(path.join(folder, name))) found.push({ name, shown: where.kind === 'relative' ? `${where.folder}/${name}` : path.join(where.folder, name) });
  }
  return found;
}

interface HookRun {
  readonly access: WorktreeAccess;
  readonly tip: CommitId;
  readonly tree: TreeId;
  readonly message: string;
  readonly hooks: readonly FoundHook[];
  /** What lies at the worktree's top besides the files of the tree. */
  readonly brought: readonly FilePath[];
  readonly run: RunRepositoryCommand;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly progress: (words: string) => void;
}

/** Runs hooks in a check worktree whose index and files hold the tree, as `git commit` on top of the tip would. */
export async function runHooksIn(git: GitDoor, run: HookRun): Promise<HookResult> {
  const { access, tip } = run;
  await git.run(['update-ref', '--no-deref', 'HEAD', tip], { ...access, write: true, scope: access.workTree });
  const where = await hooksFolder(git);
  if (where.kind === 'relative') await bringHooks(git, run, where.folder);
  const { scratch } = await foldersBeside(access.workTree, 'own');
  const repository = await makeHookRepository(git, scratch, { tip, index: path.join(access.gitDir, 'index'), message: run.message });
  for (const hook of run.hooks) {
    run.progress(`running the ${hook.name} hook`);
    const args = hook.name === 'commit-msg' ? ['--', repository.messageFile] : [];
    // Git itself, with the person's config, not the door's: which hook runs and how is exactly what is asked for here.
    const result = await runForEvidence(run.run, {
      run: { kind: 'program', file: 'git', args: ['-c', `core.hooksPath=${where.folder}`, `--git-dir=${repository.gitDir}`, `--work-tree=${access.workTree}`, 'hook', 'run', '--ignore-missing', hook.name, ...args] },
      folder: access.workTree,
      environment: { ...run.environment, GIT_INDEX_FILE: path.join(repository.gitDir, 'index'), GIT_EDITOR: ':', GIT_PREFIX: '' },
      timeoutMs: HOOK_TIMEOUT_MS,
      signal: run.signal,
      purpose: 'hook', worktree: access.workTree, caches: 'own', brought: run.brought,
      ...(where.kind === 'absolute' ? { needs: [where.folder] } : {}),
    });
    if (result.result === 'timed-out') return { kind: 'failed', hook: hook.name, output: `${result.output}\nIt was ended after ${HOOK_TIMEOUT_MS / 60_000} minutes.` };
    if (result.result !== 'passed') return { kind: 'failed', hook: hook.name, output: result.output };
    const tree = await stagedTree(git, repository, run.tree);
    if (tree !== run.tree) return { kind: 'changed-tree', tree, hook: hook.name };
  }
  const message = await messageOf(repository).catch(() => null);
  return message === null ? { kind: 'failed', hook: 'commit-msg', output: 'It left no message that can be read.' } : { kind: 'passed', message };
}

/**
 * Hooks that the repository carries run as they are at the tip, not as the candidate has them (rule 5). What such a folder
 * holds besides, ignored (husky generates it), comes from the person's checkout.
 */
async function bringHooks(git: GitDoor, run: HookRun, folder: string): Promise<void> {
  const { access, tip } = run;
  // Husky's config names `.husky/_`, whose scripts call those beside it.
  const root = path.posix.basename(folder) === '_' ? path.posix.dirname(folder) : folder;
  if (root.startsWith('../') || root === '..') return;
  const [atTip, inTree] = await Promise.all([namesBelow(git, tip, root), namesBelow(git, run.tree, root)]);
  for (const name of inTree) {
    if (!atTip.has(name) && (await onDisk(access.workTree, name)).kind === 'entry') await removeTree(path.join(access.workTree, name));
  }
  await withPrivateIndex(async (index) => {
    await git.run(['read-tree', tip], onIndex(index));
    await git.run(['checkout-index', '-f', '-z', '--stdin'], onIndex(index, { gitDir: access.gitDir, workTree: access.workTree, config: access.config, stdin: nulTerminated([...atTip]) }));
  });
  const generated = path.join(git.place.checkout, folder);
  if ((await onDisk(access.workTree, folder as FilePath)).kind === 'absent' && await isReadable(generated)) {
    await cp(generated, path.join(access.workTree, folder), { recursive: true, verbatimSymlinks: true });
  }
}

async function namesBelow(git: GitDoor, tree: CommitId | TreeId, folder: string): Promise<Set<FilePath>> {
  const { stdout } = await git.run(['--literal-pathspecs', 'ls-tree', '-r', '-z', '--name-only', '--full-tree', tree, '--', ...(folder === '.' ? [] : [folder])], { write: false });
  return new Set(fields(stdout) as FilePath[]);
}

async function isExecutable(file: string): Promise<boolean> {
  return mayAccess(file, process.platform === 'win32' ? constants.R_OK : constants.X_OK).then(() => true, () => false);
}

async function isReadable(file: string): Promise<boolean> {
  return mayAccess(file, constants.R_OK).then(() => true, () => false);
}
