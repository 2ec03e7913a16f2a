import { shortEpisode, type EpisodeId } from '../../core/ids.ts';
import { count, listed } from '../../core/projections/amounts.ts';
import type { Published, Taken } from '../../runtime/openWorld.ts';

export function publishedWords({ sent, refused }: Published, remote: string): string {
  return [
    sent.length === 0 ? `Nothing was published to ${remote}.` : `${count(sent.length, 'agent')} published to ${remote}: ${names(sent)}. Whoever can read ${remote} gets them with Fetch History.`,
    ...refused.slice(0, 3).map(({ episode, words }) => `${shortEpisode(episode)} was refused: ${sentence(words)}`),
    ...(refused.length > 3 ? [`${count(refused.length - 3, 'more was', 'more were')} refused.`] : []),
  ].join(' ');
}

/** `from` as in “from origin” or “from this repository’s refs”. */
export function takenWords({ added, changed, left }: Taken, from: string): string {
  return [
    added.length + changed.length === 0 ? `Nothing new came from ${from}.` : '',
    added.length > 0 ? `${count(added.length, 'agent')} came from ${from}: ${names(added)}.` : '',
    changed.length > 0 ? `${names(changed)} ${changed.length === 1 ? 'has' : 'have'} a newer verdict from there.` : '',
    ...left.slice(0, 3).map(({ name, words }) => `${name.replace('refs/worldtree/episodes/', '')} was left alone: ${sentence(words)}`),
    left.length > 3 ? `${count(left.length - 3, 'more was', 'more were')} left alone.` : '',
  ].filter((part) => part !== '').join(' ');
}

function names(ids: readonly EpisodeId[]): string {
  return listed(ids.map(shortEpisode), 6);
}

function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
