import { filePath, folderPath } from '../../core/ids.ts';
import type { FilePath, FolderPath } from '../../core/ids.ts';

export interface Status {
  /** Staged, changed, unmerged, and untracked but not ignored. */
  readonly files: readonly FilePath[];
  /** Untracked folders that are repositories of their own: git names the folder and nothing below. */
  readonly nestedRepositories: readonly FolderPath[];
}

/** Fields before the path in each kind of record of `status --porcelain=v2 -z`. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 };

/** Reads `status --porcelain=v2 -z --no-renames`. */
export function parseStatus(output: Buffer): Status {
  const files: FilePath[] = [];
  const nestedRepositories: FolderPath[] = [];
  for (const record of output.toString('utf8').split('\0')) {
    const fields = FIELDS[record.charAt(0)];
    if (fields === undefined) continue;
    const path = afterFields(record, fields);
    if (path.endsWith('/')) nestedRepositories.push(folderPath.parse(path.slice(0, -1)));
    else files.push(filePath.parse(path));
  }
  return { files, nestedRepositories };
}

/** A path may hold spaces: only the first ones separate. */
function afterFields(record: string, fields: number): string {
  let at = 0;
  for (let i = 0; i < fields; i++) at = record.indexOf(' ', at) + 1;
  return record.slice(at);
}
