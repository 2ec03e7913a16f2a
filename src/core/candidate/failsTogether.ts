import { foundFailing } from '../constraints/constraint.ts';
import type { CommitId } from '../ids.ts';
import type { Episode } from '../world/state.ts';
import type { Candidate } from './candidate.ts';

/** A candidate, or what of it was to be accepted, that passes by itself and fails with what its line had at `tip`. */
export interface TogetherFailure {
  readonly tip: CommitId;
  readonly constraint: string;
  /** The end of what the check printed. */
  readonly output: string;
}

/** By the newest look at it on a line. Null where that did not fail, where it never happened, and where the candidate fails by itself. */
export function failsTogether(episode: Episode, candidate: Candidate): TogetherFailure | null {
  const newest = new Map<string, Episode['evidence'][number]>();
  for (const seen of episode.evidence) if (seen.number === candidate.number && seen.tip !== null) newest.set(seen.evidence.constraint, seen);
  for (const { evidence, tip, alone: part } of newest.values()) {
    const own = part ?? candidate.tree;
    if (tip === null || !foundFailing(evidence) || evidence.tree === own) continue;
    const alone = episode.evidence.findLast((seen) => seen.evidence.tree === own && seen.evidence.definition === evidence.definition && seen.evidence.setup === evidence.setup);
    if (alone?.evidence.result === 'passed') return { tip, constraint: evidence.constraint, output: evidence.output };
  }
  return null;
}
