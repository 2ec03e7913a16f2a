import { spawn } from 'node:child_process';
import { Refused } from '../../core/refusal.ts';
import { OWN_GROUP, endLeftovers, endTree } from '../git/door/processTree.ts';
import { OutputTail } from './outputTail.ts';

/** Bytes of output that evidence keeps. */
export const OUTPUT_LIMIT = 8 * 1024;

export interface CommandRequest {
  /** Given to the platform's shell; with `args`, a program that is started as it is. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CommandResult {
  readonly kind: 'ended' | 'timed-out' | 'could-not-run';
  /** Null where a signal ended it, or it never ran. */
  readonly exitCode: number | null;
  /** The end of stdout and stderr as they came, 8 KiB at most. */
  readonly output: string;
  /** Milliseconds. */
  readonly ms: number;
}

/** Runs a command to its end, and ends everything that it started. Throws `Refused` (`cancelled`) after that. */
export function runCommand(request: CommandRequest): Promise<CommandResult> {
  const { signal } = request;
  if (signal.aborted) return Promise.reject(cancelled());
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const output = new OutputTail(OUTPUT_LIMIT);
    const options = { cwd: request.cwd, env: request.environment, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'], ...OWN_GROUP };
    const child = request.args === undefined ? spawn(request.command, { ...options, shell: true }) : spawn(request.command, [...request.args], options);
    let timedOut = false;
    const cancel = (): void => endTree(child);
    const timer = setTimeout(() => {
      timedOut = true;
      endTree(child);
    }, Math.min(request.timeoutMs, 2 ** 31 - 1));
    signal.addEventListener('abort', cancel, { once: true });
    const finish = (kind: CommandResult['kind'], exitCode: number | null): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      if (signal.aborted) reject(cancelled());
      else resolve({ kind, exitCode, output: output.text(), ms: Math.round(performance.now() - started) });
    };
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.add(chunk));
    // What it left in the background would hold the output open, and change files under the next check.
    child.once('exit', () => endLeftovers(child));
    child.once('error', (error) => {
      output.add(Buffer.from(error.message));
      finish('could-not-run', null);
    });
    child.once('close', (code) => finish(timedOut ? 'timed-out' : 'ended', code));
  });
}

function cancelled(): Refused {
  return new Refused({ reason: 'cancelled', message: 'The check was cancelled.', next: 'Start it again when you want.' });
}
