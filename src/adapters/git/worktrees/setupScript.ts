import path from 'node:path';
import type { AbsolutePath, FilePath } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import type { SetupScript } from '../../../runtime/ports/worktrees.ts';
import { OutputTail } from '../../commands/outputTail.ts';
import type { RunRepositoryCommand } from '../../commands/repositoryCommand.ts';
import type { GitPlace } from '../door/door.ts';

/** Bytes of output that are kept: its end, where the cause of a failure stands. */
const KEPT = 64 * 1024;

interface SetupRequest {
  readonly setup: SetupScript;
  readonly place: GitPlace;
  readonly worktree: AbsolutePath;
  /** What the script inherits; the five variables below come on top. */
  readonly environment: Readonly<Record<string, string>>;
  readonly progress: (words: string) => void;
  readonly signal: AbortSignal;
  readonly run: RunRepositoryCommand;
  readonly caches: 'shared' | 'own';
  /** What the worktree has already besides its commit: submodules among it must stay what they are. */
  readonly brought: readonly FilePath[];
}

type SetupResult =
  | { readonly kind: 'passed'; readonly output: string }
  | { readonly kind: 'failed'; readonly exitCode: number | null; readonly output: string }
  | { readonly kind: 'timed-out'; readonly output: string }
  | { readonly kind: 'could-not-run'; readonly output: string };

/** Runs a setup script by the platform's shell in a worktree. Everything that it started is ended with it. Throws `Refused` (`cancelled`). */
export async function runSetup(request: SetupRequest): Promise<SetupResult> {
  const { setup, place, worktree, signal } = request;
  const printed = new OutputTail(KEPT);
  const started = performance.now();
  const ticker = setInterval(() => request.progress(`setup is running: ${Math.round((performance.now() - started) / 1_000)} s`), 5_000);
  const { ended } = await request.run({
    run: { kind: 'shell', command: setup.run }, folder: worktree, environment: { ...request.environment, ...setupVariables(place, worktree) },
    timeoutMs: setup.timeoutMs, output: printed, signal, purpose: 'setup', worktree, caches: request.caches, brought: request.brought,
  });
  clearInterval(ticker);
  const output = printed.text();
  switch (ended.kind) {
    case 'exited': return ended.code === 0 ? { kind: 'passed', output } : { kind: 'failed', exitCode: ended.code, output };
    case 'killed': return { kind: 'failed', exitCode: null, output };
    case 'timed-out': return { kind: 'timed-out', output };
    case 'not-started': return { kind: 'could-not-run', output: ended.words };
    case 'stopped': throw new Refused({ reason: 'cancelled', message: 'Setup was cancelled.', next: 'Start it again when you want.' });
  }
}

/** The names that setup scripts of other tools expect, and the two short ones. */
function setupVariables(place: GitPlace, worktree: AbsolutePath): Record<string, string> {
  const repository = path.basename(place.commonDir) === '.git' ? path.dirname(place.commonDir) : place.checkout;
  return { SOURCE_REPO_PATH: repository, REPO_PATH: repository, SOURCE_WORKTREE_PATH: place.checkout, TARGET_WORKTREE_PATH: worktree, WORKTREE_PATH: worktree };
}

/** Told to the agent and the person; null where there is nothing to tell. */
export function setupNote(setup: SetupScript, result: SetupResult): string | null {
  const end = result.output.trim() === '' ? ' It printed nothing.' : ` The end of its output:\n${result.output.trim().slice(-2_000)}`;
  switch (result.kind) {
    case 'passed': return null;
    case 'failed': return `The setup script (${setup.run}) failed with exit code ${result.exitCode ?? 'unknown'}, so tools or dependencies may be missing.${end}`;
    case 'timed-out': return `The setup script (${setup.run}) was ended after ${Math.round(setup.timeoutMs / 1_000)} s, so tools or dependencies may be missing.${end}`;
    case 'could-not-run': return `The setup script (${setup.run}) could not be run.${end}`;
  }
}
