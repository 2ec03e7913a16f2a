import type { Retention } from '../core/candidate/retention.ts';
import type { CommitId, EpisodeId, MoveId } from '../core/ids.ts';
import { standingAccepts, type Move, type WorldState } from '../core/world/state.ts';
import { tipOrNone } from './acceptance/tips.ts';
import { Background } from './background.ts';
import { findAccepts } from './findAccepts.ts';
import type { Repository } from './ports/repository.ts';

/** How many agents' accepts are followed, the newest first. */
const MOST_AGENTS = 40;

interface Known {
  /** Null where the branch is deleted. */
  readonly tip: CommitId | null;
  readonly retention: Retention;
}

/**
 * Where accepted changes are now that the person may have rebased, amended or squashed: by ancestry where the commit itself
 * is still there, else by trailer, else by patch id. Read in the background, and again when a line moves.
 */
export class Retentions {
  readonly #repository: Repository;
  readonly #state: () => WorldState;
  readonly #changed: () => void;
  readonly #background = new Background((signal) => this.#look(signal));
  #known: ReadonlyMap<MoveId, Known> = new Map();

  constructor(repository: Repository, state: () => WorldState, changed: () => void) {
    this.#repository = repository;
    this.#state = state;
    this.#changed = changed;
  }

  /** Undefined while nothing is known, and of a detached line while a branch is checked out. */
  of(move: MoveId): Retention | undefined {
    return this.#known.get(move)?.retention;
  }

  lookAgain(): void {
    this.#background.wish();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const known = new Map<MoveId, Known>();
    for (const [episode, accepts] of newestAccepts(this.#state())) {
      // By line: an accept may have gone to a new branch.
      for (const ref of new Set(accepts.map(({ prepared }) => prepared.ref))) {
        const here = accepts.filter(({ prepared }) => prepared.ref === ref);
        // Nothing is known of an accept that cannot be read; the others must not go without for it.
        const found = await this.#onLine(episode, here, signal).catch(() => []);
        signal.throwIfAborted();
        for (const [move, one] of found) known.set(move, one);
      }
    }
    const changed = JSON.stringify([...this.#known]) !== JSON.stringify([...known]);
    this.#known = known;
    if (changed) this.#changed();
  }

  async #onLine(episode: EpisodeId, accepts: readonly Move[], signal: AbortSignal): Promise<[MoveId, Known][]> {
    const [first] = accepts;
    if (!first) return [];
    const tip = await tipOrNone(this.#repository, first.prepared.target);
    if (tip === null && first.prepared.target.kind === 'detached') return [];
    const before = accepts.flatMap(({ prepared }) => this.#known.get(prepared.move) ?? []);
    const found = before.length === accepts.length && before.every((one) => one.tip === tip) ? before.map((one) => one.retention) : await findAccepts(this.#repository, { episode, accepts, tip }, signal);
    return accepts.map(({ prepared }, i) => [prepared.move, { tip, retention: found[i] ?? { kind: 'rewritten' } }]);
  }
}

function newestAccepts(state: WorldState): [EpisodeId, readonly Move[]][] {
  const all = [...state.episodes.keys()].map((id): [EpisodeId, readonly Move[]] => [id, standingAccepts(state, id)]);
  return all.filter(([, accepts]) => accepts.length > 0).toSorted(([, a], [, b]) => (b.at(-1)?.at ?? 0) - (a.at(-1)?.at ?? 0)).slice(0, MOST_AGENTS);
}
