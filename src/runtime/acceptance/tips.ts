import type { CommitId, RefName } from '../../core/ids.ts';
import type { Line } from '../../core/ledger/events.ts';
import { lineName } from '../../core/projections/episodeWords.ts';
import { Refused } from '../../core/refusal.ts';
import type { Head, Repository } from '../ports/repository.ts';

/** Where a line is now. Throws `Refused` where it is gone. */
export async function tipOf(repository: Repository, target: Line, head: Head, otherwise = 'Use Accept to a New Branch.'): Promise<CommitId> {
  if (target.kind === 'detached') {
    if (head.kind !== 'detached') throw new Refused({ reason: 'branch-missing', message: 'The agent started from a detached HEAD, and a branch is checked out now.', next: `Check the commit out again. ${otherwise}` });
    return head.commit;
  }
  const tip = await repository.resolve(target.ref);
  if (tip === null) throw new Refused({ reason: 'branch-missing', message: `The branch ${lineName(target)} no longer exists.`, next: otherwise });
  return tip;
}

/** The same for what nobody asked for: null where the line is gone. */
export async function tipIfThere(repository: Repository, target: Line): Promise<CommitId | null> {
  if (target.kind === 'branch') return repository.resolve(target.ref);
  const head = await repository.head();
  return head.kind === 'detached' ? head.commit : null;
}

/**
 * Where a new branch starts: at the tip of the line that the episode started from, or, where that line is gone (renamed,
 * deleted, HEAD no longer detached), at what is checked out now. Never at the recorded base, which may hold what the person removed.
 */
export async function tipForBranch(repository: Repository, target: Line, head: Head): Promise<CommitId> {
  return tipOf(repository, target, head).catch((error: unknown) => {
    if (error instanceof Refused && error.refusal.reason === 'branch-missing' && head.kind !== 'unborn') return head.commit;
    throw error;
  });
}

export function refOf(line: Line): RefName | 'HEAD' {
  return line.kind === 'branch' ? line.ref : 'HEAD';
}
