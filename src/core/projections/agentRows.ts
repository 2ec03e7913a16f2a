import { modelName } from '../episode/model.ts';
import type { Retention } from '../candidate/retention.ts';
import { shortCommit, type EpisodeId, type MoveId } from '../ids.ts';
import { displayFolder } from '../paths.ts';
import { standingAccept, type Episode, type WorldState } from '../world/state.ts';
import { oneLine } from './amounts.ts';
import { agentName, limitWords, lineName, retentionWords, spentWords, stateWords, urgency, type Urgency } from './episodeWords.ts';

/** One agent in Agents, with its children below it. */
export interface AgentRow {
  readonly episode: EpisodeId;
  readonly urgency: Urgency;
  /** True where the agent has a proposed change to open. */
  readonly hasChange: boolean;
  readonly label: string;
  readonly description: string;
  readonly facts: readonly string[];
  readonly outcome: 'accepted' | 'rejected' | 'failed' | 'other' | null;
  readonly children: readonly AgentRow[];
}

export interface AgentContext {
  readonly live: (episode: EpisodeId) => string | undefined;
  /** Where an accepted change is now; undefined while that is not known. */
  readonly retention: (accept: MoveId) => Retention | undefined;
}

/** At most this many ended agents stand at the top level; older ones are in the history. */
const ENDED_SHOWN = 100;

/** Those that are not over, newest first, then the ended ones, latest end first. A child stands under its parent. */
export function agentRows(state: WorldState, context: AgentContext): AgentRow[] {
  const children = new Map<EpisodeId | null, Episode[]>();
  for (const episode of state.episodes.values()) {
    // A parent that was removed from the history leaves its children at the top, rather than out of sight.
    const parent = episode.parent !== null && state.episodes.has(episode.parent) ? episode.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), episode]);
  }
  const rowsBelow = (parent: EpisodeId | null): AgentRow[] => sorted(children.get(parent) ?? []).map((e) => row(state, e, context, rowsBelow(e.id)));
  const top = rowsBelow(null);
  let ended = 0;
  return top.filter((r) => r.urgency !== 'ended' || ++ended <= ENDED_SHOWN);
}

function sorted(episodes: readonly Episode[]): Episode[] {
  const over = (e: Episode) => (e.phase.name === 'ended' ? 1 : 0);
  const at = (e: Episode) => (e.phase.name === 'ended' ? e.phase.at : e.startedAt);
  return episodes.toSorted((a, b) => over(a) - over(b) || at(b) - at(a));
}

function row(state: WorldState, episode: Episode, context: AgentContext, children: readonly AgentRow[]): AgentRow {
  return {
    episode: episode.id,
    urgency: urgency(episode),
    hasChange: episode.candidates.length > 0,
    label: agentName(episode),
    description: [stateWords(episode, context.live(episode.id)), whereNow(state, episode, context), spentWords(episode)].filter((part) => part !== '').join(' · '),
    outcome: outcomeOf(episode),
    facts: [
      oneLine(episode.goal, 400),
      `${displayFolder(episode.world.path)} at ${shortCommit(episode.world.commit)}, for ${lineName(episode.target)}`,
      `${modelName(episode.model)} · ${episode.role}${episode.model.kind === 'survey' ? '' : ` · ${limitWords(episode.limits, episode.model)}`}`,
      spentWords(episode),
      ...(episode.uncommittedElsewhere > 0 ? [`Started without ${String(episode.uncommittedElsewhere)} uncommitted files elsewhere`] : []),
    ],
    children,
  };
}

function whereNow(state: WorldState, { id, phase }: Episode, context: AgentContext): string {
  const accept = phase.name === 'ended' ? standingAccept(state, id) : undefined;
  return accept ? retentionWords(accept, context.retention(accept.prepared.move)) : '';
}

function outcomeOf(episode: Episode): AgentRow['outcome'] {
  if (episode.phase.name !== 'ended') return null;
  switch (episode.phase.outcome) {
    case 'retained': return 'accepted';
    case 'rejected': return 'rejected';
    case 'failed': case 'stuck': case 'out of turns': return 'failed';
    case 'no change': case 'not integrated': case 'rewritten': case 'cancelled': return 'other';
  }
}
