import { spawn } from 'node:child_process';
import path from 'node:path';
import type { AbsolutePath } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import type { Setup } from '../../../runtime/ports/worktrees.ts';
import type { GitPlace } from '../door/door.ts';
import { OWN_GROUP, endLeftovers, endTree } from '../door/processTree.ts';

/** Bytes of output that are kept: its end, where the cause of a failure stands. */
const KEPT = 64 * 1024;

export interface SetupRequest {
  readonly setup: Setup;
  readonly place: GitPlace;
  readonly worktree: AbsolutePath;
  /** What the script inherits; the five variables below come on top. */
  readonly environment: Readonly<Record<string, string>>;
  readonly progress: (words: string) => void;
  readonly signal?: AbortSignal;
}

export type SetupResult =
  | { readonly kind: 'passed'; readonly output: string }
  | { readonly kind: 'failed'; readonly exitCode: number | null; readonly output: string }
  | { readonly kind: 'timed-out'; readonly output: string }
  | { readonly kind: 'could-not-run'; readonly output: string };

/** Runs a setup script by the platform's shell in a worktree. Everything that it started is ended with it. Throws `Refused` (`cancelled`). */
export function runSetup(request: SetupRequest): Promise<SetupResult> {
  const { setup, signal } = request;
  if (signal?.aborted === true) return Promise.reject(cancelled());
  return new Promise((resolve, reject) => {
    const child = spawn(setup.script, { cwd: request.worktree, env: { ...request.environment, ...setupVariables(request.place, request.worktree) }, shell: true, stdio: ['ignore', 'pipe', 'pipe'], ...OWN_GROUP });
    let output = Buffer.alloc(0);
    const keep = (chunk: Buffer): void => {
      output = Buffer.concat([output, chunk]).subarray(-KEPT);
    };
    let timedOut = false;
    const started = performance.now();
    const timer = setTimeout(() => {
      timedOut = true;
      endTree(child);
    }, setup.timeoutMs);
    const ticker = setInterval(() => request.progress(`setup is running: ${Math.round((performance.now() - started) / 1_000)} s`), 5_000);
    const cancel = (): void => endTree(child);
    signal?.addEventListener('abort', cancel, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      clearInterval(ticker);
      signal?.removeEventListener('abort', cancel);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    // What it left running in the background would hold the output open and change files behind the agent's back.
    child.once('exit', () => endLeftovers(child));
    child.once('error', (error) => {
      settle();
      resolve({ kind: 'could-not-run', output: error.message });
    });
    child.once('close', (exitCode) => {
      settle();
      const text = output.toString('utf8');
      if (signal?.aborted === true) reject(cancelled());
      else if (timedOut) resolve({ kind: 'timed-out', output: text });
      else if (exitCode === 0) resolve({ kind: 'passed', output: text });
      else resolve({ kind: 'failed', exitCode, output: text });
    });
  });
}

/** The names that setup scripts of other tools expect, and the two short ones. */
export function setupVariables(place: GitPlace, worktree: AbsolutePath): Record<string, string> {
  const repository = path.basename(place.commonDir) === '.git' ? path.dirname(place.commonDir) : place.checkout;
  return { SOURCE_REPO_PATH: repository, REPO_PATH: repository, SOURCE_WORKTREE_PATH: place.checkout, TARGET_WORKTREE_PATH: worktree, WORKTREE_PATH: worktree };
}

/**
 * This process's environment without what must not reach a script of a repository: git's variables, which could name
 * another repository, the editor's own, and model keys.
 */
export function scriptEnvironment(from: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(from).filter((entry): entry is [string, string] => entry[1] !== undefined && !/^(GIT_|VSCODE_|ELECTRON_)|_API_KEY$/i.test(entry[0])));
}

/** Told to the agent and the person; null where there is nothing to tell. */
export function setupNote(setup: Setup, result: SetupResult): string | null {
  const end = result.output.trim() === '' ? ' It printed nothing.' : ` The end of its output:\n${result.output.trim().slice(-2_000)}`;
  switch (result.kind) {
    case 'passed': return null;
    case 'failed': return `The setup script (${setup.script}) failed with exit code ${result.exitCode ?? 'unknown'}, so tools or dependencies may be missing.${end}`;
    case 'timed-out': return `The setup script (${setup.script}) was ended after ${Math.round(setup.timeoutMs / 1_000)} s, so tools or dependencies may be missing.${end}`;
    case 'could-not-run': return `The setup script (${setup.script}) could not be run.${end}`;
  }
}

function cancelled(): Refused {
  return new Refused({ reason: 'cancelled', message: 'Setup was cancelled.', next: 'Start it again when you want.' });
}
