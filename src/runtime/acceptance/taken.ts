import { candidateFiles, type Candidate, type ChangedFile } from '../../core/candidate/candidate.ts';
import { movesFolders, partition, type Partition } from '../../core/candidate/partition.ts';
import { changedPaths } from '../../core/candidate/scope.ts';
import type { CommitId, FilePath, TreeId } from '../../core/ids.ts';
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

/** `picked` null takes all. `tip`: what they are to be merged onto. Throws `Refused` where the candidate does not hold what was picked. */
export async function takenOf(candidates: Candidates, candidate: Candidate, tip: CommitId, picked: readonly FilePath[] | null): Promise<Taken> {
  const all = candidateFiles(candidate);
  if (picked === null) return { candidate, files: all, rest: [], tree: candidate.tree };
  const unknown = picked.filter((path) => !all.some((file) => file.path === path));
  if (unknown.length > 0) throw new Refused({ reason: 'candidate-superseded', message: `The change does not hold ${unknown.slice(0, 5).join(', ')} any more.`, next: 'Look at it as it is now and choose again.', files: unknown });
  const { taken, rest } = await parted(candidates, candidate, tip, picked);
  if (taken.length === 0) throw new Refused({ reason: 'nothing-to-accept', message: 'None of the change’s files was chosen.', next: 'Choose at least one, or reject the change.' });
  const tree = rest.length === 0 ? candidate.tree : await candidates.pick(candidate.base, candidate.tree, changedPaths(taken));
  return { candidate, files: taken, rest, tree };
}

/** In two parts of which the line takes one after the other, and holds then what it would hold with the whole. */
async function parted(candidates: Candidates, candidate: Candidate, tip: CommitId, picked: readonly FilePath[]): Promise<Partition> {
  const { base, tree } = candidate;
  const all = candidateFiles(candidate);
  const parts = partition(all, picked);
  if (parts.taken.length === 0 || parts.rest.length === 0 || !movesFolders(all)) return parts;
  const onto = async (ours: CommitId | TreeId | null, files: readonly ChangedFile[]): Promise<TreeId | null> => {
    const merge = ours === null ? null : await candidates.merge(base, ours, files === all ? tree : await candidates.pick(base, tree, changedPaths(files)));
    return merge?.kind === 'clean' ? merge.tree : null;
  };
  const whole = await onto(tip, all);
  return whole === null || await onto(await onto(tip, parts.taken), parts.rest) === whole ? parts : partition(all, picked, 'together');
}
