import type { ChangedFile } from '../candidate/candidate.ts';
import type { FilePath, FolderPath } from '../ids.ts';
import { displayFolder } from '../paths.ts';

export interface FinishReview {
  readonly folder: FolderPath;
  readonly outside: readonly ChangedFile[];
  readonly ignored: readonly FilePath[];
  readonly nestedRepositories: readonly string[];
  readonly includeOutside: boolean;
  /** True when an earlier `finish` of this stretch was answered with what it would leave out. */
  readonly reviewedBefore: boolean;
}

/** How an answer to `finish` begins that has named what it would leave out. */
const OPENING = 'Not finished yet.';

/** Whether a result of `finish` was such an answer; other ones (invalid arguments, called beside others) have named nothing. */
export function isFinishReview(text: string): boolean {
  return text.startsWith(OPENING);
}

/**
 * What `finish` is answered with before it stands (rule 6: nothing outside is silently dropped or kept); null when
 * it stands now. Ignored files and outside changes are named once; a nested repository always stands in the way.
 */
export function reviewFinish(r: FinishReview): string | null {
  const parts: string[] = [];
  if (r.nestedRepositories.length > 0) parts.push(`A git repository was made inside the worktree. It cannot be part of a change; remove its .git folder:\n${listed(r.nestedRepositories)}`);
  if (!r.reviewedBefore) {
    if (r.outside.length > 0 && !r.includeOutside) {
      parts.push(`These changes lie outside your folder (${displayFolder(r.folder)}). Revert them, or call finish with include_outside set to true and say in the report why they are needed; the person then decides. If you call finish again without it, they stay out of the change:\n${listed(r.outside.map((f) => (f.from === null ? f.path : `${f.from} -> ${f.path}`)))}`);
    }
    if (r.ignored.length > 0) {
      parts.push(`These files that you wrote match an ignore rule and are not part of the change. If they must be, write them again with force set to true; else call finish again:\n${listed(r.ignored)}`);
    }
  }
  return parts.length === 0 ? null : `${OPENING}\n\n${parts.join('\n\n')}`;
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 50).map((p) => `  ${p}`);
  if (paths.length > shown.length) shown.push(`  and ${paths.length - shown.length} more`);
  return shown.join('\n');
}
