import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells one process from every other, also from one that gets the same pid later or in a container. */
export interface ProcessFacts {
  readonly pid: number;
  /** Clock ticks since boot at which it started; null where the system does not tell. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  /** Pids of different namespaces say nothing about each other. */
  readonly pidNamespace: string | null;
  readonly host: string;
}

export function ownProcess(): ProcessFacts {
  return {
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    bootId: read('/proc/sys/kernel/random/boot_id'),
    pidNamespace: link('/proc/self/ns/pid'),
    host: hostname(),
  };
}

/** Whether two processes live where the same pids mean the same processes. */
export function samePidSpace(a: ProcessFacts, b: ProcessFacts): boolean {
  return a.host === b.host && a.bootId === b.bootId && a.pidNamespace === b.pidNamespace;
}

/** Looks at this machine's processes: `other` where the pid now belongs to another one. */
export function lookAtProcess(facts: ProcessFacts): 'alive' | 'gone' | 'other' | 'unsure' {
  try {
    process.kill(facts.pid, 0);
  } catch (error) {
    // EPERM: there is one, of another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return 'gone';
  }
  const startTime = startTimeOf(facts.pid);
  if (facts.startTime === null || startTime === null) return 'unsure';
  return startTime === facts.startTime ? 'alive' : 'other';
}

function startTimeOf(pid: number): string | null {
  // The command's name, in parentheses, may hold spaces and parentheses: fields count from the last one.
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

function link(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}
