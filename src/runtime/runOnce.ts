import { scratchRef } from '../core/candidate/refs.ts';
import type { Evidence } from '../core/constraints/constraint.ts';
import { Refused } from '../core/refusal.ts';
import { candidateOf } from '../core/world/state.ts';
import type { Acceptance } from './acceptance/acceptance.ts';
import type { RunOnceRequest } from './openWorld.ts';
import type { CheckRequest } from './ports/checks.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import { rulesAt } from './rules.ts';
import type { WorldLog } from './worldLog.ts';

/**
 * Runs one found command on the merged tree, as a required constraint is run, and keeps what it gave. It binds nothing:
 * an accept neither waits for it nor asks for it.
 */
export async function runOnce(request: RunOnceRequest, ports: WorldPorts, log: WorldLog, acceptance: Acceptance, mayRun: CheckRequest['mayRun']): Promise<Evidence> {
  const { repository, candidates, checks } = ports;
  const { signal, progress } = request;
  const plan = await acceptance.plan(request.episode, request.files);
  const episode = log.episode(request.episode);
  const candidate = candidateOf(episode, plan.candidate);
  if (!candidate || candidate.number !== request.candidate) throw new Refused({ reason: 'candidate-superseded', message: 'The change was edited meanwhile.', next: 'Look at what it is now, then run the command again.' });
  // Found anew: only what the tip's own files say is run, never what a caller passes.
  const offered = plan.found.find(({ check }) => check.name === request.check);
  if (!offered || plan.merged.kind === 'conflict') throw new Refused({ reason: 'check-missing', message: `“${request.check}” is not offered for this change any more: the branch has moved.`, next: 'Look at the accept box again for what is.' });
  const { tree } = plan.merged;
  const { setup } = await rulesAt(repository, episode.world.commit);
  // Not the ref of a gate, which may be at work for another change.
  const ref = scratchRef(`once/${request.episode}`);
  const commit = await candidates.commit({ tree, parent: plan.tip, message: 'Merged tree to be checked', ref });
  const evidence = await checks.run({ commit, tree, constraint: offered.check, setup, signal, progress, mayRun }).finally(() => repository.deleteRefs(ref));
  if (signal.aborted || evidence.result === 'refused') throw new Refused({ reason: 'cancelled', message: `“${request.check}” did not run.`, next: 'Nothing was changed; run it again when you like.' });
  const told = await log.dispatch({ type: 'check ran', episode: episode.id, number: candidate.number, evidence, tip: plan.tip });
  if (!told.ok) throw new Refused(told.refusal);
  return evidence;
}
