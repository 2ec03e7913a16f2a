/** One way to do something, timed. `before` and `after` are not. */
export interface Way {
  readonly name: string;
  readonly before?: () => Promise<void> | void;
  /** Gives how many times it was done; left out, once. */
  readonly run: () => Promise<unknown>;
  readonly after?: () => Promise<void> | void;
}

/**
 * Milliseconds that each way takes, as medians. The ways take turns within each round, so that a machine that is busy
 * for a while is so for all of them; a round before the first is not counted.
 */
export async function interleaved(ways: readonly Way[], rounds: number): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>(ways.map((way) => [way.name, []]));
  for (let round = 0; round <= rounds; round++) {
    // The other way round each second time: what the one leaves behind in caches must not always serve the same other.
    for (const way of round % 2 === 0 ? ways : [...ways].reverse()) {
      await way.before?.();
      const from = performance.now();
      await way.run();
      if (round > 0) times.get(way.name)?.push(performance.now() - from);
      await way.after?.();
    }
  }
  return new Map([...times].map(([name, taken]) => [name, median(taken)]));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
