import type { BlobId, CommitId, FilePath } from '../../../core/ids.ts';
import type { GitCalls } from '../door/door.ts';
import { fields } from '../door/nulList.ts';
import type { Entry } from '../reading/treeEntries.ts';

/** One path that a move of a line changes. Renames are two: both paths are touched. */
export interface LineChange {
  readonly path: FilePath;
  readonly old: Entry | null;
  readonly new: Entry | null;
}

export async function changesBetween(git: GitCalls, from: CommitId, to: CommitId): Promise<LineChange[]> {
  const { stdout } = await git.run(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--ignore-submodules=none', from, to], { write: false });
  const lines = fields(stdout);
  const changes: LineChange[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (lines[i] ?? '').slice(1).split(' ');
    changes.push({ path: lines[i + 1] as FilePath, old: entry(oldMode, oldId), new: entry(newMode, newId) });
  }
  return changes;
}

function entry(mode: string, object: string): Entry | null {
  return /^0+$/.test(mode) ? null : { mode, object: object as BlobId };
}

export function sameEntry(a: Entry | null | undefined, b: Entry | null | undefined): boolean {
  return a?.mode === b?.mode && a?.object === b?.object;
}
