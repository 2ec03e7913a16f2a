import { EPISODE_REFS, episodeRefs } from '../../core/candidate/refs.ts';
import type { CommitId, RefName } from '../../core/ids.ts';
import { Refused } from '../../core/refusal.ts';
import type { Episode } from '../../core/world/state.ts';
import type { OfferedAgent, OpenHistory, Published, PublishPlan } from '../openWorld.ts';
import type { Repository } from '../ports/repository.ts';
import type { HistoryParts } from './historyParts.ts';

/** Looks at what the remote has and says what each agent would bring to it. Nothing is sent. */
export async function planPublish({ ports: { repository, remotes }, log, records }: HistoryParts, { remote, signal, progress }: Parameters<OpenHistory['planPublish']>[0]): Promise<PublishPlan> {
  progress(`asking ${remote} what it has`);
  const shown = await remotes.refsOf(remote, signal);
  await records.writeMissing();
  const here = await localRefs(repository);
  const there = new Map(shown.map(({ ref, commit }) => [ref, commit]));
  const known = [...new Set(there.values())];
  const episodes = [...log.state.episodes.values()];
  const settled = episodes.filter(isSettled).toSorted((a, b) => b.changedAt - a.changedAt);
  const offered: OfferedAgent[] = [];
  for (const [i, episode] of settled.entries()) {
    if (signal.aborted) throw new Refused({ reason: 'cancelled', message: 'Looking at what could be published was cancelled.', next: 'Nothing was sent.' });
    progress(`looking at ${i + 1} of ${settled.length} agents`);
    const refs = historyRefs(episode, here);
    const missing = refs.filter((ref) => there.get(ref) !== here.get(ref));
    if (missing.length === 0) continue;
    const commits = missing.flatMap((ref) => here.get(ref) ?? []);
    offered.push({
      episode: episode.id, there: await standsThere(repository, episode, missing, { here, there }),
      extent: await remotes.extent(commits, known), ownCommits: (await remotes.extent([episode.world.commit], known)).commits,
    });
  }
  return { offered, there: settled.length - offered.length, atWork: episodes.length - settled.length };
}

/** The fact first: once it may be elsewhere, no ref of an agent but its record moves again. */
export async function publish({ ports: { repository, remotes }, log, records }: HistoryParts, { remote, episodes, signal, progress }: Parameters<OpenHistory['publish']>[0]): Promise<Published> {
  const refused: { episode: Episode['id']; words: string }[] = [];
  const going: Episode[] = [];
  for (const id of episodes) {
    const told = await log.dispatch({ type: 'publish', episode: id, remote });
    if (!told.ok) refused.push({ episode: id, words: told.refusal.message });
    else {
      going.push(log.episode(id));
      await records.keep(id);
    }
  }
  const here = await localRefs(repository);
  const refsOf = new Map(going.map((episode) => [episode.id, historyRefs(episode, here)]));
  const answers = going.length === 0 ? [] : await remotes.push(remote, [...refsOf.values()].flat(), { signal, progress });
  for (const [episode, refs] of refsOf) {
    const words = answers.filter(({ ref }) => refs.includes(ref)).map((answer) => `${answer.ref.slice(EPISODE_REFS.length)}: ${answer.words}`);
    if (words.length > 0) refused.push({ episode, words: words.join('; ') });
  }
  return { sent: going.map(({ id }) => id).filter((id) => !refused.some(({ episode }) => episode === id)), refused };
}

export function isSettled({ phase }: Episode): boolean {
  return phase.name === 'waiting' || phase.name === 'ended';
}

export async function localRefs(repository: Repository): Promise<ReadonlyMap<RefName, CommitId>> {
  return new Map((await repository.listRefs(EPISODE_REFS)).map(({ ref, commit }) => [ref, commit]));
}

/** What its record speaks of: a candidate that a crash left without a fact, and what was saved of a worktree, stay here. */
function historyRefs(episode: Episode, here: ReadonlyMap<RefName, CommitId>): RefName[] {
  const refs = episodeRefs(episode.id);
  const outside = new Set<CommitId | undefined>(episode.candidates.flatMap(({ outsideCommit }) => outsideCommit ?? []));
  const numbers = episode.candidates.map(({ number }) => number);
  const all = [refs.base, ...numbers.map((n) => refs.candidate(n)), ...numbers.map((n) => refs.outside(n)).filter((ref) => outside.has(here.get(ref))), refs.record];
  return all.filter((ref) => here.has(ref));
}

async function standsThere(repository: Repository, episode: Episode, missing: readonly RefName[], { here, there }: Record<'here' | 'there', ReadonlyMap<RefName, CommitId>>): Promise<OfferedAgent['there']> {
  const { record } = episodeRefs(episode.id);
  if (missing.some((ref) => ref !== record && there.has(ref))) return 'another way';
  const theirs = there.get(record);
  const ours = here.get(record);
  if (theirs === undefined || ours === undefined || theirs === ours) return 'first';
  if (await repository.resolve(theirs) === null) return 'older';
  if (await repository.isAncestor(theirs, ours)) return 'newer';
  return await repository.isAncestor(ours, theirs) ? 'older' : 'another way';
}
