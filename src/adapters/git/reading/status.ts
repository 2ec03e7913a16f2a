import { filePath, folderPath } from '../../../core/ids.ts';
import type { FilePath, FolderPath } from '../../../core/ids.ts';

export interface Status {
  /** Staged, changed or unmerged. */
  readonly tracked: readonly FilePath[];
  /** Neither tracked nor ignored. */
  readonly untracked: readonly FilePath[];
  /** Untracked folders that are repositories of their own: git names the folder and nothing below. */
  readonly nestedRepositories: readonly FolderPath[];
  /** What an ignore rule matches, where it was asked for: files, and folders as one for all in them. */
  readonly ignored: readonly FilePath[];
}

export const STATUS_ARGUMENTS: readonly string[] = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--ignore-submodules=all', '--no-renames'];
/** With it, `ignored` is filled. */
export const WITH_IGNORED = '--ignored=matching';

/** Fields before the path in each kind of record. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1, '!': 1 };

/** Reads what `git status` printed with the arguments above. */
export function parseStatus(output: Buffer): Status {
  const tracked: FilePath[] = [];
  const untracked: FilePath[] = [];
  const nestedRepositories: FolderPath[] = [];
  const ignored: FilePath[] = [];
  for (const record of output.toString('utf8').split('\0')) {
    const kind = record.charAt(0);
    const fields = FIELDS[kind];
    if (fields === undefined) continue;
    const path = afterFields(record, fields);
    if (kind === '!') ignored.push(filePath.parse(path.replace(/\/$/, '')));
    else if (kind !== '?') tracked.push(filePath.parse(path));
    else if (path.endsWith('/')) nestedRepositories.push(folderPath.parse(path.slice(0, -1)));
    else untracked.push(filePath.parse(path));
  }
  return { tracked, untracked, nestedRepositories, ignored };
}

/** A path may hold spaces: only the first ones separate. */
function afterFields(record: string, fields: number): string {
  let at = 0;
  for (let i = 0; i < fields; i++) at = record.indexOf(' ', at) + 1;
  return record.slice(at);
}
