import type { Episode } from '../world/state.ts';
import { maskSecrets } from '../secretLooks.ts';
import { count, oneLine, size } from './amounts.ts';
import { agentName, outcomeWords } from './episodeWords.ts';

/** What publishing one agent would bring to a remote. */
interface Offer {
  readonly there: 'first' | 'newer' | 'older' | 'another way';
  readonly extent: { readonly commits: number; readonly bytes: number };
  readonly ownCommits: number;
}

/** One agent in the list of what could be published. */
export interface PublishRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly picked: boolean;
}

/** Rejected work, and words that hold a key, go only where the person says so; what git would refuse is shown and not picked. */
export function publishRow(episode: Episode, offer: Offer, remote: string): PublishRow {
  const { phase } = episode;
  const stands = phase.name === 'ended' ? outcomeWords(phase.outcome) : 'waits for a verdict';
  const refusedByGit = offer.there === 'older' || offer.there === 'another way';
  const secret = wordsOf(episode).some((words) => maskSecrets(words) !== words);
  const rejected = phase.name === 'ended' && phase.outcome === 'rejected';
  return {
    label: agentName(episode),
    description: [stands, `${count(offer.extent.commits, 'commit')}, ${size(offer.extent.bytes)}`, thereWords(offer.there, remote)].filter((part) => part !== '').join(' · '),
    detail: [
      ...(secret ? ['its goal or report holds what looks like a key or password'] : []),
      ...(offer.ownCommits > 0 ? [`with ${count(offer.ownCommits, 'commit')} of yours that ${remote} lacks`] : []),
      oneLine(maskSecrets(episode.goal), 120),
    ].join(' · '),
    picked: !refusedByGit && !secret && (!rejected || offer.there === 'newer'),
  };
}

/** What others would read of it besides its code. */
function wordsOf({ goal, candidates, reworked, phase }: Episode): readonly string[] {
  return [goal, ...candidates.flatMap(({ subject, report }) => [subject, report]), reworked?.words ?? '', phase.name === 'ended' ? phase.words : ''];
}

function thereWords(there: Offer['there'], remote: string): string {
  switch (there) {
    case 'first': return '';
    case 'newer': return `${remote} has an earlier state of it`;
    case 'older': return `${remote} has a state of it that is not here: fetch first`;
    case 'another way': return `went another way on ${remote}: will be refused`;
  }
}
