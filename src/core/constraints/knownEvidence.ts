import type { TreeId } from '../ids.ts';
import type { WorldState } from '../world/state.ts';
import type { Evidence } from './constraint.ts';

/** What running a command on exactly this tree, prepared exactly this way, has given so far, oldest first. */
export function evidenceFor(state: WorldState, key: { readonly tree: TreeId; readonly definition: string; readonly setup: string }): readonly Evidence[] {
  return evidenceOn(state, key.tree).filter((e) => e.definition === key.definition && e.setup === key.setup);
}

export function evidenceOn(state: WorldState, tree: TreeId): readonly Evidence[] {
  return [...state.episodes.values()].flatMap((episode) => episode.evidence).filter(({ evidence }) => evidence.tree === tree).toSorted((a, b) => a.at - b.at).map(({ evidence }) => evidence);
}

/** Whether a command gave two different results on one tree; one that did not run to its end says nothing of the tree. */
export function isFlaky(ran: readonly Evidence[]): boolean {
  return new Set(ran.map((e) => e.result).filter((result) => result === 'passed' || result === 'failed')).size > 1;
}
