import { candidateFiles, type Candidate } from '../core/candidate/candidate.ts';
import { changedPaths } from '../core/candidate/scope.ts';
import type { FilePath } from '../core/ids.ts';
import { Refused } from '../core/refusal.ts';
import { candidateOf, nextCandidate, type Episode } from '../core/world/state.ts';
import type { Candidates } from './ports/candidates.ts';
import type { Proposals } from './proposals.ts';
import type { WorldLog } from './worldLog.ts';

/** What the person does to a change while it waits: edits in the diff, and decisions about files outside the folder. */
export class Edits {
  readonly #candidates: Candidates;
  readonly #proposals: Proposals;
  readonly #log: WorldLog;

  constructor(candidates: Candidates, proposals: Proposals, log: WorldLog) {
    this.#candidates = candidates;
    this.#proposals = proposals;
    this.#log = log;
  }

  /** Saves come one after the other; each makes a candidate, the next replaces it until it is checked, judged or published. */
  save(id: Episode['id'], path: FilePath, bytes: Uint8Array | null): Promise<number> {
    return this.#proposals.alone(id, async () => {
      const { episode, candidate } = this.#waiting(id);
      const tree = await this.#candidates.withFile(candidate.tree, path, bytes);
      if (tree === candidate.tree) return candidate.number;
      const checked = episode.evidence.some((e) => e.number === candidate.number);
      const published = candidate.number <= episode.published;
      const replaces = candidate.source === 'edit' && !checked && !published ? candidate.number : null;
      return this.#propose(episode, candidate, tree, 'edit', replaces, candidate.outside.map((f) => f.path));
    });
  }

  /** `allow` puts the files into the change, `drop` leaves them out for good; the rest stays undecided. */
  decideOutside(id: Episode['id'], decision: 'allow' | 'drop', files: readonly FilePath[]): Promise<number> {
    return this.#proposals.alone(id, async () => {
      const { episode, candidate } = this.#waiting(id);
      const decided = candidate.outside.filter((f) => files.includes(f.path));
      const left = candidate.outside.filter((f) => !files.includes(f.path));
      if (decided.length === 0 || candidate.outsideCommit === null) return candidate.number;
      if (decision === 'drop') return this.#propose(episode, candidate, candidate.tree, 'dropped', null, left.map((f) => f.path));
      const whole = await this.#proposals.treeOf(candidate.outsideCommit);
      const tree = await this.#candidates.pick(candidate.tree, whole, changedPaths(decided));
      return this.#propose(episode, candidate, tree, 'allowed', null, left.map((f) => f.path));
    });
  }

  async #propose(episode: Episode, candidate: Candidate, tree: Candidate['tree'], source: Candidate['source'], replaces: number | null, stillOutside: readonly FilePath[]): Promise<number> {
    // What a person let in or typed is in, wherever it lies; what they have not decided about stays outside.
    const made = await this.#proposals.makeOfTree(episode, candidate.base, tree, candidate, { source, number: replaces ?? nextCandidate(episode) });
    const outside = candidate.outside.filter((f) => stillOutside.includes(f.path));
    const next: Candidate = { ...made, outside, outsideCommit: outside.length === 0 ? null : candidate.outsideCommit };
    const told = await this.#log.dispatch({ type: 'propose', episode: episode.id, candidate: next, replaces });
    if (told.ok) return next.number;
    // A save that came too late: the number that it wrote over still holds what the ledger says (rule 4).
    await this.#proposals.rightRefs(episode.id);
    throw new Refused(told.refusal);
  }

  #waiting(id: Episode['id']): { episode: Episode; candidate: Candidate } {
    const episode = this.#log.episode(id);
    const candidate = episode.phase.name === 'waiting' ? candidateOf(episode, episode.phase.candidate) : undefined;
    if (!candidate) throw new Refused({ reason: 'wrong-state', message: 'This change can no longer be edited: it does not wait for a verdict.', next: 'Copy your text before you close the editor.' });
    return { episode, candidate };
  }
}

/**
 * Files that the person edited since the agent's newest candidate. Step by step, since a candidate that was made again on
 * a newer tip differs in files that the line changed, and the rest of a partial accept in files that it lacks.
 */
export function editedByPerson({ phase, candidates }: Episode): FilePath[] {
  if (phase.name !== 'waiting') return [];
  const own = candidates.findLastIndex((c) => c.source === 'agent' && c.number <= phase.candidate);
  const since = own < 0 ? [] : candidates.slice(own);
  return [...new Set(since.slice(1).flatMap((candidate, i) => (PERSONS.has(candidate.source) ? filesApart(since[i], candidate) : [])))];
}

const PERSONS: ReadonlySet<Candidate['source']> = new Set(['edit', 'allowed', 'dropped']);

function filesApart(before: Candidate | undefined, after: Candidate): FilePath[] {
  const blobs = new Map(before === undefined ? [] : candidateFiles(before).map((f) => [f.path, f.newBlob]));
  const now = candidateFiles(after);
  const changed = now.filter((f) => blobs.get(f.path) !== f.newBlob).map((f) => f.path);
  return [...changed, ...[...blobs.keys()].filter((path) => !now.some((f) => f.path === path))];
}
