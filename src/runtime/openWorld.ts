import type { ChangedFile } from '../core/candidate/candidate.ts';
import type { Evidence } from '../core/constraints/constraint.ts';
import type { ModelRef } from '../core/episode/model.ts';
import type { TranscriptEntry } from '../core/episode/transcript.ts';
import type { Foreseen } from '../core/candidate/foreseen.ts';
import type { Retention } from '../core/candidate/retention.ts';
import type { AbsolutePath, CommitId, EpisodeId, FilePath, FolderPath, MoveId, RefName } from '../core/ids.ts';
import type { Answer, Line } from '../core/ledger/events.ts';
import type { DiskUse } from '../core/limits/diskBudget.ts';
import type { Limits } from '../core/limits/limits.ts';
import type { Refusal } from '../core/refusal.ts';
import type { WorldState } from '../core/world/state.ts';
import type { CheckState } from '../core/projections/checkWords.ts';
import type { OfferedCheck } from './offeredChecks.ts';
import type { MergeResult } from './ports/candidates.ts';
import type { FirstCommitOffer, FirstCommitRequest } from './ports/firstCommit.ts';
import type { ReadOnlyReason, TranscriptReader } from './ports/ledger.ts';
import type { Extent, Remote } from './ports/remotes.ts';
import type { Head, Repository } from './ports/repository.ts';

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/**
 * One repository's world as a window sees it: what the editor calls and listens to. Every verb resolves when its
 * fact stands in the ledger (or was refused); what follows from it shows in `state()` and `live()`.
 */
export interface OpenWorld {
  readonly repository: Repository;
  state(): WorldState;
  /** What an episode or a verdict is doing this moment; not a fact of the ledger, gone with the window. */
  live(episode: EpisodeId): Live | undefined;
  /** What an agent and its model said, as far as it is on this machine. */
  transcript(episode: EpisodeId): Promise<readonly TranscriptEntry[]>;
  /** The same for whoever shows it while it grows. */
  transcriptReader(episode: EpisodeId): TranscriptReader;
  /** What would stand in the way of a waiting change; undefined while that is not known. */
  foreseen(episode: EpisodeId): Foreseen | undefined;
  /** Where an accepted change is on its line now; undefined while that is not known. */
  retention(accept: MoveId): Retention | undefined;
  /** A branch or HEAD may have moved, by git in a terminal for one: what is known of lines is read again, in the background. */
  linesMoved(): void;
  /** Null where this window is the owner and its buttons work. */
  readOnly(): ReadOnlyReason | null;
  /** What replay could not read; told once to the person. */
  readonly warnings: readonly string[];
  /** What worktrees took on disk when it was last looked at; null before. */
  diskUse(): DiskUse | null;
  /** State or live status changed; at most every 100 ms. */
  onChange(listener: () => void): { dispose(): void };

  /** What the first commit of a repository that has none could hold. */
  offerFirstCommit(): Promise<Result<FirstCommitOffer>>;
  makeFirstCommit(request: FirstCommitRequest): Promise<Result<CommitId>>;
  /** What delegating a folder would start from; shown before anything starts. */
  /** `checkout`: from which one of this repository's, where several are open; its commit is started from, its branch is the line. */
  prepareDelegation(folder: FolderPath, checkout?: AbsolutePath): Promise<Result<DelegationPlan>>;
  delegate(request: DelegationRequest): Promise<Result<EpisodeId>>;
  /** Answers the question an episode asks (its phase is `asking` or `interrupted`). */
  answer(episode: EpisodeId, answer: Answer): Promise<Result<void>>;
  /** Says something to an agent that is not done: its model is told at its next turn. */
  message(episode: EpisodeId, words: string): Promise<Result<void>>;
  /** Lets an agent come to an end: nothing that runs is cut off, and it has one more turn. */
  cancel(episode: EpisodeId): Promise<Result<void>>;
  /** Ends an episode at once, without a grace turn. What it has done so far becomes a proposed change where there is any. */
  stop(episode: EpisodeId): Promise<Result<void>>;

  /** Ends all episodes of this repository at once, in whichever window they run. */
  stopEverything(): Promise<void>;

