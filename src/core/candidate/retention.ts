import type { CommitId, EpisodeId } from '../ids.ts';
import { parseTrailers } from './trailers.ts';

/** Where an accepted change is on its line now: under its own commit, under another one after a rebase or a squash, or nowhere that can be told; or its branch is deleted. */
export type Retention = { readonly kind: 'retained'; readonly as: CommitId } | { readonly kind: 'rewritten' } | { readonly kind: 'line gone' };

export interface HistoryCommit {
  readonly commit: CommitId;
  readonly message: string;
}

/**
 * Commits of a history, newest first, that say by their trailers that they hold accepts of this episode. An undo bears the
 * episode's trailer too: it takes back the accept that comes before it, and both fall out.
 */
export function acceptsByTrailer(history: readonly HistoryCommit[], episode: EpisodeId): CommitId[] {
  let undone = 0;
  return history.flatMap(({ commit, message }) => {
    if (parseTrailers(message)?.episode !== episode) return [];
    if (/^Takes back [0-9a-f]{7,}\.$/m.test(message)) undone += 1;
    else if (undone > 0) undone -= 1;
    else return [commit];
    return [];
  });
}
