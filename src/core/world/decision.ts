import type { EpisodeId, MoveId } from '../ids.ts';
import type { LedgerEvent } from '../ledger/events.ts';
import type { Refusal } from '../refusal.ts';

/** What follows from a command: facts for the ledger, then work for the runtime; or why nothing happens. */
export type Decision =
  | { readonly kind: 'accepted'; readonly events: readonly LedgerEvent[]; readonly effects: readonly Effect[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Work that the runtime performs after the facts stand in the ledger. Its results come back as commands. */
export type Effect =
  /** Make the worktree, then report `worktree prepared`. */
  | { readonly do: 'prepare worktree'; readonly episode: EpisodeId }
  /** Drive the episode's loop from its transcript. */
  | { readonly do: 'continue'; readonly episode: EpisodeId }
  /** Take what the worktree holds as a proposed change, or end the episode where it holds nothing. */
  | { readonly do: 'hand in'; readonly episode: EpisodeId; readonly why: string; readonly otherwise: 'cancelled' | 'failed' | 'stuck' | 'out of turns' }
  /** Abort the request or command in flight. */
  | { readonly do: 'halt'; readonly episode: EpisodeId }
  /** The episode is over: write its record, give its worktree back. */
  | { readonly do: 'close'; readonly episode: EpisodeId }
  /** A change waits: write its record, so that the history can go on in another clone. */
  | { readonly do: 'record'; readonly episode: EpisodeId }
  | { readonly do: 'recover move'; readonly move: MoveId }
  | { readonly do: 'raise daily cap'; readonly episode: EpisodeId; readonly limit: 'daily cost' | 'daily tokens' };

export function accepted(events: readonly LedgerEvent[], effects: readonly Effect[] = []): Decision {
  return { kind: 'accepted', events, effects };
}

export function refused(refusal: Refusal): Decision {
  return { kind: 'refused', refusal };
}
