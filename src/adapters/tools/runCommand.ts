import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { BoundedOutput } from './boundedOutput.ts';

export interface CommandRequest {
  readonly command: string;
  /** Absolute. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Bytes of output that are kept. */
  readonly maxOutput: number;
  readonly signal: AbortSignal;
}

export interface CommandResult {
  readonly ended:
    | { readonly kind: 'exited'; readonly code: number }
    | { readonly kind: 'killed'; readonly by: string }
    | { readonly kind: 'timed-out' }
    | { readonly kind: 'stopped' }
    | { readonly kind: 'not-started'; readonly words: string };
  readonly output: string;
  readonly ms: number;
}

/** Between the polite signal and the one that cannot be refused. */
const GRACE_MS = 2000;
/** How long output may still arrive after the process is gone: a child that left the group may hold the pipe open. */
const DRAIN_MS = 500;

/**
 * Runs a command in a fresh shell and a process group of its own, which ends with it: nothing that it started in the
 * background goes on. Never throws.
 */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  const from = performance.now();
  const output = new BoundedOutput(request.maxOutput);
  const result = (ended: CommandResult['ended']): CommandResult => ({ ended, output: output.text, ms: performance.now() - from });
  if (request.signal.aborted) return result({ kind: 'stopped' });
  const { file, args } = shellFor(request.command);
  const child = spawn(file, args, { cwd: request.folder, env: { ...request.environment }, detached: process.platform !== 'win32', stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.add(chunk));

  const stopped: { cause?: 'timed-out' | 'stopped' } = {};
  let hard: NodeJS.Timeout | undefined;
  const end = (why: 'timed-out' | 'stopped'): void => {
    stopped.cause ??= why;
    signalGroup(child, 'SIGTERM');
    hard = setTimeout(() => signalGroup(child, 'SIGKILL'), why === 'stopped' ? GRACE_MS / 4 : GRACE_MS);
  };
  const timer = setTimeout(() => end('timed-out'), request.timeoutMs);
  const onAbort = (): void => end('stopped');
  request.signal.addEventListener('abort', onAbort, { once: true });
  const ended = await new Promise<CommandResult['ended']>((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not-started', words: error.message }));
    child.once('exit', (code, by) => resolve(code === null ? { kind: 'killed', by: by ?? 'a signal' } : { kind: 'exited', code }));
  });
  clearTimeout(timer);
  clearTimeout(hard);
  request.signal.removeEventListener('abort', onAbort);
  signalGroup(child, 'SIGKILL');
  if (ended.kind !== 'not-started') await drained(child);
  return result(stopped.cause === undefined ? ended : { kind: stopped.cause });
}

/** Both outputs in one pipe, so that errors stand where they happened; `exec` keeps one process for both shells. */
function shellFor(command: string): { readonly file: string; readonly args: readonly string[] } {
  if (process.platform === 'win32') return { file: process.env['COMSPEC'] ?? 'cmd.exe', args: ['/d', '/s', '/c', command] };
  const shell = hasBash() ? ['/bin/bash', '--noprofile', '--norc'] : ['/bin/sh'];
  return { file: '/bin/sh', args: ['-c', 'exec "$@" 2>&1', 'sh', ...shell, '-c', command] };
}

function hasBash(): boolean {
  try {
    accessSync('/bin/bash', constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (process.platform === 'win32') {
      spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => child.kill());
    } else process.kill(-pid, signal);
  } catch {
    // The whole group is gone already.
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
