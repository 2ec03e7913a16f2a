import type { Candidate } from '../../core/candidate/candidate.ts';
import { episodeRefs, parseEpisodeRef } from '../../core/candidate/refs.ts';
import { narrowLimits } from '../../core/constraints/genesisToml.ts';
import { shortCommit, type CommitId, type EpisodeId, type RefName } from '../../core/ids.ts';
import type { Line } from '../../core/ledger/events.ts';
import type { Limits } from '../../core/limits/limits.ts';
import { standingOf, type EpisodeRecord } from '../../core/record/episodeRecord.ts';
import { importedEpisode } from '../../core/record/importedEpisode.ts';
import { recordOf } from '../../core/record/recordOf.ts';
import { Refused } from '../../core/refusal.ts';
import type { Taken } from '../openWorld.ts';
import { readRecord } from '../record.ts';
import { rulesAt } from '../rules.ts';
import type { HistoryParts } from './historyParts.ts';
import { localRefs } from './publishing.ts';

/** Thrown where a record does not fit the commits that it speaks of. */
class Unfit extends Error {}

/** From records in refs to agents of this ledger. A record is a stranger's word: each that cannot be believed is named and left, and the others are taken. */
export class Importing {
  readonly #parts: HistoryParts;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  async take(limits: Limits, wanted: (id: EpisodeId) => boolean): Promise<Taken> {
    const { ports: { repository }, log } = this.#parts;
    const refs = await localRefs(repository);
    const [added, changed]: [EpisodeId[], EpisodeId[]] = [[], []];
    const left: { name: string; words: string }[] = [];
    for (const [ref, commit] of refs) {
      const found = parseEpisodeRef(ref);
      if (found?.isRecord !== true || !wanted(found.id)) continue;
      const known = log.state.episodes.has(found.id);
      const words = await this.#takeOne(found.id, commit, refs, limits).catch((error: unknown) => {
        if (error instanceof Unfit) return error.message;
        if (error instanceof Refused) return error.refusal.message;
        throw error;
      });
      if (words === 'taken') (known ? changed : added).push(found.id);
      else if (words !== 'nothing new') left.push({ name: found.id, words });
    }
    return { added, changed, left };
  }

  async #takeOne(id: EpisodeId, commit: CommitId, refs: ReadonlyMap<RefName, CommitId>, limits: Limits): Promise<string> {
    const { ports: { repository, ledger }, log } = this.#parts;
    const known = log.state.episodes.get(id);
    if (known?.taken === commit) return 'nothing new';
    const found = await readRecord(repository, id, commit);
    if (!found.ok) return `its record cannot be read: ${found.words}`;
    const { record, goal } = found;
    if (known) {
      // What this ledger wrote itself, or would write just so, tells it nothing.
      const own = recordOf(log.state, known, ledger.tag);
      if (record.writer === null || record.writer === ledger.tag || (own !== null && standingOf(own) === standingOf(record))) return 'nothing new';
    }
    const candidates = await this.#candidates(record, refs);
    await this.#assertMoves(record);
    const narrowed = narrowLimits(limits, (await rulesAt(repository, record.world.commit)).limits);
    const told = await log.dispatch({ type: 'import', imported: importedEpisode(record, { record: commit, goal, candidates, target: await this.#target(record.target), limits: narrowed }) });
    return told.ok ? 'taken' : told.refusal.message;
  }

  /** Every commit that is named has to be what its ref holds, made on the base that is named. */
  async #candidates(record: EpisodeRecord, refs: ReadonlyMap<RefName, CommitId>): Promise<Candidate[]> {
    const { ports: { repository }, proposals } = this.#parts;
    const names = episodeRefs(record.id);
    if (refs.get(names.base) !== record.world.commit) throw new Unfit(`the commit that it started from, ${shortCommit(record.world.commit)}, is not here`);
    const outside = new Set(record.candidates.flatMap(({ number }) => refs.get(names.outside(number)) ?? []));
    const candidates: Candidate[] = [];
    for (const told of record.candidates) {
      const { number, commit, base, outsideCommit } = told;
      const held = refs.get(names.candidate(number)) === commit && (outsideCommit === null || outside.has(outsideCommit));
      if (!held) throw new Unfit(`its proposed change ${number} is not here, or is another one`);
      for (const made of outsideCommit === null ? [commit] : [commit, outsideCommit]) {
        if (await repository.resolve(`${made}^1`) !== base || await repository.resolve(`${made}^2`) !== null) throw new Unfit(`its proposed change ${number} was not made on the commit that it names`);
      }
      candidates.push(await proposals.readBack(record, told));
    }
    return candidates;
  }

  /** An undo takes back what lies between a move's two commits: where they are here, they must be one step apart. */
  async #assertMoves({ moves }: EpisodeRecord): Promise<void> {
    const { repository } = this.#parts.ports;
    for (const move of moves) {
      if (move.old === null || await repository.resolve(move.new) === null) continue;
      if (await repository.resolve(`${move.new}^1`) !== move.old) throw new Unfit(`${shortCommit(move.new)} is not what its ${move.kind} made of the branch`);
    }
  }

  /** The branch by its name where it is here; else what is checked out, which the accept box names. */
  async #target(told: Line): Promise<Line> {
    const { repository } = this.#parts.ports;
    if (told.kind === 'branch' && await repository.resolve(told.ref) !== null) return told;
    const head = await repository.head();
    return head.kind === 'detached' ? { kind: 'detached' } : { kind: 'branch', ref: head.ref };
  }
}
