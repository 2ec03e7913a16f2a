/** Who wants to be told of something; disposing one twice is harmless. */
export class Listeners<T> {
  readonly #all = new Set<{ readonly tell: (value: T) => void }>();

  get size(): number {
    return this.#all.size;
  }

  add(tell: (value: T) => void): { dispose(): void } {
    const entry = { tell };
    this.#all.add(entry);
    return { dispose: () => { this.#all.delete(entry); } };
  }

  /** A listener that throws does not keep the others from hearing it; the first error is thrown when all have. */
  tell(value: T): void {
    const errors: unknown[] = [];
    for (const { tell } of [...this.#all]) {
      try {
        tell(value);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
