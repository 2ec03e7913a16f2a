import { refName, type EpisodeId, type RefName } from '../ids.ts';

/** Refs of one episode, under `refs/worldtree/episodes/<id>/`. No branch is ever made for one. */
export function episodeRefs(id: EpisodeId): { readonly prefix: string; readonly base: RefName; readonly record: RefName; readonly candidates: string; candidate(number: number): RefName; outside(number: number): RefName } {
  const prefix = `refs/worldtree/episodes/${id}/`;
  const ref = (name: string) => refName.parse(`${prefix}${name}`);
  return { prefix, base: ref('base'), record: ref('record'), candidates: `${prefix}candidate/`, candidate: (n) => ref(`candidate/${n}`), outside: (n) => ref(`outside/${n}`) };
}

/** What holds a tree while it is checked. No process leaves one behind but one that was killed. */
export const SCRATCH_REFS = 'refs/worldtree/scratch/';

export function scratchRef(name: string): RefName {
  return refName.parse(`${SCRATCH_REFS}${name}`);
}
