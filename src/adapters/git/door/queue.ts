/** What a person waits for goes before what nobody looks at. */
export type Priority = 'interactive' | 'background';

/** Lets at most `capacity` pieces of work run at once; interactive ones first, else in order of arrival. */
export class WorkQueue {
  readonly #capacity: number;
  #running = 0;
  readonly #waiting: Record<Priority, (() => void)[]> = { interactive: [], background: [] };

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get idle(): boolean {
    return this.#running === 0 && this.#waiting.interactive.length === 0 && this.#waiting.background.length === 0;
  }

  /** Rejects with the signal's reason if it aborts before the work began; once begun, the work itself watches the signal. */
  async run<T>(priority: Priority, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    await this.#slot(priority, signal);
    try {
      return await work();
    } finally {
      this.#running--;
      (this.#waiting.interactive.shift() ?? this.#waiting.background.shift())?.();
    }
  }

  #slot(priority: Priority, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#running < this.#capacity) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        this.#running++;
        resolve();
      };
      const leave = (): void => {
        this.#waiting[priority].splice(this.#waiting[priority].indexOf(enter), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting[priority].push(enter);
    });
  }
}
