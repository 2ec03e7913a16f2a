import { z } from 'zod';
import { candidate } from '../candidate/candidate.ts';
import { evidence } from '../constraints/constraint.ts';
import { modelRef } from '../episode/model.ts';
import { absolutePath, commitId, episodeId, filePath, folderPath, moveId, refName, treeId } from '../ids.ts';
import { limits } from '../limits/limits.ts';
import { usage } from '../limits/usage.ts';

/** A version seen from a path. */
export const world = z.object({ commit: commitId, path: folderPath });
export type World = z.infer<typeof world>;

/** Where an accepted change goes: a branch, or the detached HEAD of the checkout the episode was started from. */
export const line = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('branch'), ref: refName }),
  z.object({ kind: z.literal('detached') }),
]);
export type Line = z.infer<typeof line>;

export const roleName = z.enum(['executor', 'surveyor']);
export type RoleName = z.infer<typeof roleName>;

export const outcome = z.enum(['retained', 'no change', 'rejected', 'not integrated', 'rewritten', 'failed', 'cancelled', 'out of turns', 'stuck']);
export type Outcome = z.infer<typeof outcome>;

/** Something an episode needs from the person; it spends nothing while it waits for the answer. */
export const question = z.discriminatedUnion('kind', [
  /** A limit of the delegation or of the day is used up. Answers: `raise` (to twice), `hand-in`, `stop`. */
  z.object({ kind: z.literal('limit'), limit: z.enum(['cost', 'fresh tokens', 'tokens', 'turns', 'time', 'daily cost', 'daily tokens']), used: z.number(), cap: z.number() }),
  /** A command wants to run outside a sandbox. Answers: `run`, `always` (this prefix, here), `refuse` with a reason. */
  z.object({ kind: z.literal('run'), command: z.string(), /** What `always` would remember; null where the command is not one simple command. */ prefix: z.array(z.string()).nullable(), purpose: z.enum(['agent', 'setup', 'check', 'hook']) }),
  /** The first command of a repository that runs in a sandbox. Answers: `network-registries`, `network-on`, `network-off`. */
  z.object({ kind: z.literal('network'), command: z.string() }),
  /** A command in a sandbox found a port of this machine closed on which something listens. Answers: `allow`, `refuse`. */
  z.object({ kind: z.literal('port'), port: z.number().int() }),
  /** A copied-in ignored file may hold secrets. Answers: `show`, `refuse`. */
  z.object({ kind: z.literal('secret'), path: filePath }),
  /** The same call gave the same result over and over. Answers: `message` with words for the agent, `stop`. */
  z.object({ kind: z.literal('stuck'), call: z.string(), times: z.number() }),
  /** The provider or the worktree failed. Answers: `retry`, `hand-in`, `stop`, and those of `also`, which only some failures take. */
  z.object({ kind: z.literal('failed'), words: z.string(), also: z.array(z.enum(['without-filters', 'keep'])).optional() }),
  /** The episode was cut off (reload after more than ten minutes, sleep). Answers: `resume`, `hand-in`, `stop`. */
  z.object({ kind: z.literal('interrupted'), since: z.number(), resendTokens: z.number(), resendUsd: z.number().nullable() }),
]);
export type Question = z.infer<typeof question>;

export const answer = z.object({ choice: z.enum(['raise', 'hand-in', 'stop', 'run', 'always', 'refuse', 'show', 'message', 'retry', 'resume', 'without-filters', 'keep', 'network-registries', 'network-on', 'network-off', 'allow']), words: z.string() });
export type Answer = z.infer<typeof answer>;

/** One move of a line. It is written before the ref is touched, so that a start after a crash knows what to look for. */
const preparedMove = z.object({
  move: moveId,
  episode: episodeId,
  candidate: z.number().int().positive(),
  kind: z.enum(['accept', 'undo']),
  target: line,
  /** The ref that moves: a branch, or `HEAD` where detached. */
  ref: z.union([refName, z.literal('HEAD')]),
  /** Null where the branch is made by this move. */
  old: commitId.nullable(),
  new: commitId,
  /** The checkouts whose files follow the ref; empty where the branch is checked out nowhere. */
  checkouts: z.array(absolutePath),
  /** Paths that differ between old and new: where recovery looks. */
  paths: z.array(filePath),
  /** Why a person accepted past a failing or missing check; null where nothing had to be passed over. */
  override: z.string().nullable(),
  /** An accept of some files: what it takes, and the rest, which waits once the move is done. Absent where it takes the whole candidate. */
  split: z.object({ taken: candidate, rest: candidate }).optional(),
  /** The change made again on the tip of an undo: it waits once the move is done. Absent with an accept, and in old ledgers, where it follows as a proposal. */
  remade: candidate.optional(),
});
export type PreparedMove = z.infer<typeof preparedMove>;

