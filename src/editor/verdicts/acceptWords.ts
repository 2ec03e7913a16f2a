import type { Refusal } from '../../core/refusal.ts';
import { shortCommit, type CommitId } from '../../core/ids.ts';
import { count, listed, thousands } from '../../core/projections/amounts.ts';
import { branchName, lineName } from '../../core/projections/episodeWords.ts';
import { ranWords, type CheckState } from '../../core/projections/checkWords.ts';
import { ROOT } from '../../core/paths.ts';
import type { OfferedCheck } from '../../runtime/offeredChecks.ts';
import type { Accepted, AcceptPlan } from '../../runtime/openWorld.ts';

/** What the accept box says about a plan. Pure, so that its words are tested without an editor. */
export interface AcceptWords {
  /** `Accept onto main`, `Accept 2 of 5 files onto main`. */
  readonly target: string;
  /** What stands beside it: checks that run first, or that there are none. */
  readonly checks: string;
  /** Things to know before accepting, one sentence each. */
  readonly warnings: readonly string[];
  /** False where it cannot go onto the line as it is. */
  readonly possible: boolean;
}

export function acceptWords(plan: AcceptPlan): AcceptWords {
  const line = lineName(plan.target);
  const warnings: string[] = [];
  if (plan.merged.kind === 'conflict') warnings.push(`It conflicts with ${line} at ${shortCommit(plan.tip)} in ${count(plan.merged.files.length, 'file')}: ${listed(plan.merged.files)}`);
  const other = otherCheckout(plan);
  if (other !== null && plan.checkedOutIn.length > 0) warnings.push(`${line} is checked out in ${plan.checkedOutIn.join(' and ')}: it moves there, with its files`);
  else if (other !== null) warnings.push(`${other} is checked out, not ${line}: ${line} moves, the files you see stay as they are`);
  if (plan.behind > 0 && plan.merged.kind === 'clean') warnings.push(`${line} has ${count(plan.behind, 'newer commit')}: the change is merged with ${plan.behind === 1 ? 'it' : 'them'} first`);
  const some = plan.files === null ? '' : ` ${thousands(plan.files.length)} of ${count(plan.changed.length, 'file')}`;
  return { target: `Accept${some} onto ${line}`, checks: checkWords(plan), warnings, possible: plan.merged.kind === 'clean' };
}

/** The name of what is checked out, where that is another line than the target; null where it is the same. */
export function otherCheckout({ head, target }: AcceptPlan): string | null {
  if (target.kind === 'detached') return head.kind === 'detached' ? null : branchName(head.ref);
  if (head.kind === 'detached') return `${shortCommit(head.commit)} (detached)`;
  return head.ref === target.ref ? null : branchName(head.ref);
}

/** `2 checks run first`, `tests passed`, `unchecked: no check covers these files`. */
export function checkWords({ checks, unchecked, tip }: Pick<AcceptPlan, 'checks' | 'unchecked' | 'tip'>): string {
  if (unchecked) return 'unchecked: no check covers these files';
  const named = (known: CheckState) => checks.filter((check) => check.known === known).map((check) => check.name);
  const failed = named('failed');
  const flaky = named('flaky');
  const open = checks.filter((check) => check.known === 'not run' && check.required);
  const parts: string[] = [];
  if (failed.length > 0) parts.push(`${listed(failed)} failed`);
  if (flaky.length > 0) parts.push(`${listed(flaky)} flaky: passed and failed on the same files`);
  if (open.length > 0) parts.push(`${listed(open.map((check) => check.name))} ${open.length === 1 ? 'runs' : 'run'} first, on ${shortCommit(tip)} with the change`);
  if (parts.length > 0) return parts.join('; ');
  const passed = named('passed');
  return passed.length > 0 ? `${listed(passed)} passed` : 'no required check';
}

/** How a command that could be a check stands in the box: to be run, or with what it gave. */
export function offerWords({ command, folder, ran }: OfferedCheck): { readonly label: string; readonly description: string; readonly state: 'not run' | 'passed' | 'failed' } {
  const where = folder === ROOT ? '' : `in ${folder}`;
  if (ran.length === 0) return { label: `Run \`${command}\` Once`, description: [where, 'on the merged files; decides nothing'].filter((part) => part !== '').join(', '), state: 'not run' };
  return { label: `\`${command}\` ${ranWords(ran)}`, description: [where, 'show its output'].filter((part) => part !== '').join(' · '), state: ran.every((e) => e.result === 'passed') ? 'passed' : 'failed' };
}

/** What is said once it is done. */
export function acceptedWords(name: string, { commit, target, transplanted, filesUpdatedIn, rest }: Accepted): string {
  const line = lineName(target);
  const files = filesUpdatedIn.length === 0 ? ` ${line} is checked out nowhere, so no files changed.` : '';
  const what = rest === 0 ? `${name} is accepted` : `Some files of ${name} are accepted`;
  const waits = rest === 0 ? '' : ` The rest, ${count(rest, 'file')}, waits in Review.`;
  return `${what} onto ${line} as ${shortCommit(commit)}.${waits}${transplanted ? ` ${line} had been rewritten, so the change was carried over to it.` : ''}${files}`;
}

/** `stay`: how many files of earlier accepts of the change the line still holds. */
export function undoneWords(name: string, line: string, commit: CommitId, stay: number): string {
  const what = stay === 0 ? `${name} is undone: ${line} is at ${shortCommit(commit)} without it.` : `An accept of ${name} is undone; ${count(stay, 'file')} of it ${stay === 1 ? 'stays' : 'stay'} accepted.`;
  return `${what} The change waits in Review again.`;
}

/** Refusals that a person may pass over with a reason: a failing or missing check, nothing else. */
export function mayOverride(refusal: Refusal): boolean {
  return refusal.reason === 'check-failed' || refusal.reason === 'fails-together' || refusal.reason === 'check-missing';
}

/** Why a name is no branch name, in git's own rules; undefined where it is one. */
export function branchNameProblem(name: string): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return 'A name is needed';
  const bad = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[/.-]|[/.]$|\/\.|\.lock(\/|$)/.exec(trimmed);
  if (bad || trimmed === '@' || trimmed === 'HEAD') return 'Git does not allow this as a branch name';
  return undefined;
}
