import type { ChangedFile } from '../core/candidate/candidate.ts';
import { changedPaths } from '../core/candidate/scope.ts';
import type { Evidence } from '../core/constraints/constraint.ts';
import { foundChecks, type FoundCheck } from '../core/constraints/foundChecks.ts';
import { evidenceFor, evidenceOn } from '../core/constraints/knownEvidence.ts';
import type { CommitId, TreeId } from '../core/ids.ts';
import { ROOT } from '../core/paths.ts';
import type { WorldState } from '../core/world/state.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import type { Setup } from './ports/worktrees.ts';
import { readingAll } from './readingAll.ts';

/** A found command with what running it on exactly this tree, prepared exactly this way, has given so far. */
export interface OfferedCheck extends FoundCheck {
  /** Oldest first. */
  readonly ran: readonly Evidence[];
}

interface MergedChange {
  /** What is accepted of a candidate. */
  readonly files: readonly ChangedFile[];
  readonly tip: CommitId;
  /** These files merged onto the tip. */
  readonly tree: TreeId;
  readonly setup: Setup | null;
}

/** What the tip's manifests offer for a change that no constraint covers: never what the candidate makes of them (rule 5). */
export async function offeredChecks({ repository, checks }: Pick<WorldPorts, 'repository' | 'checks'>, state: WorldState, { files, tip, tree, setup }: MergedChange): Promise<readonly OfferedCheck[]> {
  const there = new Set((await repository.list(tip, ROOT)).map(({ path }) => path));
  const found = await readingAll(repository, tip, (read) => foundChecks(changedPaths(files), { has: (path) => there.has(path), read }));
  return Promise.all(found.map(async (offered) => ({ ...offered, ran: evidenceFor(state, { tree, ...await checks.keyOf({ tree, constraint: offered.check, setup }) }) })));
}

/** Evidence of commands that were run once on this tree and only passed: it goes into the message as that of a required check does. */
export async function passedOnce(ports: Pick<WorldPorts, 'repository' | 'checks'>, state: WorldState, change: MergedChange): Promise<readonly Evidence[]> {
  if (evidenceOn(state, change.tree).length === 0) return [];
  const offered = await offeredChecks(ports, state, change);
  return offered.filter(({ ran }) => ran.every((e) => e.result === 'passed')).flatMap(({ ran }) => ran.slice(-1));
}
