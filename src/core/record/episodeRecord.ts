import { z } from 'zod';
import { candidateSource } from '../candidate/candidate.ts';
import { evidenceResult } from '../constraints/constraint.ts';
import { commitId, episodeId, filePath, refName, treeId, type EpisodeId } from '../ids.ts';
import { outcome, roleName, world } from '../ledger/events.ts';
import { prices, usage } from '../limits/usage.ts';

/** Version of the record's schema. */
export const RECORD_VERSION = 2;

/** A record comes from whoever can write to a remote: no number of it may lie outside what dates and counters can hold. */
const moment = z.number().int().nonnegative().max(8_640_000_000_000_000);
const counter = z.number().int().nonnegative().max(1_000_000_000);
const number = z.number().int().positive().max(1_000_000);
const amount = z.number().nonnegative().max(1_000_000_000);
const spentUsage = usage.refine(({ fresh, cached, output, reasoning }) => [fresh, cached, output, reasoning].every((n) => n >= 0 && n < Number.MAX_SAFE_INTEGER), 'tokens are counted from zero');

/** What an accepted change may have moved: a branch and nothing else, in a name that git would take. */
const branchRef = refName.refine((ref) => /^refs\/heads\/[^\s~^:?*[\\\u0000-\u001f\u007f]+$/.test(ref) && !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)|[./]$/.test(ref), 'a branch');
const branchOrDetached = z.discriminatedUnion('kind', [z.object({ kind: z.literal('branch'), ref: branchRef }), z.object({ kind: z.literal('detached') })]);

/** The model by name: its address and profile are the other machine's own, and are neither published nor taken (rule 10). */
const recordedModel = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('survey') }),
  z.object({ kind: z.literal('elsewhere'), name: z.string(), prices: prices.nullable() }),
]);

const recordedPhase = z.discriminatedUnion('name', [
  z.object({ name: z.literal('waiting'), candidate: number, since: moment }),
  z.object({ name: z.literal('ended'), outcome, words: z.string(), candidate: number.nullable(), at: moment }),
]);

/** What the commits do not say themselves. Files and flags are read from the commits, never from here (rule 5). */
const recordedCandidate = z.object({
  number, commit: commitId, base: commitId, source: candidateSource, subject: z.string(), report: z.string(),
  outside: z.array(filePath), outsideCommit: commitId.nullable(), ignored: z.array(filePath), nestedRepositories: z.array(z.string()), insideSubmodules: z.array(z.string()),
});

const recordedEvidence = z.object({ number, constraint: z.string(), run: z.string(), required: z.boolean(), tree: z.string(), result: evidenceResult, exitCode: z.number().nullable(), ms: amount, tip: commitId.nullable(), at: moment });

/** An accept or undo that was done, without the paths of the machine that did it. */
const recordedMove = z.object({
  move: z.string(), candidate: number, kind: z.enum(['accept', 'undo']), target: branchOrDetached, ref: z.union([branchRef, z.literal('HEAD')]),
  old: commitId.nullable(), new: commitId, tree: treeId, override: z.string().nullable(), at: moment, doneAt: moment,
  /** Of an accept of some files: the numbers of what it took and of the rest. */
  split: z.object({ taken: number, rest: number }).nullable(),
});

const spent = z.object({ usage: spentUsage, usd: amount, estimated: z.boolean(), turns: counter, wallMs: amount });

const episodeRecord = z.object({
  v: z.literal(RECORD_VERSION),
  id: episodeId,
  /** Tag of the ledger that wrote it; null where an older version did, which wrote only of its own. */
  writer: z.string().regex(/^[a-z0-9]{4}$/).nullable(),
  parent: episodeId.nullable(), world, target: branchOrDetached, role: roleName, model: recordedModel, startedAt: moment,
  phase: recordedPhase,
  reworked: z.object({ number, words: z.string() }).nullable(),
  spent,
  candidates: z.array(recordedCandidate),
  evidence: z.array(recordedEvidence),
  moves: z.array(recordedMove),
});
export type EpisodeRecord = z.infer<typeof episodeRecord>;

/** Version 1 was written at an episode's end only, and held of a candidate what the record of then showed. */
const firstVersion = z.object({
  v: z.literal(1), id: episodeId, parent: episodeId.nullable(), world, target: branchOrDetached, role: roleName, model: z.string(),
  startedAt: moment, endedAt: moment, outcome, words: z.string(), ...spent.shape,
  candidates: z.array(recordedCandidate.pick({ number: true, commit: true, base: true, source: true, subject: true })),
  evidence: z.array(recordedEvidence.pick({ number: true, constraint: true, run: true, tree: true, result: true, ms: true })),
});

