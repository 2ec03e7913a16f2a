/**
 * The line (from 1) on which a key of a TOML text stands, for diagnostics; null where it is written in a way that is not
 * followed here (inline tables, keys in several dotted parts). `path` holds keys, and indexes of arrays of tables.
 */
export function lineOfKey(text: string, path: readonly (string | number)[]): number | null {
  const wanted = path.map(String).join('\0');
  const counts = new Map<string, number>();
  let table: string[] = [];
  let best: { readonly line: number; readonly length: number } | null = null;
  for (const [i, line] of text.split('\n').entries()) {
    const header = /^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$/.exec(line);
    const key = /^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*[.=]/.exec(line);
    if (header?.[1] !== undefined && header[2] !== undefined && !line.includes('=')) {
      const names = header[2].split('.').map(bare);
      const at = names.join('\0');
      if (header[1] === '[[') counts.set(at, (counts.get(at) ?? -1) + 1);
      table = header[1] === '[[' ? [...names, String(counts.get(at) ?? 0)] : names;
      best = better(best, table, wanted, i + 1);
    } else if (key?.[1] !== undefined) best = better(best, [...table, bare(key[1])], wanted, i + 1);
  }
  return best?.line ?? null;
}

/** The deepest key on the way to the wanted one: a value inside a list is told by the line of the list's key. */
function better(best: { readonly line: number; readonly length: number } | null, at: readonly string[], wanted: string, line: number) {
  const here = at.join('\0');
  const onTheWay = wanted === here || wanted.startsWith(`${here}\0`);
  return onTheWay && at.length > (best?.length ?? 0) ? { line, length: at.length } : best;
}

function bare(key: string): string {
  return key.trim().replace(/^(["'])(.*)\1$/, '$2');
}
