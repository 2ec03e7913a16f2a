/** Work that is done again when something changed: one run at a time, and several wishes meanwhile make one more. */
export class Background {
  readonly #work: (signal: AbortSignal) => Promise<void>;
  readonly #closing = new AbortController();
  #running: Promise<void> | null = null;
  #again = false;

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.#work = work;
  }

  wish(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#running !== null) {
      this.#again = true;
      return;
    }
    // What cannot be read just now is shown without these facts; whoever acts on it is told why.
    this.#running = this.#work(this.#closing.signal).catch(() => undefined).finally(() => {
      this.#running = null;
      if (!this.#again) return;
      this.#again = false;
      this.wish();
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }
}
