import { execFileSync, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const patience = 5000;

/** Ends a child and everything that it started, also what moved into a process group of its own, and waits until it is gone. */
export async function endProcessTree(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  if (process.platform === 'win32') {
    execFileSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    return closed;
  }
  const members = [pid, ...descendants(pid)];
  signal(members, 'SIGTERM');
  await Promise.race([closed, delay(patience, undefined, { ref: false })]);
  // Those that were started while the first signal travelled, and those that do not listen.
  signal([...members.slice(1), ...descendants(pid), pid], 'SIGKILL');
  await closed;
}

/** For `process.on('exit')`, where nothing can be waited for. */
export function killProcessTreeNow(pid: number): void {
  signal([...descendants(pid), pid], 'SIGKILL');
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // Gone already.
    }
  }
}

function descendants(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found: number[] = [];
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const below = children.get(next) ?? [];
    found.push(...below);
    waiting.push(...below);
  }
  return found;
}

function parents(): readonly (readonly [pid: number, parent: number])[] {
  if (process.platform === 'win32') return [];
  if (process.platform !== 'linux') {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return table.trim().split('\n').map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return [pid ?? 0, parent ?? 0] as const;
    });
  }
  // `ps` is missing in slim containers.
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The command's name stands in parentheses and may hold spaces; state and parent follow.
      return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const];
    } catch {
      return [];
    }
  });
}
