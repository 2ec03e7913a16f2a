import { acceptsByTrailer, type Retention } from '../core/candidate/retention.ts';
import type { CommitId, EpisodeId } from '../core/ids.ts';
import type { Move } from '../core/world/state.ts';
import type { Repository } from './ports/repository.ts';

interface AcceptsOnLine {
  readonly episode: EpisodeId;
  /** All that went to this line, the newest last: one commit of the line is one of them, not each. */
  readonly accepts: readonly Move[];
  /** Null where the line is gone. */
  readonly tip: CommitId | null;
}

/** Where each of an episode's accepts on one line is now: by ancestry, else by trailer, else by patch id. */
export async function findAccepts(repository: Repository, { episode, accepts, tip }: AcceptsOnLine, signal: AbortSignal): Promise<Retention[]> {
  if (tip === null) return accepts.map(() => ({ kind: 'line gone' }));
  const found = new Map<Move, Retention>();
  for (const accept of accepts) if (await repository.isAncestor(accept.prepared.new, tip)) found.set(accept, { kind: 'retained', as: accept.prepared.new });
  const missing = accepts.filter((accept) => !found.has(accept));
  const [oldest] = missing;
  if (oldest === undefined) return accepts.map((accept) => found.get(accept) ?? { kind: 'rewritten' });
  signal.throwIfAborted();
  const history = await repository.historySince(oldest.prepared.new, tip);
  // A commit that is one accept itself is not what became of another.
  const byTrailer = acceptsByTrailer(history, episode).filter((commit) => ![...found.values()].some((one) => one.kind === 'retained' && one.as === commit));
  const samePatch = new Map<Move, CommitId | null>();
  // Fewer commits than accepts: some were dropped, or squashed into another.
  for (const accept of byTrailer.length < missing.length ? missing : []) {
    signal.throwIfAborted();
    samePatch.set(accept, await repository.samePatch(accept.prepared.new, accept.prepared.paths, history.map((one) => one.commit)));
  }
  // What is one accept as it was is no squash of it with others.
  const squashed = byTrailer.findLast((commit) => ![...samePatch.values()].includes(commit));
  for (const [i, accept] of missing.toReversed().entries()) {
    const as = samePatch.has(accept) ? samePatch.get(accept) ?? squashed : byTrailer[i];
    found.set(accept, as === undefined ? { kind: 'rewritten' } : { kind: 'retained', as });
  }
  return accepts.map((accept) => found.get(accept) ?? { kind: 'rewritten' });
}
