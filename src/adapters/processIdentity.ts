import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';
import { isRunning } from './isRunning.ts';

/**
 * A process in a way that outlives it: a pid alone is given to somebody else after a while, means another process in
 * another pid namespace (a dev container on the same repository, C13), and nothing after a reboot.
 */
export const processIdentity = z.object({
  pid: z.number().int().positive(),
  /** When it was started, in the system's own words; null where the system does not tell. */
  startedAt: z.string().nullable(),
  /** Which boot of which kernel; null outside Linux. */
  boot: z.string().nullable(),
  /** Null outside Linux. */
  pidNamespace: z.string().nullable(),
  host: z.string(),
});
type ProcessIdentity = z.infer<typeof processIdentity>;

/** `unknown`: it cannot be seen from here, or may be another one with its pid, so only its heartbeat tells. */
type Liveness = 'alive' | 'dead' | 'unknown';

let mine: Promise<ProcessIdentity> | undefined;

export function thisProcess(): Promise<ProcessIdentity> {
  mine ??= (async () => ({ pid: process.pid, startedAt: await startOf(process.pid), ...(await place()) }))();
  return mine;
}

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.boot === b.boot && a.pidNamespace === b.pidNamespace && a.host === b.host;
}

export async function liveness(other: ProcessIdentity): Promise<Liveness> {
  const here = await thisProcess();
  if (other.host !== here.host || other.boot !== here.boot || other.pidNamespace !== here.pidNamespace) return 'unknown';
  if (!isRunning(other.pid)) return 'dead';
  const started = await startOf(other.pid);
  if (started === null || other.startedAt === null) return 'unknown';
  return started === other.startedAt ? 'alive' : 'dead';
}

async function place(): Promise<Pick<ProcessIdentity, 'boot' | 'pidNamespace' | 'host'>> {
  if (process.platform !== 'linux') return { boot: null, pidNamespace: null, host: hostname() };
  const [boot, pidNamespace] = await Promise.all([readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null), readlink('/proc/self/ns/pid').catch(() => null)]);
  return { boot: boot?.trim() ?? null, pidNamespace, host: hostname() };
}

/** `gone` for a process that has ended and that nobody has waited for yet: it has a pid but never runs again. */
async function startOf(pid: number): Promise<string | null> {
  switch (process.platform) {
    case 'linux': {
      const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => null);
      if (stat === null) return null;
      // The command's name stands in parentheses and may hold spaces and parentheses itself; fields 3 and 22 follow it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] ?? null);
    }
    case 'darwin': {
      const told = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => null);
      return told?.stdout.trim() || null;
    }
    default: return null;
  }
}
