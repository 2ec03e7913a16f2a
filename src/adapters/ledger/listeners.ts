/** Who wants to be told of something. A listener that throws does not keep the others from hearing it. */
export class Listeners<T> {
  readonly #listeners = new Set<{ readonly tell: (value: T) => void }>();

  get size(): number {
    return this.#listeners.size;
  }

  add(tell: (value: T) => void): { dispose(): void } {
    const entry = { tell };
    this.#listeners.add(entry);
    return { dispose: () => { this.#listeners.delete(entry); } };
  }

  tell(value: T): void {
    for (const { tell } of this.#listeners) queueMicrotask(() => { tell(value); });
  }
}
