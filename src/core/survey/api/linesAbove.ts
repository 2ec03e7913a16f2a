/** The lines above the one that a position is in, nearest first, without their line ends. */
export function* linesAbove(source: string, at: number): Generator<string> {
  let end = source.lastIndexOf('\n', at - 1);
  if (at === 0) return;
  while (end >= 0) {
    const start = end === 0 ? -1 : source.lastIndexOf('\n', end - 1);
    yield source.slice(start + 1, end);
    end = start;
  }
}
