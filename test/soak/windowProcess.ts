import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { quietGitEnvironment } from '../support/gitEnvironment.ts';
import type { Click, FromWindow, Row } from './window.child.ts';

export interface WindowPlace {
  readonly checkout: string;
  readonly machine: string;
  /** Where this window's processes put what is temporary. */
  readonly temporary: string;
  readonly baseUrl: string;
}

/** `died`: the window was killed before it answered, so the click may have had its effect or not. */
export type Clicked = { readonly kind: 'done' } | { readonly kind: 'refused'; readonly reason: string; readonly message: string } | { readonly kind: 'died' };

/** A window in a process of its own, which can be killed; the world in it is the product's own. */
export class WindowProcess {
  /** What the window shows, by goal. */
  readonly rows: ReadonlyMap<string, Row>;
  readonly broke: string[] = [];
  readonly #child: ChildProcess;
  readonly #clicks = new Map<number, (clicked: Clicked) => void>();
  #sent = 0;
  #news: (() => void)[] = [];
  #ready = false;

  private constructor(child: ChildProcess) {
    const rows = new Map<string, Row>();
    this.rows = rows;
    this.#child = child;
    child.on('message', (message: FromWindow) => {
      if ('broke' in message) this.broke.push(message.broke);
      else if ('rows' in message) {
        for (const row of message.rows) rows.set(row.goal, row);
        this.#ready ||= message.ready;
      } else this.#answer(message.click, message.refused === null ? { kind: 'done' } : { kind: 'refused', ...message.refused });
      this.#tell();
    });
    child.once('exit', () => {
      for (const number of [...this.#clicks.keys()]) this.#answer(number, { kind: 'died' });
      this.#tell();
    });
  }

  static async open(place: WindowPlace): Promise<WindowProcess> {
    const child = fork(fileURLToPath(new URL('./window.child.ts', import.meta.url)), [place.checkout, place.machine, place.baseUrl], {
      execArgv: ['--no-warnings'], env: { ...quietGitEnvironment(), TMPDIR: place.temporary }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const opened = new WindowProcess(child);
    while (!opened.#ready && opened.alive) await opened.news();
    if (!opened.#ready) throw new Error(`the window ended before it was open: ${opened.broke.join('\n')}`);
    return opened;
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  click(what: Click): Promise<Clicked> {
    if (!this.alive) return Promise.resolve({ kind: 'died' });
    return new Promise((resolve) => {
      const click = ++this.#sent;
      this.#clicks.set(click, resolve);
      // A window that dies meanwhile is told by its exit.
      this.#child.send({ click, what }, () => undefined);
    });
  }

  /** Resolves when the window shows something else, answers, or is gone. */
  news(): Promise<void> {
    return new Promise((resolve) => this.#news.push(resolve));
  }

  async kill(): Promise<void> {
    if (!this.alive) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    await this.click({ do: 'close' });
    await gone;
  }

  #answer(click: number, clicked: Clicked): void {
    this.#clicks.get(click)?.(clicked);
    this.#clicks.delete(click);
  }

  #tell(): void {
    for (const told of this.#news.splice(0)) told();
  }
}
