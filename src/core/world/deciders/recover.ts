import type { LedgerEvent } from '../../ledger/events.ts';
import type { Command } from '../commands.ts';
import { accepted, type Decision, type Effect } from '../decision.ts';
import type { Episode, WorldState } from '../state.ts';
import { countAbandoned } from './request.ts';
import { isAwaited } from './answer.ts';

/** A reload within this time goes on by itself; after longer, or after sleep, the person is asked. */
export const RESUME_WITHIN_MS = 10 * 60_000;

/**
 * Start is recovery (rule 9). Requests that were in flight are counted as reserved and marked as estimated; moves that
 * were prepared are looked up on disk; episodes that were at work go on, or ask first.
 */
export function recover(state: WorldState, command: Extract<Command, { type: 'recover' }>): Decision {
  const events: LedgerEvent[] = [];
  const effects: Effect[] = [];
  for (const move of state.moves.values()) {
    if (move.state.name === 'prepared' || move.state.name === 'unclear') effects.push({ do: 'recover move', move: move.prepared.move });
  }
  for (const episode of state.episodes.values()) {
    // First that it was cut off, then what that cost: a fact in between would count the time that the window was closed as work.
    goOn(episode, command.at, events, effects);
    events.push(...countAbandoned(episode, 'The window closed while this request was in flight.'));
  }
  return accepted(events, effects);
}

function goOn(episode: Episode, at: number, events: LedgerEvent[], effects: Effect[]): void {
  const { phase } = episode;
  const soon = at - episode.changedAt <= RESUME_WITHIN_MS;
  switch (phase.name) {
    case 'asking':
      // The tool call or setup that asked died with its window; the others stand as they are.
      if (!isAwaited(phase.question)) return;
      break;
    case 'preparing': case 'running':
      break;
    case 'interrupted': case 'waiting': case 'judging': case 'ended':
      return;
  }
  if (!soon) {
    events.push({ type: 'episode.interrupted', episode: episode.id });
    return;
  }
  events.push({ type: 'episode.resumed', episode: episode.id });
  effects.push(episode.worktree === null ? { do: 'prepare worktree', episode: episode.id } : { do: 'continue', episode: episode.id });
}
