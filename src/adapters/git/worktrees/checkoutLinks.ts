import { readlink } from 'node:fs/promises';
import path from 'node:path';
import type { FilePath } from '../../../core/ids.ts';
import type { GitPlace } from '../door/door.ts';

/** The opened checkout, and the main one where that is a linked worktree. */
export function checkoutsOf({ checkout, commonDir }: GitPlace): readonly string[] {
  return path.basename(commonDir) === '.git' ? [...new Set<string>([checkout, path.dirname(commonDir)])] : [checkout];
}

/** Those of the names that are links to the very same place in a checkout, with that place. */
export async function checkoutLinks(worktree: string, checkouts: readonly string[], names: readonly FilePath[]): Promise<ReadonlyMap<FilePath, string>> {
  const found = await Promise.all(names.map(async (name): Promise<readonly [FilePath, string][]> => {
    const target = await readlink(path.join(worktree, name)).catch(() => null);
    if (target === null) return [];
    const absolute = path.resolve(path.dirname(path.join(worktree, name)), target);
    return checkouts.some((checkout) => path.join(checkout, name) === absolute) ? [[name, absolute]] : [];
  }));
  return new Map(found.flat());
}