export type ReadRecord = { readonly ok: true; readonly record: EpisodeRecord } | { readonly ok: false; readonly words: string };

/**
 * A record as it lies in the ref of `id`; `report` is the file beside it. Whoever wrote it is not known: what does not
 * fit the schema, or speaks of another agent, is told in words and nothing of it is used.
 */
export function parseRecord(id: EpisodeId, text: string, report: string): ReadRecord {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, words: 'it is not JSON' };
  }
  const version = z.object({ v: z.number() }).safeParse(json).data?.v;
  if (version === undefined) return { ok: false, words: 'it has no version' };
  if (version > RECORD_VERSION) return { ok: false, words: `it is of version ${String(version)}, which a newer Worldtree wrote` };
  const first = version === 1 ? firstVersion.safeParse(json) : null;
  const parsed = first === null ? episodeRecord.safeParse(json) : first.success ? { success: true as const, data: ofFirstVersion(first.data, report) } : first;
  if (!parsed.success) return { ok: false, words: problem(parsed.error) };
  const wrong = inconsistency(id, parsed.data);
  return wrong === null ? { ok: true, record: parsed.data } : { ok: false, words: wrong };
}

function problem(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it does not fit'}`.slice(0, 200);
}

/** What a schema of single fields cannot say. */
function inconsistency(id: EpisodeId, { id: own, parent, phase, candidates, moves }: EpisodeRecord): string | null {
  if (own !== id || parent === id) return 'it speaks of another agent';
  if (candidates.some((c, i) => c.number <= (candidates[i - 1]?.number ?? 0))) return 'its proposed changes are not in order';
  const newest = candidates.at(-1)?.number ?? null;
  const numbers = new Set(candidates.map((c) => c.number));
  if (phase.name === 'waiting' ? phase.candidate !== newest : phase.candidate !== null && !numbers.has(phase.candidate)) return 'it names a proposed change that it does not hold';
  // A move under the name of another agent's would stand in the way of that agent's own.
  if (moves.some(({ move }) => !new RegExp(`^${id}/m[1-9][0-9]{0,5}$`).test(move))) return 'an accept in it is not one of this agent';
  if (new Set(moves.map(({ move }) => move)).size !== moves.length || moves.some((m) => ![m.candidate, ...(m.split === null ? [] : [m.split.taken, m.split.rest])].every((n) => numbers.has(n)))) return 'its accepts do not fit its proposed changes';
  const last = moves.at(-1);
  const tookAll = last?.kind === 'accept' && last.split === null;
  if (tookAll && (phase.name === 'waiting' || phase.outcome !== 'retained')) return 'it holds an accept that stands, and another outcome';
  return null;
}

function ofFirstVersion(record: z.infer<typeof firstVersion>, report: string): EpisodeRecord {
  const { id, parent, world: at, target, role, model, startedAt, endedAt, words, usage: used, usd, estimated, turns, wallMs } = record;
  const newest = record.candidates.at(-1)?.number ?? null;
  return {
    v: RECORD_VERSION, id, writer: null, parent, world: at, target, role, startedAt, reworked: null, moves: [],
    model: model === 'survey' ? { kind: 'survey' } : { kind: 'elsewhere', name: model, prices: null },
    phase: { name: 'ended', outcome: record.outcome, words, candidate: newest, at: endedAt },
    spent: { usage: used, usd, estimated, turns, wallMs },
    candidates: record.candidates.map((c) => ({ ...c, report: c.number === newest ? report : '', outside: [], outsideCommit: null, ignored: [], nestedRepositories: [], insideSubmodules: [] })),
    evidence: record.evidence.map((e) => ({ ...e, required: true, exitCode: null, tip: null, at: endedAt })),
  };
}

/** What two records must agree in to tell the same of an agent: where it stands, with which changes and accepts. */
export function standingOf({ phase, candidates, moves }: EpisodeRecord): string {
  const stands = phase.name === 'waiting' ? [phase.candidate, phase.since] : [phase.outcome, phase.words, phase.candidate, phase.at];
  return JSON.stringify([stands, candidates.map(({ number: n, commit }) => [n, commit]), moves.map((m) => [m.move, m.new])]);
}
