import type { ChangedFile } from '../../core/candidate/candidate.ts';
import { changedPaths } from '../../core/candidate/scope.ts';
import { constraintsFor } from '../../core/constraints/coverage.ts';
import { foundFailing, type Constraint, type Evidence } from '../../core/constraints/constraint.ts';
import { evidenceFor, isFlaky } from '../../core/constraints/knownEvidence.ts';
import { shortCommit, type CommitId, type TreeId } from '../../core/ids.ts';
import type { CheckState } from '../../core/projections/checkWords.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { Episode, WorldState } from '../../core/world/state.ts';
import type { Checks, CheckRequest } from '../ports/checks.ts';
import type { Repository } from '../ports/repository.ts';
import type { Setup } from '../ports/worktrees.ts';
import { rulesAt } from '../rules.ts';
import type { WorldLog } from '../worldLog.ts';

interface Covering {
  readonly constraints: readonly Constraint[];
  /** True where no constraint covers the change: the first accept says *unchecked*. */
  readonly unchecked: boolean;
  readonly setup: Setup | null;
}

/** Constraints of the top-level episode's base and of the tip that is merged onto: the union, the stricter one wins (rule 5). */
export async function coveringConstraints(repository: Repository, base: CommitId, tip: CommitId, changed: readonly ChangedFile[]): Promise<Covering> {
  const [atBase, atTip] = await Promise.all([rulesAt(repository, base), rulesAt(repository, tip)]);
  const { constraints, unchecked } = constraintsFor(changedPaths(changed), atBase.constraints, atTip.constraints);
  return { constraints, unchecked, setup: atBase.setup };
}

/** What is known of a constraint on exactly this tree, prepared exactly this way; only runs that came to their end tell. */
export async function knownOf(state: WorldState, checks: Checks, tree: TreeId, constraint: Constraint, setup: Setup | null): Promise<{ readonly state: CheckState; readonly newest: Evidence | null }> {
  const ran = evidenceFor(state, { tree, ...await checks.keyOf({ tree, constraint, setup }) }).filter((e) => e.result === 'passed' || e.result === 'failed');
  const newest = ran.at(-1) ?? null;
  if (newest === null) return { state: 'not run', newest };
  return { state: isFlaky(ran) ? 'flaky' : newest.result === 'passed' ? 'passed' : 'failed', newest };
}

interface GateRequest {
  readonly episode: Episode;
  readonly candidate: number;
  readonly covering: Covering;
  readonly merged: { readonly commit: CommitId; readonly tree: TreeId };
  /** What is accepted, without what the line has since; its commit is made only where it is needed. */
  readonly alone: { readonly tree: TreeId; readonly commit: () => Promise<CommitId> };
  /** True where only some files of the candidate are accepted. */
  readonly part: boolean;
  readonly tip: CommitId;
  /** The line's name. */
  readonly line: string;
  readonly signal: AbortSignal;
  readonly progress: (words: string) => void;
  readonly mayRun: CheckRequest['mayRun'];
}

interface Failure {
  readonly constraint: Constraint;
  readonly evidence: Evidence;
}

/**
 * Runs the required constraints one at a time on the merged tree, but for those that are known to pass there. One that
 * failed or is flaky is run again, since a person asks: what it gives now decides, and the plan has said that it is flaky.
 * `refusal` is null when all pass.
 */
export async function passGate(log: WorldLog, checks: Checks, request: GateRequest): Promise<{ readonly refusal: Refusal | null; readonly evidence: readonly Evidence[] }> {
  const required = request.covering.constraints.filter((c) => c.required);
  const evidence: Evidence[] = [];
  const failures: Failure[] = [];
  for (const [i, constraint] of required.entries()) {
    const { merged, covering, signal, mayRun } = request;
    const { state, newest } = await knownOf(log.state, checks, merged.tree, constraint, covering.setup);
    const known = state === 'passed' ? newest : null;
    request.progress(`checking ${i + 1} of ${required.length} on ${shortCommit(request.tip)}: ${constraint.name}`);
    const result = known ?? await checks.run({ commit: merged.commit, tree: merged.tree, constraint, setup: covering.setup, signal, progress: request.progress, mayRun });
    if (signal.aborted) return { refusal: CANCELLED, evidence };
    if (result !== known) await log.dispatch({ type: 'check ran', episode: request.episode.id, number: request.candidate, evidence: result, tip: request.tip, ...(request.part ? { alone: request.alone.tree } : {}) });
    evidence.push(result);
    if (result.result !== 'passed') failures.push({ constraint, evidence: result });
  }
  if (failures.length === 0) return { refusal: null, evidence };
  const together = await passAlone(log, checks, request, failures);
  return { refusal: request.signal.aborted ? CANCELLED : refusalFor(failures, request, together), evidence };
}

const CANCELLED: Refusal = { reason: 'cancelled', message: 'The checks were cancelled.', next: 'Nothing was changed; accept again when you like.' };

/** Whether each check that failed on the merged files passes on the change alone: then neither side is wrong by itself. */
async function passAlone(log: WorldLog, checks: Checks, request: GateRequest, failures: readonly Failure[]): Promise<boolean> {
  const { alone, merged, covering, signal, mayRun, progress } = request;
  if (alone.tree === merged.tree || !failures.every(({ evidence }) => foundFailing(evidence))) return false;
  for (const { constraint } of failures) {
    const { state, newest: known } = await knownOf(log.state, checks, alone.tree, constraint, covering.setup);
    // Nobody asked for this run, so a flaky check proves nothing of the change.
    if (state === 'flaky') return false;
    progress(`checking whether ${constraint.name} passes without what ${request.line} has since`);
    const result = known ?? await checks.run({ commit: await alone.commit(), tree: alone.tree, constraint, setup: covering.setup, signal, progress, mayRun });
    if (signal.aborted) return false;
    if (result !== known) await log.dispatch({ type: 'check ran', episode: request.episode.id, number: request.candidate, evidence: result });
    if (result.result !== 'passed') return false;
  }
  return true;
}

/** All of them ran: who accepts past one must know what else failed. */
function refusalFor(failures: readonly Failure[], { tip, line }: GateRequest, together: boolean): Refusal {
  const message = failures.map(failureWords).join('\n\n');
  if (together) return { reason: 'fails-together', message: `The change passes alone, and fails together with ${line} at ${shortCommit(tip)}.\n\n${message}`, next: 'Send it back with Rework: the agent then goes on from there. Or accept past the check with a reason.' };
  return { reason: failures[0]?.evidence.result === 'refused' ? 'check-missing' : 'check-failed', message, next: 'Send it back with Rework, or accept past the check with a reason.' };
}

function failureWords({ constraint, evidence }: Failure): string {
  const how = { 'passed': 'passed', 'failed': `failed with exit code ${evidence.exitCode ?? 'unknown'}`, 'timed-out': `was ended after ${Math.round(constraint.timeoutMs / 1000)} s`, 'could-not-run': 'could not be run', 'refused': 'was not allowed to run' }[evidence.result];
  return `The required check “${constraint.name}” (${constraint.run}) ${how} on the merged files.${evidence.output === '' ? '' : `\n\n${evidence.output.slice(-2_000)}`}`;
}
