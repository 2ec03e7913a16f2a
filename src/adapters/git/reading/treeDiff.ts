import type { ChangedFile } from '../../../core/candidate/candidate.ts';
import { blobId, filePath } from '../../../core/ids.ts';
import type { BlobId } from '../../../core/ids.ts';

/** What `parseTreeDiff` reads: both sides of renames and copies, full ids, counts, and nothing of the repository's run. */
export const TREE_DIFF_ARGUMENTS: readonly string[] = ['diff-tree', '-r', '-z', '--raw', '--numstat', '--no-abbrev', '-M', '-C', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none'];

const SUBMODULE = '160000';

/** Reads the output of `diff-tree` with the arguments above, in git's order. */
export function parseTreeDiff(output: Buffer): ChangedFile[] {
  const fields = output.toString('utf8').split('\0');
  const entries: RawEntry[] = [];
  const lines = new Map<string, ChangedFile['lines']>();
  let at = 0;
  const next = (): string => fields[at++] ?? '';
  while (at < fields.length - 1) {
    const field = next();
    if (field.startsWith(':')) {
      const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = field.slice(1).split(' ');
      const first = next();
      const two = status.startsWith('R') || status.startsWith('C');
      entries.push({ oldMode, newMode, oldId, newId, status: status.charAt(0), from: two ? first : null, path: two ? next() : first });
    } else {
      const [added, removed, path] = splitCounts(field);
      // A rename's count has an empty path here, then both names.
      const counted = path === '' ? (next(), next()) : path;
      lines.set(counted, added === '-' ? null : { added: Number(added), removed: Number(removed) });
    }
  }
  return entries.map((entry) => changedFile(entry, lines.get(entry.path) ?? null));
}

interface RawEntry {
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
  readonly status: string;
  readonly from: string | null;
  readonly path: string;
}

/** A path may hold tabs: only the first two separate. */
function splitCounts(field: string): [string, string, string] {
  const first = field.indexOf('\t');
  const second = field.indexOf('\t', first + 1);
  return [field.slice(0, first), field.slice(first + 1, second), field.slice(second + 1)];
}

function changedFile(entry: RawEntry, lines: ChangedFile['lines']): ChangedFile {
  const kind = kindOf(entry);
  return {
    path: filePath.parse(entry.path),
    kind,
    from: entry.from === null ? null : filePath.parse(entry.from),
    oldMode: mode(entry.oldMode),
    newMode: mode(entry.newMode),
    oldBlob: blob(entry.oldId),
    newBlob: blob(entry.newId),
    lines: kind === 'submodule' ? null : lines,
  };
}

function kindOf(entry: RawEntry): ChangedFile['kind'] {
  if (entry.oldMode === SUBMODULE || entry.newMode === SUBMODULE) return 'submodule';
  switch (entry.status) {
    case 'A': return 'added';
    case 'D': return 'deleted';
    case 'R': return 'renamed';
    case 'C': return 'copied';
    case 'T': return 'type';
    default: return entry.oldId === entry.newId ? 'mode' : 'modified';
  }
}

function mode(value: string): string | null {
  return /^0+$/.test(value) ? null : value;
}

function blob(value: string): BlobId | null {
  return /^0+$/.test(value) ? null : blobId.parse(value);
}
