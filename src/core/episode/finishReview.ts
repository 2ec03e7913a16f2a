import type { ChangedFile } from '../candidate/candidate.ts';
import type { FilePath } from '../ids.ts';
import { ignoredAnswer, nestedAnswer, outsideAnswer, submoduleAnswer } from '../prompt/hostMessages.ts';

export interface FinishReview {
  readonly outside: readonly ChangedFile[];
  readonly ignored: readonly FilePath[];
  readonly nestedRepositories: readonly string[];
  readonly insideSubmodules: readonly string[];
  readonly includeOutside: boolean;
  /** True when an earlier `finish` of this stretch was answered with what it would leave out. */
  readonly reviewedBefore: boolean;
}

/**
 * What `finish` is answered with before it stands (rule 6: nothing outside is silently dropped or kept); null when
 * it stands now. Ignored files, outside changes and what lies in submodules are named once; a nested repository always stands in the way.
 */
export function reviewFinish(r: FinishReview): string | null {
  const parts: string[] = [];
  if (r.nestedRepositories.length > 0) parts.push(nestedAnswer(r.nestedRepositories));
  if (!r.reviewedBefore) {
    if (r.outside.length > 0 && !r.includeOutside) parts.push(outsideAnswer(r.outside.flatMap((f) => [f.path, ...(f.kind === 'renamed' && f.from !== null ? [f.from] : [])])));
    if (r.insideSubmodules.length > 0) parts.push(submoduleAnswer(r.insideSubmodules));
    if (r.ignored.length > 0) parts.push(ignoredAnswer(r.ignored));
  }
  return parts.length === 0 ? null : parts.join('\n\n');
}
