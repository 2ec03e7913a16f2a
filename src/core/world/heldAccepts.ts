import { candidateFiles } from '../candidate/candidate.ts';
import type { Retention } from '../candidate/retention.ts';
import type { EpisodeId, FilePath, MoveId } from '../ids.ts';
import { acceptedNumber, candidateOf, standingAccepts, type Episode, type Move, type WorldState } from './state.ts';

/** What is known of where an accept is now; undefined where nothing is. */
type RetentionOf = (accept: MoveId) => Retention | undefined;

/**
 * The accept that Undo takes back: the newest that a line still holds. Where none is known to be held, the newest: what
 * cannot be found by trailer or patch may still be in a commit, and the undo itself looks.
 */
export function undoOffered(state: WorldState, episode: EpisodeId, retention: RetentionOf): Move | undefined {
  return heldAccepts(state, episode, retention).at(-1) ?? standingAccepts(state, episode).at(-1);
}

/** Files of an episode's changes that a line holds while the rest of them waits. */
export function acceptedFiles(state: WorldState, episode: Episode, retention: RetentionOf): readonly FilePath[] {
  const taken = heldAccepts(state, episode.id, retention).flatMap(({ prepared }) => candidateOf(episode, acceptedNumber(prepared)) ?? []);
  return [...new Set(taken.flatMap((candidate) => candidateFiles(candidate).map((file) => file.path)))];
}

/** The accepts that stand, without those that the person is known to have taken off their lines. */
function heldAccepts(state: WorldState, episode: EpisodeId, retention: RetentionOf): readonly Move[] {
  return standingAccepts(state, episode).filter(({ prepared }) => (retention(prepared.move)?.kind ?? 'retained') === 'retained');
}
