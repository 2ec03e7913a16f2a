import type { Candidate } from '../../src/core/candidate/candidate.ts';
import type { Evidence } from '../../src/core/constraints/constraint.ts';
import type { ModelRef } from '../../src/core/episode/model.ts';
import { absolutePath, commitId, episodeId, filePath, folderPath, moveId, refName, treeId, type CommitId, type EpisodeId, type MoveId, type TreeId } from '../../src/core/ids.ts';
import type { Answer, LedgerEvent, PreparedMove, Question } from '../../src/core/ledger/events.ts';
import { DELEGATION_LIMITS, type Limits } from '../../src/core/limits/limits.ts';
import { NO_USAGE, type Usage } from '../../src/core/limits/usage.ts';
import type { Command } from '../../src/core/world/commands.ts';
import type { Effect } from '../../src/core/world/decision.ts';

/** Names and facts of the tests' episodes, with everything that a test is not about filled in. */
export const E1 = episodeId.parse('e1-k3f9');
export const UNKNOWN = episodeId.parse('e99-k3f9');
export const API = folderPath.parse('packages/api');
export const MAIN = refName.parse('refs/heads/main');
export const WORKTREE = absolutePath.parse('/worktrees/e1');
export const TREE = tree(1);

/** A commit whose name says which one it is. */
export function commit(n: number): CommitId {
  return commitId.parse(n.toString(16).padStart(40, '0'));
}

export function tree(n: number): TreeId {
  return treeId.parse(n.toString(16).padStart(40, 'a'));
}

export const PRICED: ModelRef = { kind: 'openai', profile: 'glm', baseUrl: 'https://models.example/v1', model: 'glm-5.2', prices: { fresh: 1.4, cached: 0.26, output: 4.4 } };
export const UNPRICED: ModelRef = { ...PRICED, prices: null };
export const SURVEY: ModelRef = { kind: 'survey' };

export const delegation = (over: Partial<Extract<Command, { type: 'delegate' }>> = {}): Extract<Command, { type: 'delegate' }> => ({
  type: 'delegate', tag: 'k3f9', world: { commit: commit(100), path: API }, target: { kind: 'branch', ref: MAIN }, goal: 'Cap the retries.', role: 'executor', model: PRICED, limits: DELEGATION_LIMITS, uncommittedElsewhere: 0, configWarnings: [], ...over,
});

interface StartedOptions {
  readonly episode?: EpisodeId;
  readonly parent?: EpisodeId | null;
  readonly model?: ModelRef;
  readonly limits?: Partial<Limits>;
}

export function started({ episode = E1, parent = null, model = PRICED, limits = {} }: StartedOptions = {}): LedgerEvent {
  const { world, target, goal, role, uncommittedElsewhere } = delegation();
  return { type: 'episode.started', episode, parent, world, target, goal, role, model, limits: { ...DELEGATION_LIMITS, ...limits }, uncommittedElsewhere };
}

export const prepared = (episode = E1): LedgerEvent => ({ type: 'episode.prepared', episode, worktree: absolutePath.parse(`/worktrees/${episode.slice(0, episode.indexOf('-'))}`), brought: [], notes: [] });
export const asked = (question: Question, episode = E1): LedgerEvent => ({ type: 'episode.asked', episode, question });
export const answered = (choice: Answer['choice'], words = ''): LedgerEvent => ({ type: 'episode.answered', episode: E1, answer: { choice, words } });
export const interrupted = (episode = E1): LedgerEvent => ({ type: 'episode.interrupted', episode });
export const resumed = (episode = E1): LedgerEvent => ({ type: 'episode.resumed', episode });
export const ended = (outcome: Extract<LedgerEvent, { type: 'episode.ended' }>['outcome'], words = ''): LedgerEvent => ({ type: 'episode.ended', episode: E1, outcome, words });

export const messaged = (number: number, words: string): LedgerEvent => ({ type: 'episode.message', episode: E1, number, words });
export const cancelling: LedgerEvent = { type: 'episode.cancelling', episode: E1 };

export const usageOf = (over: Partial<Usage>): Usage => ({ ...NO_USAGE, ...over });
export const requested = (request: number, usage: Partial<Usage>, usd: number, episode = E1): LedgerEvent => ({ type: 'model.requested', episode, request, reserved: { usage: usageOf(usage), usd } });
export const replied = (request: number, usage: Partial<Usage>, usd: number, episode = E1): LedgerEvent => ({ type: 'model.answered', episode, request, usage: usageOf(usage), usd, estimated: false });

export function candidate(number: number, over: Partial<Candidate> = {}): Candidate {
  return {
    number, commit: commit(number), base: commit(100), tree: tree(number), source: 'agent', subject: 'Cap retries', report: 'Retries end after five.',
    inside: [{ path: filePath.parse('packages/api/retry.ts'), kind: 'modified', from: null, oldMode: '100644', newMode: '100644', oldBlob: null, newBlob: null, lines: { added: 3, removed: 1 } }],
    companions: [], outside: [], outsideCommit: null, ignored: [], flags: [], ...over,
  };
}
export const proposed = (number: number, over: Partial<Candidate> = {}, replaces: number | null = null): LedgerEvent => ({ type: 'candidate.proposed', episode: E1, candidate: candidate(number, over), replaces });
export const rejected = (number: number, reason = ''): LedgerEvent => ({ type: 'verdict.rejected', episode: E1, number, reason });
export const reworked = (number: number, words: string): LedgerEvent => ({ type: 'verdict.reworked', episode: E1, number, words, editedByPerson: [] });

export function move(n: number, over: Partial<PreparedMove> = {}): PreparedMove {
  return {
    move: moveId.parse(`${E1}/m${String(n)}`), episode: E1, candidate: 1, kind: 'accept', target: { kind: 'branch', ref: MAIN }, ref: MAIN,
    old: commit(100), new: commit(200 + n), checkouts: [absolutePath.parse('/home/person/project')], paths: [filePath.parse('packages/api/retry.ts')], override: null, ...over,
  };
}
/** What asks for a move: an accept takes the commit that its candidate has, unless a test says otherwise. */
export const toMove = (p: PreparedMove, judged = p.kind === 'accept' ? commit(p.candidate) : null, gone: readonly MoveId[] = []): Command => ({ type: 'prepare move', prepared: p, judged, gone });
export const movePrepared = (p: PreparedMove): LedgerEvent => ({ type: 'move.prepared', prepared: p });
export const moveDone = (p: PreparedMove): LedgerEvent => ({ type: 'move.done', move: p.move, tree: TREE });
/** An accept or undo from its first to its last fact. */
export const moved = (p: PreparedMove): LedgerEvent[] => [movePrepared(p), moveDone(p)];

export const evidence: Evidence = { constraint: 'test', run: 'npm test', required: true, tree: TREE, definition: 'd', setup: 's', result: 'passed', exitCode: 0, ms: 1200, output: 'ok' };

/** An episode at work, and one whose first change waits. */
export const AT_WORK: readonly LedgerEvent[] = [started(), prepared()];
export const WAITING: readonly LedgerEvent[] = [...AT_WORK, proposed(1)];

/** What follows wherever a change waits from now on. */
export const RECORDED: readonly Effect[] = [{ do: 'record', episode: E1 }];
