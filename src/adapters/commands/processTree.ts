import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** Milliseconds that a process gets to clean up (git removes its lock files on SIGTERM) before it is killed. */
const GRACE_MS = 2_000;

/** A child that `endTree` is to end must be spawned with these: its own process group, so that its children go too. */
export const OWN_GROUP = { detached: process.platform !== 'win32', windowsHide: true } as const;

/**
 * Ends a child and everything that it started. Asks first, kills after two seconds. Does not wait; the child's
 * `close` event tells when it is over.
 */
export function endTree(child: ChildProcess): void {
  const pid = child.pid;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => child.kill('SIGKILL'));
    return;
  }
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  // Once the leader is gone, what is left of its group ignored the request: there is nothing to wait for.
  child.once('close', () => {
    clearTimeout(timer);
    signalGroup(pid, 'SIGKILL');
  });
}

/** Ends at once what an ended child left running in its group. */
export function endLeftovers(child: ChildProcess): void {
  if (child.pid !== undefined && process.platform !== 'win32') signalGroup(child.pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
