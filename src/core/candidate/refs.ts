import { episodeId, refName, type EpisodeId, type RefName } from '../ids.ts';

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

/** Under what all of them stand. */
export const EPISODE_REFS = 'refs/worldtree/episodes/';

/** A ref of an agent's history that another clone may have too; null for any other, and for what was saved of a worktree, which stays where it is. */
export function parseEpisodeRef(ref: string): { readonly id: EpisodeId; readonly isRecord: boolean } | null {
  const match = /^refs\/worldtree\/episodes\/(e[1-9][0-9]{0,8}-[a-z0-9]{4})\/(?:(record)|base|(?:candidate|outside)\/[1-9][0-9]{0,6})$/.exec(ref);
  return match === null ? null : { id: episodeId.parse(match[1]), isRecord: match[2] !== undefined };
}
