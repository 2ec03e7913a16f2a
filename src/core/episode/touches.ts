import type { FilePath } from '../ids.ts';

/** How often a file was read and written by calls that succeeded. */
export interface Touches {
  readonly reads: number;
  readonly writes: number;
}

export const NO_TOUCHES: Touches = { reads: 0, writes: 0 };

export function withTouch(touched: ReadonlyMap<FilePath, Touches>, file: FilePath, kind: keyof Touches): ReadonlyMap<FilePath, Touches> {
  const before = touched.get(file) ?? NO_TOUCHES;
  return new Map(touched).set(file, { ...before, [kind]: before[kind] + 1 });
}
