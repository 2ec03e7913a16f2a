import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { OWN_GROUP, endLeftovers, endTree } from './processTree.ts';

/** What is started: a program as it is, or a command by a shell: the platform's own, or bash where the machine has it. */
export type Executable =
  | { readonly kind: 'program'; readonly file: string; readonly args: readonly string[] }
  | { readonly kind: 'shell' | 'bash'; readonly command: string };

export interface CommandRequest {
  readonly run: Executable;
  /** Absolute. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Is given all that it prints, and keeps what of it the caller can use. */
  readonly output: { add(chunk: Buffer): void };
  readonly signal: AbortSignal;
}

export interface CommandResult {
  readonly ended:
    | { readonly kind: 'exited'; readonly code: number }
    | { readonly kind: 'killed'; readonly by: string }
    | { readonly kind: 'timed-out' }
    | { readonly kind: 'stopped' }
    | { readonly kind: 'not-started'; readonly words: string };
  /** Milliseconds. */
  readonly ms: number;
}

/** What a timer can hold; a longer time would be over at once. */
const LONGEST_MS = 2 ** 31 - 1;
/** How long output may still arrive after the process is gone: a child that left the group may hold the pipe open. */
const DRAIN_MS = 500;

/**
 * Runs a command of the repository in a process group of its own, which ends with it: what it left in the background
 * would change files behind the back of whoever comes next. Never throws.
 */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  const from = performance.now();
  const result = (ended: CommandResult['ended']): CommandResult => ({ ended, ms: Math.round(performance.now() - from) });
  if (request.signal.aborted) return result({ kind: 'stopped' });
  const child = start(request);
  child.stdout?.on('data', (chunk: Buffer) => request.output.add(chunk));
  child.stderr?.on('data', (chunk: Buffer) => request.output.add(chunk));

  const stopped: { cause?: 'timed-out' | 'stopped' } = {};
  const end = (cause: 'timed-out' | 'stopped'): void => {
    stopped.cause ??= cause;
    endTree(child);
  };
  const timer = setTimeout(() => end('timed-out'), Math.min(request.timeoutMs, LONGEST_MS));
  const onAbort = (): void => end('stopped');
  request.signal.addEventListener('abort', onAbort, { once: true });
  const ended = await new Promise<CommandResult['ended']>((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not-started', words: error.message }));
    child.once('exit', (code, by) => resolve(code === null ? { kind: 'killed', by: by ?? 'a signal' } : { kind: 'exited', code }));
  });
  clearTimeout(timer);
  request.signal.removeEventListener('abort', onAbort);
  endLeftovers(child);
  if (ended.kind !== 'not-started') await drained(child);
  return result(stopped.cause === undefined ? ended : { kind: stopped.cause });
}

function start({ run, folder, environment }: CommandRequest): ChildProcess {
  const options = { cwd: folder, env: { ...environment }, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'], ...OWN_GROUP };
  if (process.platform === 'win32') return run.kind === 'program' ? spawn(run.file, run.args, options) : spawn(run.command, { ...options, shell: true });
  // Both outputs in one pipe, so that errors stand where they happened; `exec` keeps it one process.
  return spawn('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', ...argumentsOf(run)], options);
}

/** The program to start and its arguments, where there is a POSIX shell. */
export function argumentsOf(run: Executable): readonly string[] {
  switch (run.kind) {
    case 'program': return [run.file, ...run.args];
    case 'shell': return ['/bin/sh', '-c', run.command];
    case 'bash': return [...(hasBash() ? ['/bin/bash', '--noprofile', '--norc'] : ['/bin/sh']), '-c', run.command];
  }
}

function hasBash(): boolean {
  try {
    accessSync('/bin/bash', constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function drained(child: ChildProcess): Promise<void> {
  if (child.stdout?.closed !== false && child.stderr?.closed !== false) return;
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, DRAIN_MS);
    child.once('close', () => {
      clearTimeout(late);
      resolve();
    });
  });
  child.stdout?.destroy();
  child.stderr?.destroy();
}
