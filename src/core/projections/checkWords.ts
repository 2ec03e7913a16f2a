import type { Candidate } from '../candidate/candidate.ts';
import type { Evidence } from '../constraints/constraint.ts';
import { isFlaky } from '../constraints/knownEvidence.ts';
import type { Episode } from '../world/state.ts';
import { duration } from './amounts.ts';

export type CheckState = 'passed' | 'failed' | 'flaky' | 'not run';

interface CheckSummary {
  readonly state: CheckState;
  /** `2 checks passed`, `lint failed`, `tests flaky`, `not checked yet`. */
  readonly words: string;
  /** Newest evidence of each check on this candidate's tree, in the order in which they first ran. */
  readonly evidence: readonly Evidence[];
}

/** What is known about a candidate's own tree. Two different results on one tree are flaky, and flaky counts as failed. */
export function checkSummary(episode: Episode, candidate: Candidate): CheckSummary {
  const byName = new Map<string, Evidence[]>();
  for (const { evidence } of episode.evidence) {
    if (evidence.tree === candidate.tree) byName.set(evidence.constraint, [...(byName.get(evidence.constraint) ?? []), evidence]);
  }
  const newest = [...byName.values()].flatMap((all) => all.slice(-1));
  if (newest.length === 0) return { state: 'not run', words: 'not checked yet', evidence: newest };
  const names = (wanted: (all: readonly Evidence[]) => boolean) => [...byName].filter(([, all]) => wanted(all)).map(([name]) => name);
  const flaky = names(isFlakyNow);
  if (flaky.length > 0) return { state: 'flaky', words: `${some(flaky)} flaky`, evidence: newest };
  const failed = names((all) => all.at(-1)?.result !== 'passed');
  if (failed.length > 0) return { state: 'failed', words: `${some(failed)} failed`, evidence: newest };
  return { state: 'passed', words: newest.length === 1 ? `${newest[0]?.constraint ?? ''} passed` : `${newest.length} checks passed`, evidence: newest };
}

/** Newest evidence of each check on a candidate, also as merged with newer commits of its branch. */
export function newestEvidence(episode: Episode, candidate: Candidate): readonly Evidence[] {
  const about = episode.evidence.filter(({ number, evidence }) => number === candidate.number || evidence.tree === candidate.tree);
  return [...new Map(about.map(({ evidence }) => [evidence.constraint, evidence])).values()];
}

/** Evidence of one check in words: `passed in 38 s`, `failed with exit code 1`. */
export function resultWords(evidence: Evidence): string {
  switch (evidence.result) {
    case 'passed': return 'passed';
    case 'failed': return evidence.exitCode === null ? 'failed' : `failed with exit code ${evidence.exitCode}`;
    case 'timed-out': return 'timed out';
    case 'could-not-run': return 'could not run';
    case 'refused': return 'was not allowed to run';
  }
}

/** What all runs of one command on one tree gave, oldest first: `passed, 38 s`, `failed with exit code 1, 2 s`, `flaky: …`. */
export function ranWords(ran: readonly Evidence[]): string {
  const newest = ran.at(-1);
  if (newest === undefined) return 'not run';
  const words = `${resultWords(newest)}, ${duration(newest.ms)}`;
  return isFlaky(ran) ? `flaky: ${words}; an earlier run on the same files ended differently` : words;
}

function isFlakyNow(all: readonly Evidence[]): boolean {
  return isFlaky(all.filter((e) => e.definition === all.at(-1)?.definition && e.setup === all.at(-1)?.setup));
}

function some(names: readonly string[]): string {
  return names.length > 2 ? `${names.length} checks` : names.join(' and ');
}
