import { rm } from 'node:fs/promises';
import type { CommitId, EpisodeId, RefName } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import type { GitDoor } from '../door/door.ts';
import { HARNESS_IDENTITY } from '../reading/identity.ts';
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
  const options = { ...access, env, write: true, scope: access.workTree, timeoutMs: 10 * 60_000, priority: 'background' } as const;
  // A window that was killed here leaves both, and with the lock no later one could save.
  await Promise.all([index, `${index}.lock`].map((file) => rm(file, { force: true })));
  await door.run(request.commit === null ? ['read-tree', '--empty'] : ['read-tree', request.commit], options);
  const { nestedRepositories, untracked } = await worktreeStatus(door, access, { ignored: false, env });
  const brought = untracked.filter((file) => isBrought(file, request.brought));
  // `add` starts git inside a tracked submodule's folder, with whatever config an agent put there (rule 11).
  const submodules = (await door.run(['ls-files', '-s', '-z'], { ...options, write: false })).stdout.toString('utf8').split('\0').filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const paths = ['.', ...[...nestedRepositories, ...brought, ...submodules].map((left) => `:(exclude,literal,top)${left}`)];
  const added = await door.run(['add', '--all', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'], { ...options, stdin: paths.join('\0'), allowExit: [1] });
  // A file that could not be read is in no ref, and would go with its worktree.
  if (added.exitCode !== 0) throw new Refused({ reason: 'worktree-failed', message: `Files of ${access.workTree} cannot be saved, so it stays where it is: ${added.stderr.trim().split('\n', 1)[0] ?? ''}`, next: 'Make these files readable or take them out of the folder, then try again.' });
  return (await door.run(['write-tree'], { ...options, write: false })).stdout.toString('utf8').trim();
}
