import type { Candidate } from '../candidate/candidate.ts';
import type { Evidence } from '../constraints/constraint.ts';
import type { ModelRef } from '../episode/model.ts';
import type { AbsolutePath, CommitId, EpisodeId, FilePath, MoveId, TreeId } from '../ids.ts';
import type { Line, Outcome, PreparedMove, Question, RoleName, World } from '../ledger/events.ts';
import type { Limits } from '../limits/limits.ts';
import type { Usage } from '../limits/usage.ts';

/** What one repository's ledger says: the only source of every view and decision. */
export interface WorldState {
  readonly episodes: ReadonlyMap<EpisodeId, Episode>;
  readonly moves: ReadonlyMap<MoveId, Move>;
  /** Number of the next episode of this ledger. */
  readonly nextEpisode: number;
}

export interface Episode {
  readonly id: EpisodeId;
  readonly parent: EpisodeId | null;
  readonly world: World;
  readonly target: Line;
  readonly goal: string;
  readonly role: RoleName;
  readonly model: ModelRef;
  readonly limits: Limits;
  readonly uncommittedElsewhere: number;
  /** What in genesis.toml has no effect on it, and why. */
  readonly configWarnings: readonly string[];
  readonly worktree: AbsolutePath | null;
  readonly brought: readonly FilePath[];
  /** What the agent should know of its worktree: setup that failed, files that are LFS pointers. */
  readonly notes: readonly string[];
  /** The person let it start with the repository's filters off: a program of one is missing. */
  readonly withoutFilters: boolean;
  /** It was ended with its files left in the worktree: nobody takes that away but the person. */
  readonly worktreeKept: boolean;
  readonly phase: Phase;
  readonly spent: Spent;
  readonly candidates: readonly Candidate[];
  readonly evidence: readonly { readonly number: number; readonly evidence: Evidence; /** The commit whose merge with the candidate was checked; null where it was the candidate alone. */ readonly tip: CommitId | null; /** What of the candidate was merged; null where it was all of it. */ readonly alone: TreeId | null; readonly at: number }[];
  /** The newest candidate that the person has opened: what *Changes since I looked* compares with. */
  readonly looked: number | null;
  /** The person's words at the last rework, and which candidate they were about. */
  readonly reworked: { readonly number: number; readonly words: string } | null;
  /** What the person said to it while it was not done, oldest first. */
  readonly messages: readonly PersonMessage[];
  /** The person asked it to come to an end, and it has not yet. */
  readonly cancelling: boolean;
  /** The record of another clone that was taken last; null for an agent that only this ledger tells of. */
  readonly taken: CommitId | null;
  /** Up to which candidate its refs may be in another clone, and so never move again; 0 where none was published or fetched. */
  readonly published: number;
  readonly startedAt: number;
  readonly changedAt: number;
}

export interface PersonMessage {
  readonly number: number;
  readonly words: string;
}

/** Where an episode is in its life. */
export type Phase =
  | { readonly name: 'preparing' }
  | { readonly name: 'running'; readonly since: number }
  /** Needs the person; spends nothing and holds no slot. */
  | { readonly name: 'asking'; readonly question: Question; readonly since: number }
  | { readonly name: 'interrupted'; readonly since: number }
  /** A proposed change waits for its verdict. */
  | { readonly name: 'waiting'; readonly candidate: number; readonly since: number }
  /** An accept or undo is between its first and last step. */
  | { readonly name: 'judging'; readonly candidate: number; readonly move: MoveId; readonly before: WaitingOrEnded; /** What a start after a crash found and could not put right. */ readonly unclear?: string }
  | WaitingOrEnded;

type WaitingOrEnded =
  | { readonly name: 'waiting'; readonly candidate: number; readonly since: number }
  | { readonly name: 'ended'; readonly outcome: Outcome; readonly words: string; readonly candidate: number | null; readonly at: number };

export interface Spent {
  readonly usage: Usage;
  readonly usd: number;
  /** True where any of it is an estimate. */
  readonly estimated: boolean;
  readonly turns: number;
  /** Milliseconds in `preparing` and `running`; waiting and asking cost no wall time. */
  readonly wallMs: number;
  /** Requests that were sent and have no answer yet, with what was reserved for them. */
  readonly inFlight: ReadonlyMap<number, { readonly usage: Usage; readonly usd: number }>;
  readonly nextRequest: number;
  /** Each request that has been counted, in the order of their answers. Empty of what another clone told of: it tells sums. */
  readonly requests: readonly RequestSpent[];
}

/** What one request used. */
export interface RequestSpent {
  readonly request: number;
  readonly at: number;
  readonly usage: Usage;
  readonly usd: number;
  readonly estimated: boolean;
  readonly answered: boolean;
}

export interface Move {
  readonly prepared: PreparedMove;
  readonly at: number;
  readonly state:
    | { readonly name: 'prepared' }
    | { readonly name: 'done'; readonly tree: TreeId; readonly at: number }
    | { readonly name: 'dropped'; readonly words: string }
    | { readonly name: 'unclear'; readonly words: string };
}

export const EMPTY_WORLD: WorldState = { episodes: new Map(), moves: new Map(), nextEpisode: 1 };

export function candidateOf(episode: Episode, number: number): Candidate | undefined {
  return episode.candidates.find((c) => c.number === number);
}

/** The candidate that a verdict would be about: the one that waits, is judged, or was judged last. */
export function currentCandidate(episode: Episode): Candidate | undefined {
  switch (episode.phase.name) {
    case 'waiting':
    case 'judging':
      return candidateOf(episode, episode.phase.candidate);
    case 'ended':
      return episode.phase.candidate === null ? undefined : candidateOf(episode, episode.phase.candidate);
    case 'preparing': case 'running': case 'asking': case 'interrupted':
      return undefined;
  }
}

/** The accepts of this episode that stand, done and not undone since, the newest last: several where only some files were accepted at a time. */
export function standingAccepts(state: WorldState, episode: EpisodeId): readonly Move[] {
  const standing: Move[] = [];
  for (const move of state.moves.values()) {
    if (move.prepared.episode !== episode || move.state.name !== 'done') continue;
    if (move.prepared.kind === 'accept') standing.push(move);
    else {
      const undone = standing.findLastIndex((accept) => acceptedNumber(accept.prepared) === move.prepared.candidate);
      // A ledger that was copied in part may hold an undo without its accept: it takes back no other.
      if (undone >= 0) standing.splice(undone, 1);
    }
  }
  return standing;
}

/** The one that an undo takes back. */
export function standingAccept(state: WorldState, episode: EpisodeId): Move | undefined {
  return standingAccepts(state, episode).at(-1);
}

/** The candidate that the line takes, or gives back. */
export function acceptedNumber({ candidate, split }: PreparedMove): number {
  return split?.taken.number ?? candidate;
}

/** The commit that an episode goes on from: its newest candidate, else its world's version. */
export function newestCommit(episode: Episode): CommitId {
  return episode.candidates.at(-1)?.commit ?? episode.world.commit;
}

/** The recorded base that the next candidate of this episode has: a re-made one may stand on a newer tip than the first. */
export function baseOf(episode: Episode): CommitId {
  return episode.candidates.at(-1)?.base ?? episode.world.commit;
}

export function nextCandidate(episode: Episode): number {
  return (episode.candidates.at(-1)?.number ?? 0) + 1;
}
