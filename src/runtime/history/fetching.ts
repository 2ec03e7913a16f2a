import { parseEpisodeRef } from '../../core/candidate/refs.ts';
import type { CommitId, EpisodeId, RefName } from '../../core/ids.ts';
import type { OpenHistory, Taken } from '../openWorld.ts';
import type { RemoteRef } from '../ports/remotes.ts';
import type { HistoryParts } from './historyParts.ts';
import { isSettled, localRefs } from './publishing.ts';

type Wanted = RemoteRef & { readonly old: CommitId | null };

/** Brings the refs of agents that are not here, and newer records of those that are; a ref that stands here and is no record is never moved. */
export async function bringFrom({ ports: { repository, remotes, ledger }, log }: HistoryParts, { remote, signal, progress }: Pick<Parameters<OpenHistory['fetch']>[0], 'remote' | 'signal' | 'progress'>): Promise<{ readonly brought: ReadonlySet<EpisodeId>; readonly left: Taken['left'] }> {
  progress(`asking ${remote} what it has`);
  const there = byAgent(await remotes.refsOf(remote, signal));
  const here = await localRefs(repository);
  const wanted: Wanted[] = [];
  const left: { name: string; words: string }[] = [];
  const asked = new Set<EpisodeId>();
  for (const [id, refs] of there) {
    const news = refs.filter(({ ref, commit }) => here.get(ref) !== commit);
    if (news.length === 0) continue;
    const words = whyLeft(id, news);
    if (words !== null) left.push({ name: id, words });
    else {
      asked.add(id);
      wanted.push(...news.map((ref) => ({ ...ref, old: here.get(ref.ref) ?? null })));
    }
  }
  // Its record comes last: where that stands, everything that it speaks of is here.
  const refused = await remotes.fetch(remote, wanted.toSorted((a, b) => Number(isRecord(a.ref)) - Number(isRecord(b.ref))), { signal, progress });
  left.push(...refused.map(({ ref, words }) => ({ name: ref, words })));
  return { brought: asked, left };

  function whyLeft(id: EpisodeId, news: readonly RemoteRef[]): string | null {
    const known = log.state.episodes.get(id);
    if (known && !isSettled(known)) return 'it is at work here, or its verdict is under way: fetch again when that is over';
    if (!known && id.endsWith(`-${ledger.tag}`)) return 'it bears the mark of this clone, which never gave it out or removed it';
    if (news.some(({ ref }) => !isRecord(ref) && here.has(ref))) return 'a proposed change of it is another one here';
    return null;
  }
}

function byAgent(refs: readonly RemoteRef[]): Map<EpisodeId, RemoteRef[]> {
  const agents = new Map<EpisodeId, RemoteRef[]>();
  for (const ref of refs) {
    const id = parseEpisodeRef(ref.ref)?.id;
    if (id !== undefined) agents.set(id, [...(agents.get(id) ?? []), ref]);
  }
  return agents;
}

function isRecord(ref: RefName): boolean {
  return parseEpisodeRef(ref)?.isRecord === true;
}
