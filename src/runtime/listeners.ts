/** A set of callbacks; disposing one twice is harmless. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  add(listener: (value: T) => void): { dispose(): void } {
    this.#all.add(listener);
    return { dispose: () => this.#all.delete(listener) };
  }

  tell(value: T): void {
    for (const listener of [...this.#all]) listener(value);
  }
}
