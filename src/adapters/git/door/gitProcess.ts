import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { AbsolutePath } from '../../../core/ids.ts';
import { CONFIG, gitEnvironment } from './environment.ts';
import { GitFailure, failureKind } from './failure.ts';
import type { GitFailureKind } from './failure.ts';
import { OWN_GROUP, endTree } from '../../commands/processTree.ts';

export interface GitResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface SpawnRequest {
  readonly args: readonly string[];
  readonly gitDir: AbsolutePath;
  /** Left out where the command touches no files. */
  readonly workTree?: AbsolutePath;
  readonly cwd: string;
  readonly write: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Further `-c` settings, after our own. */
  readonly config?: readonly string[];
}

interface FinishRequest {
  readonly stdin?: Uint8Array | string;
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  /** Exit codes besides 0 that are answers, not failures. */
  readonly allowExit?: readonly number[];
}

/** Global arguments of every call: nothing is discovered (rule 11). */
function globalArguments(request: Pick<SpawnRequest, 'gitDir' | 'workTree' | 'config'>): string[] {
  return [
    ...[...CONFIG, ...(request.config ?? [])].flatMap((setting) => ['-c', setting]),
    `--git-dir=${request.gitDir}`,
    ...(request.workTree === undefined ? [] : [`--work-tree=${request.workTree}`]),
  ];
}

export function spawnGit(request: SpawnRequest): ChildProcessWithoutNullStreams {
  return spawn('git', [...globalArguments(request), ...request.args], {
    cwd: request.cwd,
    env: gitEnvironment(process.env, { write: request.write, ...(request.env === undefined ? {} : { extra: request.env }) }),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...OWN_GROUP,
  });
}

/** Runs one command to its end. On abort or time-out the whole process tree is ended, and this rejects only when it is gone. */
export function runGit(request: SpawnRequest & FinishRequest): Promise<GitResult> {
  const { args, signal } = request;
  if (signal?.aborted === true) return Promise.reject(new GitFailure('cancelled', { args }));
  return new Promise((resolve, reject) => {
    const child = spawnGit(request);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let ended: GitFailureKind | null = null;
    const end = (kind: GitFailureKind): void => {
      ended ??= kind;
      endTree(child);
    };
    const cancel = (): void => end('cancelled');
    const timer = setTimeout(() => end('timed-out'), request.timeoutMs);
    signal?.addEventListener('abort', cancel, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };

    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    // A command that ends before it read all of its input closes the pipe: its exit code tells what happened.
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => {
      settle();
      reject(spawnFailure(error, request));
    });
    child.once('close', (code, killedBy) => {
      settle();
      const text = Buffer.concat(stderr).toString('utf8');
      if (ended !== null) reject(new GitFailure(ended, { args, exitCode: code, stderr: text }));
      else if (code === null) reject(new GitFailure('other', { args, stderr: `${text}\nended by ${killedBy ?? 'a signal'}` }));
      else if (code !== 0 && request.allowExit?.includes(code) !== true) reject(new GitFailure(failureKind(text), { args, exitCode: code, stderr: text }));
      else resolve({ stdout: Buffer.concat(stdout), stderr: text, exitCode: code });
    });
    child.stdin.end(request.stdin ?? '');
  });
}

/** ENOENT means that git or the folder is missing; which of them decides what the reader is to do. */
export function spawnFailure(error: Error, request: Pick<SpawnRequest, 'args' | 'cwd'>): GitFailure {
  const missing = 'code' in error && error.code === 'ENOENT';
  const kind: GitFailureKind = missing ? (existsSync(request.cwd) ? 'git-missing' : 'folder-missing') : 'other';
  return new GitFailure(kind, { args: request.args, stderr: error.message }, { cause: error });
}
