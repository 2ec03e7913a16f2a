import { candidateFiles, type Candidate, type ChangedFile } from '../../core/candidate/candidate.ts';
import { partition } from '../../core/candidate/partition.ts';
import { changedPaths } from '../../core/candidate/scope.ts';
import type { FilePath, TreeId } from '../../core/ids.ts';
import { Refused } from '../../core/refusal.ts';
import type { Candidates } from '../ports/candidates.ts';

/** What of a candidate an accept takes. `rest` is empty where it takes all of it. */
export interface Taken {
  readonly candidate: Candidate;
  readonly files: readonly ChangedFile[];
  readonly rest: readonly ChangedFile[];
  /** The candidate's base with these files. */
  readonly tree: TreeId;
}

/** `picked` null takes all. Throws `Refused` where the candidate does not hold what was picked. */
export async function takenOf(candidates: Candidates, candidate: Candidate, picked: readonly FilePath[] | null): Promise<Taken> {
  const all = candidateFiles(candidate);
  if (picked === null) return { candidate, files: all, rest: [], tree: candidate.tree };
  const unknown = picked.filter((path) => !all.some((file) => file.path === path));
  if (unknown.length > 0) throw new Refused({ reason: 'candidate-superseded', message: `The change does not hold ${unknown.slice(0, 5).join(', ')} any more.`, next: 'Look at it as it is now and choose again.', files: unknown });
  const { taken, rest } = partition(all, picked);
  if (taken.length === 0) throw new Refused({ reason: 'nothing-to-accept', message: 'None of the change’s files was chosen.', next: 'Choose at least one, or reject the change.' });
  const tree = rest.length === 0 ? candidate.tree : await candidates.pick(candidate.base, candidate.tree, changedPaths(taken));
  return { candidate, files: taken, rest, tree };
}
