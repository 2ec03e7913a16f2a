import type { Evidence } from '../../core/constraints/constraint.ts';
import type { AbsolutePath, CommitId, TreeId } from '../../core/ids.ts';
import { Refused } from '../../core/refusal.ts';
import type { CheckRequest, Checks, HookResult } from '../../runtime/ports/checks.ts';
import { commandEnvironment } from '../commands/commandEnvironment.ts';
import type { RunRepositoryCommand } from '../commands/repositoryCommand.ts';
import type { GitDoor } from '../git/door/door.ts';
import { HARNESS_IDENTITY } from '../git/reading/identity.ts';
import { WorkQueue } from '../git/door/queue.ts';
import { definitionKey, setupKey } from './checkKey.ts';
import { CheckWorktrees, type CheckPlace, type CheckWorktreeRequest } from './checkWorktrees.ts';
import { runForEvidence, type EvidenceOutcome } from './evidenceCommand.ts';
import { findHooks, runHooksIn } from './hooks.ts';

interface ChecksOptions {
  /** A cache folder outside the repository; made when it is first needed. */
  readonly root: AbsolutePath;
  /** `warm`: dependencies are kept between checks, and build output of accepted trees. `cold`: nothing is. */
  readonly temperature: 'warm' | 'cold';
  /** The person's login environment; this process's where left out. Only what toolchains need of it reaches a command. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Setup scripts, checks and hooks, where they can do least. */
  readonly run: RunRepositoryCommand;
}

export interface ClosableChecks extends Checks {
  /** Stops the heartbeats; warm worktrees stay for the next window. */
  close(): Promise<void>;
}

/** Constraints and hooks, run by the host in worktrees that no agent works in (rule 5). One at a time. */
export function openChecks(git: GitDoor, options: ChecksOptions): ClosableChecks {
  const environment = commandEnvironment(options.environment ?? process.env);
  const running: Running = { environment, run: options.run };
  const worktrees = new CheckWorktrees(git, { root: options.root, temperature: options.temperature, ...running });
  const queue = new WorkQueue(1);
  const inTurn = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    try {
      return await queue.run('interactive', signal, work);
    } catch (error) {
      throw signal.aborted && !(error instanceof Refused) ? new Refused({ reason: 'cancelled', message: 'The checks were cancelled.', next: 'Start them again when you want.' }, { cause: error }) : error;
    }
  };
  return {
    run: (request) => inTurn(request.signal, () => check(git, worktrees, running, request)),
    keyOf: async ({ tree, constraint, setup }) => ({ definition: definitionKey(constraint), setup: await setupKey(git, tree, setup) }),
    hooks: async () => (await findHooks(git)).map((hook) => hook.name),
    runHooks: (request) => inTurn(request.signal, () => hooked(git, worktrees, running, request)),
    close: () => worktrees.close(),
  };
}

interface Running {
  readonly environment: Readonly<Record<string, string>>;
  readonly run: RunRepositoryCommand;
}

async function check(git: GitDoor, worktrees: CheckWorktrees, running: Running, request: CheckRequest): Promise<Evidence> {
  const { commit, tree, constraint, setup, signal, progress, mayRun } = request;
  const key = await setupKey(git, tree, setup);
  const evidence = (outcome: EvidenceOutcome): Evidence => ({
    constraint: constraint.name, run: constraint.run, required: constraint.required, tree, definition: definitionKey(constraint), setup: key, ...outcome,
  });
  if (await objectAt(git, `${commit}^{tree}`) !== tree) throw new Error(`commit ${commit} does not hold tree ${tree}`);
  if (!(await mayRun(constraint.run, 'check'))) return evidence({ result: 'refused', exitCode: null, ms: 0, output: '' });
  const place = await placeFor(worktrees, { commit, tree, line: await objectAt(git, `${commit}^1`) as CommitId | null, setup, setupKey: key, signal, progress, mayRun });
  if (place.kind !== 'ready') return evidence({ result: place.kind === 'refused' ? 'refused' : 'could-not-run', exitCode: null, ms: 0, output: place.output });
  try {
    progress(`running ${constraint.run}`);
    return evidence(await runForEvidence(running.run, {
      run: { kind: 'shell', command: constraint.run }, folder: place.access.workTree, environment: running.environment, timeoutMs: constraint.timeoutMs, signal,
      purpose: 'check', worktree: place.access.workTree, caches: 'own', brought: place.brought,
    }));
  } finally {
    await worktrees.finish(place.access);
  }
}

async function hooked(git: GitDoor, worktrees: CheckWorktrees, running: Running, request: Parameters<Checks['runHooks']>[0]): Promise<HookResult> {
  const { tip, tree, message, setup, signal, progress, mayRun } = request;
  const hooks = await findHooks(git);
  if (hooks.length === 0) return { kind: 'passed', message };
  for (const { name, shown } of hooks) {
    if (!(await mayRun(shown, 'hook'))) return { kind: 'failed', hook: name, output: `The ${name} hook (${shown}) was not allowed to run.` };
  }
  const commit = await stagedCommit(git, tip, tree);
  const place = await placeFor(worktrees, { commit, tree, line: tip, setup, setupKey: await setupKey(git, tree, setup), signal, progress, mayRun });
  if (place.kind !== 'ready') return { kind: 'failed', hook: hooks[0]?.name ?? 'pre-commit', output: place.output };
  try {
    return await runHooksIn(git, { access: place.access, brought: place.brought, tip, tree, message, hooks, ...running, signal, progress });
  } finally {
    await worktrees.finish(place.access);
  }
}

/** One that cannot be made (a filter's program is missing) is a check that could not run: a person may pass over it with a reason. */
async function placeFor(worktrees: CheckWorktrees, request: CheckWorktreeRequest): Promise<CheckPlace> {
  try {
    return await worktrees.prepare(request);
  } catch (error) {
    if (!(error instanceof Refused) || request.signal.aborted) throw error;
    return { kind: 'failed', output: `${error.refusal.message} ${error.refusal.next}` };
  }
}

/** Holds the tree for the check worktree. It needs no ref: it is used at once, and git prunes nothing that is that young. */
async function stagedCommit(git: GitDoor, tip: CommitId, tree: TreeId): Promise<CommitId> {
  const { stdout } = await git.run(['commit-tree', '--no-gpg-sign', '-p', tip, '-m', 'Tree that hooks are run on', tree], { write: false, env: HARNESS_IDENTITY });
  return stdout.toString('utf8').trim() as CommitId;
}

/** Null where there is no such object: a first commit has no parent. */
async function objectAt(git: GitDoor, name: string): Promise<string | null> {
  const { stdout, exitCode } = await git.run(['rev-parse', '--verify', '-q', name], { write: false, allowExit: [1, 128] });
  return exitCode === 0 ? stdout.toString('utf8').trim() : null;
}