  /** The person opened this candidate: the baseline of *Changes since I looked*. */
  look(episode: EpisodeId, number: number): Promise<void>;
  /** A save in the right side of the diff. Makes candidate n+1, or replaces the edit candidate that is not judged yet. `bytes` null deletes. */
  saveEdit(episode: EpisodeId, path: FilePath, bytes: Uint8Array | null): Promise<Result<number>>;
  /** Lets the outside changes in (makes a candidate that holds them), or leaves them out for good. */
  decideOutside(episode: EpisodeId, decision: 'allow' | 'drop', files: readonly FilePath[]): Promise<Result<number>>;

  /** `files`: what of the change would be accepted; null for all of it. */
  planAccept(episode: EpisodeId, files: readonly FilePath[] | null): Promise<Result<AcceptPlan>>;
  /** Runs a command of `AcceptPlan.found` on the merged tree. What it gave is kept and binds nothing. */
  runOnce(request: RunOnceRequest): Promise<Result<Evidence>>;
  accept(request: AcceptRequest): Promise<Result<Accepted>>;
  /** Reverts just this accept at the tip of now, if it is the newest that a line still holds; the candidate waits again, re-made there. */
  undo(episode: EpisodeId, accept: MoveId, options: UndoOptions): Promise<Result<CommitId>>;
  reject(episode: EpisodeId, reason: string): Promise<Result<void>>;
  addRejectReason(episode: EpisodeId, reason: string): Promise<Result<void>>;
  withdrawReject(episode: EpisodeId): Promise<Result<void>>;
  /** `model`: for an agent of another clone, whose own cannot be spoken to from here. */
  rework(episode: EpisodeId, words: string, model?: ModelRef): Promise<Result<void>>;

  /** Publishing, fetching and rebuilding: the history beyond this clone's ledger. */
  readonly history: OpenHistory;

  close(): Promise<void>;
}

export interface Live {
  /** "making the worktree: 9,347 files", "turn 4: thinking", "turn 4: run npm test", "backing off 12 s: 429", "checking 2 of 3 on 3f9a21c". */
  readonly words: string;
  /** The last words of the model as they stream, 2,000 characters at most. */
  readonly text: string;
}

export interface DelegationPlan {
  readonly folder: FolderPath;
  readonly commit: CommitId;
  readonly head: Exclude<Head, { kind: 'unborn' }>;
  /** Uncommitted files under the folder: asked about once. */
  readonly uncommittedInside: readonly FilePath[];
  /** How many lie elsewhere: one grey line says that they are not included. */
  readonly uncommittedElsewhere: number;
  /** Other episodes at work in the same folder. */
  readonly alreadyThere: readonly EpisodeId[];
  /** Repositories of their own under the folder: no agent of this one sees or changes them. */
  readonly nestedRepositories: readonly FolderPath[];
  /** What in the commit's genesis.toml has no effect, and why. */
  readonly configWarnings: readonly string[];
}

export interface DelegationRequest {
  readonly plan: DelegationPlan;
  /** Null for a survey, which needs none. */
  readonly goal: string | null;
  readonly model: ModelRef;
  readonly limits: Limits;
}

export interface UndoOptions {
  readonly signal: AbortSignal;
  /** Files with unsaved changes in the editor, asked for at the moment of the look. */
  readonly unsaved: () => Promise<readonly AbsolutePath[]>;
}

export interface AcceptPlan {
  readonly episode: EpisodeId;
  readonly candidate: number;
  readonly target: Line;
  /** What is checked out in the folder that was opened first; both are named where it is another branch than the target. */
  readonly head: Head;
  /** Whose files follow the target. */
  readonly checkedOutIn: readonly AbsolutePath[];
  readonly tip: CommitId;
  /** Everything that the change holds, and what of it would be accepted: null for all, else the files that were picked and what cannot stand apart from them. */
  readonly changed: readonly ChangedFile[];
  readonly files: readonly FilePath[] | null;
  /** Commits of the line that the candidate's base lacks. */
  readonly behind: number;
  /** The message box's content: subject, body, trailers. */
  readonly message: string;
  readonly merged: MergeResult;
  readonly checks: readonly { readonly name: string; readonly required: boolean; readonly known: CheckState }[];
  /** True where no constraint covers the change: the dialog says *unchecked*. */
  readonly unchecked: boolean;
  /** Only where it is unchecked: commands of the project's own that could be checks, the nearest to the change first. */
  readonly found: readonly OfferedCheck[];
  /** Outside changes that neither were let in nor dropped: an accept is refused until they are. */
  readonly undecidedOutside: readonly FilePath[];
}

