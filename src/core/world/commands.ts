import type { Candidate } from '../candidate/candidate.ts';
import type { Evidence } from '../constraints/constraint.ts';
import type { ModelRef } from '../episode/model.ts';
import type { AbsolutePath, CommitId, EpisodeId, FilePath, MoveId, TreeId } from '../ids.ts';
import type { Answer, ImportedEpisode, Line, Outcome, PreparedMove, Question, RoleName, World } from '../ledger/events.ts';
import type { Limits } from '../limits/limits.ts';
import type { Usage } from '../limits/usage.ts';

/** How an episode can end by itself; the other outcomes are verdicts, or found in the line's history. */
type OwnOutcome = Exclude<Outcome, 'retained' | 'rejected' | 'not integrated' | 'rewritten'>;

/** What the person, an episode or the runtime asks of the world. Times are milliseconds since the epoch. */
export type Command =
  | { readonly type: 'delegate'; readonly tag: string; readonly world: World; readonly target: Line; readonly goal: string; readonly role: RoleName; readonly model: ModelRef; readonly limits: Limits; readonly uncommittedElsewhere: number; readonly configWarnings: readonly string[] }
  | { readonly type: 'worktree prepared'; readonly episode: EpisodeId; readonly worktree: AbsolutePath; readonly brought: readonly FilePath[]; readonly notes: readonly string[] }
  | { readonly type: 'request model'; readonly episode: EpisodeId; readonly at: number; readonly estimate: Usage; readonly usd: number }
  | { readonly type: 'model answered'; readonly episode: EpisodeId; readonly request: number; readonly usage: Usage; readonly usd: number; readonly estimated: boolean }
  | { readonly type: 'model failed'; readonly episode: EpisodeId; readonly request: number; readonly words: string; readonly usage: Usage; readonly usd: number; readonly estimated: boolean }
  | { readonly type: 'tool ran'; readonly episode: EpisodeId; readonly name: string; readonly ok: boolean; readonly ms: number }
  | { readonly type: 'ask'; readonly episode: EpisodeId; readonly question: Question }
  | { readonly type: 'answer'; readonly episode: EpisodeId; readonly answer: Answer }
  | { readonly type: 'propose'; readonly episode: EpisodeId; readonly candidate: Candidate; readonly replaces: number | null }
  | { readonly type: 'end'; readonly episode: EpisodeId; readonly outcome: OwnOutcome; readonly words: string }
  | { readonly type: 'stop'; readonly episode: EpisodeId }
  | { readonly type: 'message'; readonly episode: EpisodeId; readonly words: string }
  | { readonly type: 'cancel'; readonly episode: EpisodeId }
  | { readonly type: 'look'; readonly episode: EpisodeId; readonly number: number }
  | { readonly type: 'check ran'; readonly episode: EpisodeId; readonly number: number; readonly evidence: Evidence; readonly tip?: CommitId; readonly alone?: TreeId }
  | { readonly type: 'reject'; readonly episode: EpisodeId; readonly reason: string }
  | { readonly type: 'add reason'; readonly episode: EpisodeId; readonly reason: string }
  | { readonly type: 'withdraw reject'; readonly episode: EpisodeId }
  | { readonly type: 'rework'; readonly episode: EpisodeId; readonly words: string; readonly editedByPerson: readonly FilePath[]; readonly madeAgain: { readonly worktree: AbsolutePath; readonly brought: readonly FilePath[]; readonly notes: readonly string[] } | null; readonly model?: ModelRef }
  /**
   * `judged`: the commit that waits and that the move was made for, since an edit saved meanwhile may stand under the same number; null where none waits.
   * `gone`: newer accepts of the agent that no line holds any more, and that an undo therefore passes over.
   */
  | { readonly type: 'prepare move'; readonly prepared: PreparedMove; readonly judged: CommitId | null; readonly gone: readonly MoveId[] }
  | { readonly type: 'move done'; readonly move: MoveId; readonly tree: TreeId }
  | { readonly type: 'move dropped'; readonly move: MoveId; readonly words: string }
  | { readonly type: 'move unclear'; readonly move: MoveId; readonly words: string }
  /** Another clone's record, checked against its commits, becomes an agent of this ledger too. */
  | { readonly type: 'import'; readonly imported: ImportedEpisode }
  | { readonly type: 'publish'; readonly episode: EpisodeId; readonly remote: string }
  /** This window became the owner: what an earlier one left in the middle is picked up or asked about. */
  | { readonly type: 'recover'; readonly at: number };
