import type { BlobId, CommitId, TreeId } from '../../../core/ids.ts';
import { hasGitComponent } from '../../../core/paths.ts';
import { Refused } from '../../../core/refusal.ts';
import type { Candidates, CommitRequest } from '../../../runtime/ports/candidates.ts';
import type { GitDoor } from '../door/door.ts';
import { HARNESS_IDENTITY } from '../reading/identity.ts';
import { TreeMerges } from './treeMerges.ts';
import type { MergeCalls } from './treeMerges.ts';
import { exists } from './nestedRepositories.ts';
import { onIndex, setEntries, withPrivateIndex, writeTree } from './privateIndex.ts';
import type { IndexChange } from './privateIndex.ts';
import { stageWorktree } from './snapshot.ts';
import type { GitRepository } from '../reading/repository.ts';
import { entriesAt } from '../reading/treeEntries.ts';

/** `reading` is the views' own too, so that a snapshot and a view never disagree about a difference. */
export function createCandidates(git: GitDoor, reading: Pick<GitRepository, 'diff' | 'read' | 'treeOf'>): Candidates {
  const merges = new TreeMerges(reading);
  return {
    async snapshot(request) {
      const staged = await stageWorktree(git, request).catch(async (error: unknown) => {
        // Told apart from a checkout that is gone: there, the worktree may still hold everything.
        if (await exists(request.worktree) || !(await exists(git.place.commonDir))) throw error;
        throw new Refused({ reason: 'worktree-gone', message: 'The agent’s worktree is gone: its folder does not exist any more.', next: 'Delegate the folder again.' }, { cause: error });
      });
      return { ...staged, changed: await reading.diff(request.base, staged.tree) };
    },

    async pick(base, tree, paths) {
      const entries = await entriesAt(git, tree, paths);
      return changedTree(git, base, paths.map((path) => ({ path, entry: entries.get(path) ?? null })));
    },

    commit: (request) => commitWithRef(git, request),

    async withFile(tree, path, bytes) {
      if (hasGitComponent(path)) throw new Refused({ reason: 'outside-scope', message: `${path} would be part of a git folder.`, next: 'Choose another name.', files: [path] });
      const before = (await entriesAt(git, tree, [path])).get(path);
      if (before?.mode === '160000') throw new Refused({ reason: 'wrong-state', message: `${path} is a submodule, which has no text to edit.`, next: 'Change the submodule in its own repository.', files: [path] });
      if (bytes === null) return changedTree(git, tree, [{ path, entry: null }]);
      // No filters: what the diff shows is the blob, so what it saves is the blob.
      const { stdout } = await git.run(['hash-object', '-w', '--no-filters', '--stdin'], { write: false, stdin: bytes });
      return changedTree(git, tree, [{ path, entry: { mode: before?.mode ?? '100644', object: stdout.toString('utf8').trim() as BlobId } }]);
    },

    merge: (base, ours, theirs) => merges.merge(git, { base, ours, theirs }),

    mergeAhead: (base, ours, theirs, signal) => merges.merge(inBackground(git, signal), { base, ours, theirs }),
  };
}

/** The door for calls that give way to all others. */
function inBackground(git: GitDoor, signal: AbortSignal): MergeCalls {
  return { place: git.place, run: (args, options) => git.run(args, { ...options, priority: 'background', signal }), hold: (args, options) => git.hold(args, options) };
}

async function changedTree(git: GitDoor, from: CommitId | TreeId, changes: readonly IndexChange[]): Promise<TreeId> {
  return withPrivateIndex(async (index) => {
    await git.run(['read-tree', from], onIndex(index));
    await setEntries(git, onIndex(index), changes, '0'.repeat(from.length));
    return writeTree(git, index);
  });
}

async function commitWithRef(git: GitDoor, { tree, parent, message, ref }: CommitRequest): Promise<CommitId> {
  if (!ref.startsWith('refs/worldtree/')) throw new Error(`a candidate's ref is never ${ref} (rule 3)`);
  const made = await git.run(['commit-tree', '--no-gpg-sign', '-p', parent, '-F', '-', tree], { write: false, stdin: message, env: HARNESS_IDENTITY, config: ['i18n.commitEncoding=UTF-8'] });
  const commit = made.stdout.toString('utf8').trim() as CommitId;
  await git.run(['update-ref', ref, commit], { write: true, gitDir: git.place.commonDir, env: HARNESS_IDENTITY });
  return commit;
}