/** An agent as another clone's record told of it, checked against the commits that came with it. */
const importedEpisode = z.object({
  id: episodeId,
  /** The commit of the record that was taken. */
  record: commitId,
  parent: episodeId.nullable(), world, target: line, goal: z.string(), role: roleName, model: modelRef, limits, startedAt: z.number(),
  phase: z.discriminatedUnion('name', [
    z.object({ name: z.literal('waiting'), candidate: z.number().int().positive(), since: z.number() }),
    z.object({ name: z.literal('ended'), outcome, words: z.string(), candidate: z.number().int().positive().nullable(), at: z.number() }),
  ]),
  reworked: z.object({ number: z.number().int().positive(), words: z.string() }).nullable(),
  spent: z.object({ usage, usd: z.number(), estimated: z.boolean(), turns: z.number(), wallMs: z.number() }),
  candidates: z.array(candidate),
  evidence: z.array(z.object({ number: z.number().int().positive(), evidence, tip: commitId.nullable(), alone: treeId.nullable(), at: z.number() })),
  moves: z.array(z.object({ prepared: preparedMove, at: z.number(), tree: treeId, doneAt: z.number() })),
});
export type ImportedEpisode = z.infer<typeof importedEpisode>;

const of = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) => z.object({ type: z.literal(type), ...shape });
const episode = episodeId;
const number = z.number().int().positive();
const request = z.number().int().positive();

/**
 * Every fact that the views, reports and recovery are computed from. A member is never changed in meaning, only
 * added to: recorded ledgers of each version are replayed for ever.
 */
export const ledgerEvent = z.discriminatedUnion('type', [
  of('episode.started', { episode, parent: episodeId.nullable(), world, target: line, goal: z.string(), role: roleName, model: modelRef, limits, uncommittedElsewhere: z.number(), /** What in genesis.toml had no effect. */ configWarnings: z.array(z.string()).optional() }),
  of('episode.prepared', { episode, worktree: absolutePath, /** Ignored files brought in, and files made by setup: never part of a candidate. */ brought: z.array(filePath), /** What the agent should know of its worktree: setup that failed, files that are LFS pointers. */ notes: z.array(z.string()) }),
  of('episode.asked', { episode, question }),
  of('episode.answered', { episode, answer }),
  of('episode.interrupted', { episode }),
  of('episode.resumed', { episode }),
  of('episode.ended', { episode, outcome, words: z.string(), /** True where the worktree's files stay where they are. */ kept: z.boolean().optional() }),
  /** Words of the person to an agent that is not done. Numbered for each agent; the transcript says up to which number it was told. */
  of('episode.message', { episode, number, words: z.string() }),
  /** The person asked it to come to an end: it gets one more turn. */
  of('episode.cancelling', { episode }),
  of('episode.removed', { episode }),
  /** The agent is not known here, or another clone gave the verdict that waited here. */
  of('episode.imported', { imported: importedEpisode }),
  /** Written before anything is sent: from here on its refs may be elsewhere too, so none but the record moves again. */
  of('episode.published', { episode, remote: z.string() }),

  /** Written and flushed before the request is sent: what was reserved is what a crash leaves as estimate. */
  of('model.requested', { episode, request, reserved: z.object({ usage, usd: z.number() }) }),
  of('model.answered', { episode, request, usage, usd: z.number(), estimated: z.boolean() }),
  /** `usage` is what the provider told or what is estimated for what it had sent; zero where nothing was accepted. */
  of('model.failed', { episode, request, words: z.string(), usage, usd: z.number(), estimated: z.boolean() }),
  of('tool.ran', { episode, name: z.string(), ok: z.boolean(), ms: z.number() }),

  of('candidate.proposed', { episode, candidate, /** The edit candidate that this save replaces. */ replaces: number.nullable() }),
  of('candidate.looked', { episode, number }),
  of('check.ran', { episode, number, evidence, /** The commit whose merge with the candidate was checked; absent where it was the candidate alone. */ tip: commitId.optional(), /** What passes or fails without the line: the tree of an accept of some files. Absent where it is the candidate's. */ alone: treeId.optional() }),

  of('verdict.rejected', { episode, number, reason: z.string() }),
  of('verdict.reason', { episode, number, reason: z.string() }),
  of('verdict.withdrawn', { episode, number }),
  of('verdict.reworked', { episode, number, words: z.string(), editedByPerson: z.array(filePath), /** Where the worktree had to be made again. */ madeAgain: z.object({ worktree: absolutePath, brought: z.array(filePath), notes: z.array(z.string()) }).optional(), /** Where the agent goes on with another model than it had. */ model: modelRef.optional() }),

  of('move.prepared', { prepared: preparedMove }),
  of('move.done', { move: moveId, tree: treeId }),
  of('move.dropped', { move: moveId, words: z.string() }),
  /** Recovery found neither the old nor the new state: a person has to look. */
  of('move.unclear', { move: moveId, words: z.string() }),
]);
export type LedgerEvent = z.infer<typeof ledgerEvent>;