export interface RunOnceRequest {
  readonly episode: EpisodeId;
  readonly candidate: number;
  /** The name of a check in `AcceptPlan.found`. */
  readonly check: string;
  /** What of the change would be accepted; null for all of it. */
  readonly files: readonly FilePath[] | null;
  readonly signal: AbortSignal;
  readonly progress: (words: string) => void;
}

export interface AcceptRequest extends UndoOptions {
  readonly episode: EpisodeId;
  readonly candidate: number;
  /** `line`: the plan's target. `new-branch`: made at the tip, checked out nowhere. */
  readonly to: { readonly kind: 'line' } | { readonly kind: 'new-branch'; readonly ref: RefName };
  readonly message: string;
  /** Why the person accepts past a failing or missing check; null to be refused there. */
  readonly override: string | null;
  /** What of the change is accepted; the rest stays in Review. Null for all of it. */
  readonly files: readonly FilePath[] | null;
  readonly progress: (words: string) => void;
}

export interface Accepted {
  /** What an undo that is offered for just this accept names. */
  readonly move: MoveId;
  readonly commit: CommitId;
  readonly target: Line;
  /** True where the base was no ancestor of the tip and the change was carried over. */
  readonly transplanted: boolean;
  readonly filesUpdatedIn: readonly AbsolutePath[];
  /** How many files of the change stay in Review; 0 where all of it was taken. */
  readonly rest: number;
}

/** What an agent's history is asked about: which remote, and how to be stopped. */
export interface TransferRequest {
  readonly remote: string;
  readonly signal: AbortSignal;
  readonly progress: (words: string) => void;
}

/** The history beyond this clone's ledger: refs that are published and fetched, and what becomes of them here. */
export interface OpenHistory {
  remotes(): Promise<Result<readonly Remote[]>>;
  /** What could be sent to a remote; asks it what it has, and sends nothing. */
  planPublish(request: TransferRequest): Promise<Result<PublishPlan>>;
  publish(request: TransferRequest & { readonly episodes: readonly EpisodeId[] }): Promise<Result<Published>>;
  /** Brings what is not here or moved forward, then takes it into the ledger. `limits`: what an agent that comes may use on this machine. */
  fetch(request: TransferRequest & { readonly limits: Limits }): Promise<Result<Taken>>;
  /** Takes every record of this repository's refs that the ledger does not know. */
  rebuild(request: { readonly limits: Limits }): Promise<Result<Taken>>;
  /** How many agents the refs tell of that the ledger does not know. */
  unknown(): Promise<number>;
}

export interface PublishPlan {
  readonly offered: readonly OfferedAgent[];
  /** Agents whose history the remote has as it is here. */
  readonly there: number;
  /** Agents that are not offered, since they are at work or their verdict is under way. */
  readonly atWork: number;
}

export interface OfferedAgent {
  readonly episode: EpisodeId;
  /** `first`: nothing of it is there. `newer`: what is there is older. `older`: a record is there that is not here. `another way`: git will refuse it. */
  readonly there: 'first' | 'newer' | 'older' | 'another way';
  readonly extent: Extent;
  /** Of `extent`, the commits below its base: the person's own, which the remote does not have yet. */
  readonly ownCommits: number;
}

export interface Published {
  readonly sent: readonly EpisodeId[];
  readonly refused: readonly { readonly episode: EpisodeId; readonly words: string }[];
}

/** What came of records: agents that are new here, those whose verdict came from another clone, and what was left alone and why. */
export interface Taken {
  readonly added: readonly EpisodeId[];
  readonly changed: readonly EpisodeId[];
  readonly left: readonly { readonly name: string; readonly words: string }[];
}
