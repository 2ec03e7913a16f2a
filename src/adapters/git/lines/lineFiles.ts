import type { CommitId } from '../../../core/ids.ts';
import type { CheckoutIndex } from './checkoutIndex.ts';
import type { GitCalls } from '../door/door.ts';
import { GitFailure, failureKind } from '../door/failure.ts';
import type { MoveFolder } from './moveFolder.ts';

/**
 * Brings the checkout's files and the copy of its index from `from` to `to`. Other staged and changed files stay.
 * Throws `GitFailure`; files may then be half changed, and `restoreFiles` puts them back.
 */
export async function updateFiles(git: GitCalls, index: CheckoutIndex, from: CommitId, to: CommitId, folder: MoveFolder, signal: AbortSignal): Promise<void> {
  const args = ['read-tree', '-m', '-u', '--no-recurse-submodules', from, to];
  const { top, gitDir } = index.checkout;
  const held = git.hold(args, { write: true, gitDir, workTree: top, env: { GIT_INDEX_FILE: index.file }, signal });
  if (held.pid !== undefined) await folder.noteProcess(held.pid);
  const { exitCode, stderr } = await held.close();
  if (exitCode !== 0) throw new GitFailure(signal.aborted ? 'cancelled' : failureKind(stderr), { args, exitCode, stderr });
}
