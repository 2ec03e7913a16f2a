import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { WindowAnswer, WindowCommand } from './window.child.ts';

/** A window in a process of its own, to be stopped, killed and raced as real windows are. */
export interface WindowProcess {
  readonly pid: number;
  ask(command: WindowCommand): Promise<WindowAnswer>;
  /** Numbers of the facts that other windows wrote, as this one was told of them. */
  readonly followed: readonly number[];
  readonly lost: Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void;
  kill(): Promise<void>;
}

export async function startWindow(commonDir: string, options: { readonly staleMs?: number; readonly heartbeatMs?: number } = {}): Promise<WindowProcess> {
  const child = fork(fileURLToPath(new URL('./window.child.ts', import.meta.url)), [commonDir, JSON.stringify(options)], { execArgv: ['--no-warnings'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const followed: number[] = [];
  const waiting = new Map<number, (answer: WindowAnswer) => void>();
  let sent = 0;
  const lost = new Signal();
  const ready = new Signal();
  child.on('message', (message: { ready?: true; lost?: true; followed?: number[]; id?: number; answer?: WindowAnswer }) => {
    if (message.ready) ready.give();
    if (message.lost) lost.give();
    followed.push(...(message.followed ?? []));
    if (message.id !== undefined && message.answer) {
      waiting.get(message.id)?.(message.answer);
      waiting.delete(message.id);
    }
  });
  await Promise.race([ready.given, ended(child).then(() => { throw new Error('the window ended before it was open'); })]);
  return {
    pid: child.pid ?? 0, followed, lost: lost.given,
    ask: (command) => new Promise((resolve) => {
      const id = ++sent;
      waiting.set(id, resolve);
      child.send({ id, command });
    }),
    signal: (name) => { child.kill(name); },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = ended(child);
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Something that happens once and can be waited for before and after. */
export class Signal {
  readonly given: Promise<void>;
  #give: () => void = () => undefined;

  constructor() {
    this.given = new Promise((resolve) => { this.#give = resolve; });
  }

  give(): void {
    this.#give();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  await once(child, 'exit');
}
