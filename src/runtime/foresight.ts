import type { Candidate } from '../core/candidate/candidate.ts';
import { mayConflict, reachOf, type Foreseen, type Reach } from '../core/candidate/foreseen.ts';
import type { CommitId, EpisodeId, FilePath, TreeId } from '../core/ids.ts';
import { currentCandidate, type Episode, type WorldState } from '../core/world/state.ts';
import { refOf, tipOrNone } from './acceptance/tips.ts';
import { Background } from './background.ts';
import type { Clock } from './ports/clock.ts';
import type { Candidates, MergeResult } from './ports/candidates.ts';
import type { Repository } from './ports/repository.ts';
import type { WorldPorts } from './ports/worldPorts.ts';

/** How many waiting changes are looked at, the newest first: pairs grow with their square. */
const MOST_CHANGES = 40;

/** A waiting change with what it would be on its line's tip. */
interface Ahead {
  readonly episode: Episode;
  readonly candidate: Candidate;
  readonly line: string;
  readonly behind: number;
  readonly onTip: MergeResult;
}

/**
 * Conflicts of waiting changes, with the tip of their line and with each other, before anyone asks. Computed behind
 * everything a person waits for, and again only for what changed; what it knows is gone with the window.
 */
export class Foresight {
  readonly #repository: Repository;
  readonly #candidates: Candidates;
  readonly #clock: Clock;
  readonly #state: () => WorldState;
  readonly #changed: () => void;
  readonly #background = new Background((signal) => this.#look(signal));
  #merges = new Map<string, MergeResult>();
  #counts = new Map<string, number>();
  readonly #reaches = new WeakMap<Candidate, Reach>();
  #known: ReadonlyMap<EpisodeId, { readonly commit: CommitId; readonly foreseen: Foreseen }> = new Map();

  constructor({ repository, candidates, clock }: Pick<WorldPorts, 'repository' | 'candidates' | 'clock'>, state: () => WorldState, changed: () => void) {
    this.#repository = repository;
    this.#candidates = candidates;
    this.#clock = clock;
    this.#state = state;
    this.#changed = changed;
  }

  /** Undefined while it is not known of exactly the change that waits. */
  of(id: EpisodeId): Foreseen | undefined {
    const known = this.#known.get(id);
    const episode = this.#state().episodes.get(id);
    return known && episode?.phase.name === 'waiting' && currentCandidate(episode)?.commit === known.commit ? known.foreseen : undefined;
  }

  /** To be called when a line or the set of waiting changes may be another. */
  lookAgain(): void {
    this.#background.wish();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const merges = new Map<string, MergeResult>();
    const counts = new Map<string, number>();
    const all: Ahead[] = [];
    for (const episode of newestWaiting(this.#state())) {
      // Nothing is known of a change that cannot be read; the others must not go without for it.
      const ahead = await this.#onTip(episode, merges, counts, signal).catch(() => null);
      signal.throwIfAborted();
      if (ahead !== null) all.push(ahead);
    }
    const conflicts = await this.#amongEachOther(all, merges, signal);
    this.#merges = merges;
    this.#counts = counts;
    this.#tell(all, conflicts);
  }

  /** Null where nothing waits, or the line is gone. */
  async #onTip(episode: Episode, merges: Map<string, MergeResult>, counts: Map<string, number>, signal: AbortSignal): Promise<Ahead | null> {
    const candidate = currentCandidate(episode);
    const line = refOf(episode.target);
    const tip = candidate && await tipOrNone(this.#repository, episode.target);
    if (!candidate || !tip) return null;
    const key = `${candidate.base} ${tip}`;
    const behind = this.#counts.get(key) ?? counts.get(key) ?? (tip === candidate.base ? 0 : await this.#repository.commitsBetween(candidate.base, tip));
    counts.set(key, behind);
    const onTip: MergeResult = tip === candidate.base ? { kind: 'clean', tree: candidate.tree } : await this.#merge(candidate.base, tip, candidate.commit, merges, signal);
    return { episode, candidate, line, behind, onTip };
  }

  async #amongEachOther(all: readonly Ahead[], merges: Map<string, MergeResult>, signal: AbortSignal): Promise<ReadonlyMap<EpisodeId, Foreseen['others']>> {
    const found = new Map<EpisodeId, Foreseen['others']>();
    for (const [i, a] of all.entries()) {
      // To find out which of forty large changes may meet takes most of a second: whoever types must not wait for it.
      await this.#clock.sleep(0, signal);
      for (const b of all.slice(i + 1)) {
        if (a.line !== b.line || !mayConflict(this.#reach(a.candidate), this.#reach(b.candidate))) continue;
        const both = await this.#together(a, b, merges, signal).catch(() => null);
        signal.throwIfAborted();
        if (both === null || both.length === 0) continue;
        found.set(a.episode.id, [...(found.get(a.episode.id) ?? []), { episode: b.episode.id, files: both }]);
        found.set(b.episode.id, [...(found.get(b.episode.id) ?? []), { episode: a.episode.id, files: both }]);
      }
    }
    return found;
  }

  #reach(candidate: Candidate): Reach {
    const reach = this.#reaches.get(candidate) ?? reachOf(candidate);
    this.#reaches.set(candidate, reach);
    return reach;
  }

  /** Files in which two changes conflict; null where it cannot be told, since one of them has no merge with its tip to build on. */
  async #together(a: Ahead, b: Ahead, merges: Map<string, MergeResult>, signal: AbortSignal): Promise<readonly FilePath[] | null> {
    const onto = a.candidate.base === b.candidate.base ? a.candidate.commit : a.onTip.kind === 'clean' && b.onTip.kind === 'clean' ? a.onTip.tree : null;
    if (onto === null) return null;
    const merge = await this.#merge(b.candidate.base, onto, b.candidate.commit, merges, signal);
    return merge.kind === 'clean' ? [] : merge.files;
  }

  async #merge(base: CommitId, ours: CommitId | TreeId, theirs: CommitId, merges: Map<string, MergeResult>, signal: AbortSignal): Promise<MergeResult> {
    signal.throwIfAborted();
    const key = `${base} ${ours} ${theirs}`;
    const merge = this.#merges.get(key) ?? merges.get(key) ?? await this.#candidates.mergeAhead(base, ours, theirs, signal);
    merges.set(key, merge);
    return merge;
  }

  #tell(all: readonly Ahead[], conflicts: ReadonlyMap<EpisodeId, Foreseen['others']>): void {
    const known = new Map(all.map(({ episode, candidate, behind, onTip }) => [episode.id, { commit: candidate.commit, foreseen: { behind, conflicts: onTip.kind === 'clean' ? [] : onTip.files, others: conflicts.get(episode.id) ?? [] } }] as const));
    const before = JSON.stringify([...this.#known]);
    this.#known = known;
    if (before !== JSON.stringify([...known])) this.#changed();
  }
}

function newestWaiting(state: WorldState): Episode[] {
  const waiting = [...state.episodes.values()].flatMap((episode) => (episode.phase.name === 'waiting' ? [{ episode, since: episode.phase.since }] : []));
  return waiting.toSorted((a, b) => b.since - a.since).slice(0, MOST_CHANGES).map(({ episode }) => episode);
}
