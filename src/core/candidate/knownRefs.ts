import type { CommitId, RefName } from '../ids.ts';
import type { Episode, WorldState } from '../world/state.ts';
import { episodeRefs } from './refs.ts';

interface Ref {
  readonly ref: RefName;
  readonly commit: CommitId;
}

/**
 * Refs of an episode's candidates that are not as the ledger has them: a number's ref is written before its fact. `known`
 * is where it belongs, null where no candidate has the number. What an open accept or undo brings may count yet.
 */
export function refsApart(state: WorldState, { id, candidates }: Episode, refs: readonly Ref[]): readonly { readonly ref: RefName; readonly known: CommitId | null }[] {
  const open = [...state.moves.values()].filter(({ prepared, state: { name } }) => prepared.episode === id && (name === 'prepared' || name === 'unclear'));
  const brought = open.flatMap(({ prepared: { split, remade } }) => [...(split ? [split.taken, split.rest] : []), ...(remade ? [remade] : [])]);
  const known = new Map([...candidates, ...brought].map(({ number, commit }) => [episodeRefs(id).candidate(number), commit]));
  const prefix = episodeRefs(id).candidates;
  return refs.filter(({ ref, commit }) => ref.startsWith(prefix) && known.get(ref) !== commit).map(({ ref }) => ({ ref, known: known.get(ref) ?? null }));
}
