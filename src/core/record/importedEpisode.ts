import type { Candidate } from '../candidate/candidate.ts';
import { moveId, type CommitId } from '../ids.ts';
import type { ImportedEpisode, Line, PreparedMove } from '../ledger/events.ts';
import type { Limits } from '../limits/limits.ts';
import type { EpisodeRecord } from './episodeRecord.ts';

interface ImportedHere {
  /** The commit that the record was read from. */
  readonly record: CommitId;
  readonly goal: string;
  /** As the commits themselves say, in the record's order. */
  readonly candidates: readonly Candidate[];
  /** This clone's: the record's branch where it is here, else what is checked out. */
  readonly target: Line;
  /** This machine's: a record can give an agent no right to spend (rule 10). */
  readonly limits: Limits;
}

/** The fact that a record becomes here. Evidence is kept as it was told: no check counts as run, since nothing names its definition (rule 5). */
export function importedEpisode(told: EpisodeRecord, { record, goal, candidates, target, limits }: ImportedHere): ImportedEpisode {
  const numbered = new Map(candidates.map((c) => [c.number, c]));
  const { id, parent, world, role, model, startedAt, phase, reworked, spent } = told;
  return {
    id, record, parent, world, target, goal, role, model, limits, startedAt, phase, reworked, spent, candidates: [...candidates],
    evidence: told.evidence.map(({ number, at, tip, ...evidence }) => ({ number, at, tip, alone: null, evidence: { ...evidence, definition: '', setup: '', output: '' } })),
    moves: told.moves.map(({ move, candidate, kind, target: moved, ref, old, new: to, override, at, doneAt, tree, split }) => ({
      prepared: { move: moveId.parse(move), episode: id, candidate, kind, target: moved, ref, old, new: to, checkouts: [], paths: [], override, ...splitOf(split, numbered) }, at, tree, doneAt,
    })),
  };
}

function splitOf(split: EpisodeRecord['moves'][number]['split'], numbered: ReadonlyMap<number, Candidate>): Pick<PreparedMove, 'split'> {
  const taken = split && numbered.get(split.taken);
  const rest = split && numbered.get(split.rest);
  return taken && rest ? { split: { taken, rest } } : {};
}
