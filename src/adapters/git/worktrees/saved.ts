import { rm } from 'node:fs/promises';
import type { CommitId, EpisodeId, FilePath, RefName } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import type { GitDoor } from '../door/door.ts';
import { HARNESS_IDENTITY } from '../reading/identity.ts';
import { nulTerminated } from '../door/nulList.ts';
import { Absence, leftOutBy } from './sparseCheckout.ts';
import { isBrought } from './worktreeAccess.ts';
import type { WorktreeAccess } from './worktreeAccess.ts';
import { worktreeStatus } from './worktreeFiles.ts';

interface SaveRequest {
  readonly episode: EpisodeId;
  /** What the worktree was made at; null where that is not known any more. */
  readonly commit: CommitId | null;
  readonly brought: ReadonlySet<string>;
}

/**
 * Keeps what stands in a worktree that is about to go: a commit at `refs/worldtree/episodes/<id>/saved`, unless one of
 * the episode's refs or the commit itself has just these files. Throws where it cannot be kept; the worktree must stay then.
 */
export async function saveFiles(door: GitDoor, access: WorktreeAccess, request: SaveRequest): Promise<CommitId | null> {
  const index = `${access.workTree}.saved-index`;
  try {
    const tree = await treeOfFiles(door, access, request, index);
    const prefix = `refs/worldtree/episodes/${request.episode}`;
    const refs = (await door.text(['for-each-ref', '--format=%(tree) %(objectname) %(refname)', prefix])).split('\n').map((line) => line.split(' '));
    const known = request.commit === null ? [] : [await door.text(['rev-parse', '--verify', `${request.commit}^{tree}`])];
    if ([...known, ...refs.map(([refTree]) => refTree)].includes(tree)) return null;
    const ref = `${prefix}/saved` as RefName;
    // An earlier life of the same episode may have been saved: it stays reachable.
    const earlier = refs.find(([, , name]) => name === ref)?.[1];
    const parents = [request.commit, earlier].filter((parent) => parent !== null && parent !== undefined).flatMap((parent) => ['-p', parent]);
    const commit = await door.run(['commit-tree', '--no-gpg-sign', '-F', '-', ...parents, tree], { write: false, stdin: `Files of ${request.episode} that were in no proposed change\n`, env: HARNESS_IDENTITY });
    const id = commit.stdout.toString('utf8').trim() as CommitId;
    await door.run(['update-ref', '--no-deref', ref, id], { write: true });
    return id;
  } finally {
    await rm(index, { force: true });
  }
}

/** Through an index of its own, made anew: the worktree's could hide files. */
async function treeOfFiles(door: GitDoor, access: WorktreeAccess, request: SaveRequest, index: string): Promise<string> {
  const env = { GIT_INDEX_FILE: index };
  // What is left out is marked below, by what is on disk; patterns would keep new files outside of them from being added.
  const withoutPatterns = { ...access, config: [...access.config, 'core.sparseCheckout=false'] };
  const options = { ...withoutPatterns, env, write: true, scope: access.workTree, timeoutMs: 10 * 60_000, priority: 'background' } as const;
  // A window that was killed here leaves both, and with the lock no later one could save.
  await Promise.all([index, `${index}.lock`].map((file) => rm(file, { force: true })));
  const from = access.sparse?.commit ?? request.commit;
  await door.run(from === null ? ['read-tree', '--empty'] : ['read-tree', from], options);
  const entries = (await door.run(['ls-files', '-s', '-z'], { ...options, write: false })).stdout.toString('utf8').split('\0').filter((entry) => entry !== '').map((entry) => ({ mode: entry.slice(0, 6), path: entry.slice(entry.indexOf('\t') + 1) as FilePath }));
  const leftOut = await leftOutOf(access, entries);
  if (leftOut.length > 0) await door.run(['update-index', '-z', '--skip-worktree', '--stdin'], { ...options, stdin: nulTerminated(leftOut) });
  const { nestedRepositories, untracked } = await worktreeStatus(door, withoutPatterns, { ignored: false, env });
  const brought = untracked.filter((file) => isBrought(file, request.brought));
  // `add` starts git inside a tracked submodule's folder, with whatever config an agent put there (rule 11).
  const submodules = entries.filter((entry) => entry.mode === '160000').map((entry) => entry.path);
  const paths = ['.', ...[...nestedRepositories, ...brought, ...submodules].map((left) => `:(exclude,literal,top)${left}`)];
  const added = await door.run(['add', '--all', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'], { ...options, stdin: paths.join('\0'), allowExit: [1] });
  // A file that could not be read is in no ref, and would go with its worktree.
  if (added.exitCode !== 0) throw new Refused({ reason: 'worktree-failed', message: `Files of ${access.workTree} cannot be saved, so it stays where it is: ${added.stderr.trim().split('\n', 1)[0] ?? ''}`, next: 'Make these files readable or take them out of the folder, then try again.' });
  return (await door.run(['write-tree'], { ...options, write: false })).stdout.toString('utf8').trim();
}

/** Files of the commit that were never checked out here: that they are not on disk is no deletion. */
async function leftOutOf({ sparse, workTree }: WorktreeAccess, entries: readonly { readonly mode: string; readonly path: FilePath }[]): Promise<readonly FilePath[]> {
  if (sparse === null) return [];
  const isLeftOut = leftOutBy(sparse);
  const absence = new Absence(workTree);
  const leftOut: FilePath[] = [];
  for (const entry of entries) if (isLeftOut(entry) && await absence.isAbsent(entry.path)) leftOut.push(entry.path);
  return leftOut;
}
