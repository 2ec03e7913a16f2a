/** The end of what a command printed, in text: its cause of failure stands there. */
export class OutputTail {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);
  #cut = false;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length <= this.#limit) return;
    this.#bytes = this.#bytes.subarray(-this.#limit);
    this.#cut = true;
  }

  /** Begins at a whole character where it was cut. */
  text(): string {
    let start = 0;
    while (this.#cut && start < this.#bytes.length && ((this.#bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    return this.#bytes.subarray(start).toString('utf8');
  }
}
