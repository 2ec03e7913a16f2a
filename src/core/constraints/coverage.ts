import { globMatcher } from '../candidate/scope.ts';
import type { FilePath } from '../ids.ts';
import type { Constraint } from './constraint.ts';

interface Coverage {
  /** What has to be run for the change, required ones first. */
  readonly constraints: readonly Constraint[];
  /** Changed paths that no constraint covers. */
  readonly uncovered: readonly FilePath[];
  /** Changed paths that no required constraint covers: `gate` accepts nothing alone while there is one. */
  readonly withoutRequired: readonly FilePath[];
  /** True where nothing at all covers the change: the accept says *unchecked*. */
  readonly unchecked: boolean;
}

/**
 * The constraints that a change has to pass: those of the top-level episode's base and those of the tip it is merged
 * onto, the stricter of both (rule 5). A constraint that either version lost, loosened or pointed elsewhere still holds.
 */
export function constraintsFor(changed: readonly FilePath[], base: readonly Constraint[], tip: readonly Constraint[]): Coverage {
  const all = stricterOfBoth(base, tip);
  const covering = all.filter((c) => changed.some(matcherOf(c)));
  const uncoveredBy = (list: readonly Constraint[]) => {
    const matchers = list.map(matcherOf);
    return changed.filter((path) => !matchers.some((covers) => covers(path)));
  };
  return {
    constraints: [...covering.filter((c) => c.required), ...covering.filter((c) => !c.required)],
    uncovered: uncoveredBy(covering),
    withoutRequired: uncoveredBy(covering.filter((c) => c.required)),
    unchecked: covering.length === 0,
  };
}

/** Whether a constraint covers a path. A path that begins with `!` is an exception from the others. */
export function covers(constraint: Constraint, path: FilePath): boolean {
  return matcherOf(constraint)(path);
}

function stricterOfBoth(base: readonly Constraint[], tip: readonly Constraint[]): Constraint[] {
  const both: Constraint[] = [];
  for (const before of base) {
    const now = tip.find((c) => c.name === before.name);
    if (!now) {
      both.push(before);
      continue;
    }
    const strict = { required: before.required || now.required, timeoutMs: Math.min(before.timeoutMs, now.timeoutMs) };
    // Exceptions of one version must not take away what the other covers, so such lists are not mixed.
    const mixes = before.run === now.run && (samePaths(before, now) || ![...before.paths, ...now.paths].some((p) => p.startsWith('!')));
    if (mixes) both.push({ ...now, ...strict, paths: [...new Set([...before.paths, ...now.paths])] });
    else both.push({ ...before, ...strict, name: nameOfOlder(before.name, tip) }, { ...now, ...strict });
  }
  return [...both, ...tip.filter((now) => !base.some((before) => before.name === now.name))];
}

/** Evidence is told by name: two commands may not share one. */
function nameOfOlder(name: string, taken: readonly Constraint[]): string {
  let older = `${name} (as at the start)`;
  while (taken.some((c) => c.name === older)) older += '*';
  return older;
}

function samePaths(a: Constraint, b: Constraint): boolean {
  return [...a.paths].sort().join('\0') === [...b.paths].sort().join('\0');
}

function matcherOf(constraint: Constraint): (path: FilePath) => boolean {
  const takes = globMatcher(constraint.paths.filter((p) => !p.startsWith('!')));
  const leaves = globMatcher(constraint.paths.filter((p) => p.startsWith('!')).map((p) => p.slice(1)));
  return (path) => takes(path) && !leaves(path);
}
