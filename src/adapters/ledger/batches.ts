/** How long appends are collected before one write and one flush carry them all, in milliseconds. */
export const GROUPING_MS = 20;

/**
 * Collects items for a moment and hands them on as one batch, in order, one batch at a time. `carry` settles its
 * items itself and does not throw.
 */
export class Batches<Item> {
  readonly #carry: (items: readonly Item[]) => Promise<void>;
  readonly #ms: number;
  #waiting: Item[] = [];
  #timer: NodeJS.Timeout | undefined;
  #carrying: Promise<void> = Promise.resolve();

  constructor(carry: (items: readonly Item[]) => Promise<void>, ms: number) {
    this.#carry = carry;
    this.#ms = ms;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#timer ??= setTimeout(() => void this.drain(), this.#ms);
  }

  /** Hands on what waits now, and resolves when that and everything before it is carried. */
  drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#carrying = this.#carrying.then(async () => {
      const items = this.#waiting;
      this.#waiting = [];
      if (items.length > 0) await this.#carry(items);
    });
    return this.#carrying;
  }
}
