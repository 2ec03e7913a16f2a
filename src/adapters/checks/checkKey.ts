import { createHash } from 'node:crypto';
import { isLockFile } from '../../core/candidate/companions.ts';
import type { Constraint } from '../../core/constraints/constraint.ts';
import type { CommitId, FilePath, TreeId } from '../../core/ids.ts';
import type { Setup } from '../../runtime/ports/worktrees.ts';
import type { GitDoor } from '../git/door/door.ts';
import { fields } from '../git/door/nulList.ts';

/** What decides the outcome of a constraint on a tree; its name, paths and whether it is required do not. */
export function definitionKey({ run, timeoutMs }: Pick<Constraint, 'run' | 'timeoutMs'>): string {
  return hash({ run, timeoutMs });
}

/** What prepares a check worktree: the setup script, the files to copy in, and the dependencies that it would install. */
export async function setupKey(git: GitDoor, tree: TreeId | CommitId, setup: Setup | null): Promise<string> {
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree], { write: false });
  const files = fields(stdout).filter((line) => {
    const name = line.slice(line.indexOf('\t') + 1) as FilePath;
    return isLockFile(name) || /(?:^|\/)requirements[^/]*\.txt$/.test(name);
  });
  return hash({ setup, files });
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
