import type { AbsolutePath } from '../../core/ids.ts';
import { linkedCheckouts, realPath } from './checkouts.ts';

/**
 * The git folder of a linked worktree, `<common>/worktrees/<name>`, found from the registrations and never from the
 * worktree's own `.git`, which an agent can replace (rule 11). Null where no registration names the worktree.
 */
export async function adminFolderOf(commonDir: AbsolutePath, worktree: AbsolutePath): Promise<AbsolutePath | null> {
  const wanted = await realPath(worktree);
  for (const linked of await linkedCheckouts({ commonDir })) {
    if (linked.checkout === worktree || await realPath(linked.checkout) === wanted) return linked.gitDir;
  }
  return null;
}
