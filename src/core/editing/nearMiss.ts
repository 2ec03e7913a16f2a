/**
 * What comes nearest to a text that does not occur: the place where only white space differs, else the line most
 * like its first line. Words for the model, with the file's own text to copy from. Both texts have LF only.
 */
export function nearMiss(text: string, wanted: string): string {
  const lines = text.split('\n');
  const wantedLines = wanted.split('\n');
  if (wantedLines.every((line) => line === '' || /^\s*\d+\t/.test(line))) return 'It begins with line numbers: leave out the number and the tab that read_file puts before each line.';
  const loose = looseMatch(lines, wantedLines);
  if (loose !== null) {
    const end = loose.first + loose.count;
    return `Lines ${loose.first + 1} to ${end} differ from it only in white space. They read exactly:\n${quote(lines, loose.first, loose.count)}`;
  }
  const at = wantedLines.findIndex((line) => line.trim() !== '');
  const significant = wantedLines[at] ?? '';
  const nearest = at < 0 ? null : nearestLine(lines, significant);
  if (nearest === null) return 'Read the file again before you edit it.';
  const rest = wantedLines.slice(at);
  const same = rest.findIndex((line, i) => line !== lines[nearest + i]);
  if (same > 0) return `Its beginning is at line ${nearest + 1}. The first difference is in line ${nearest + same + 1}: old_text has "${shorten(rest[same] ?? '')}", the file has:\n${quote(lines, nearest + same, rest.length - same)}\nCopy the text from the file.`;
  return `The line most like "${shorten(significant.trim())}" is line ${nearest + 1}:\n${quote(lines, Math.max(0, nearest - 1), 3)}\nCopy the text from the file; read_file shows what is around it.`;
}

const QUOTED_LINES = 20;
const SHOWN = 200;

function looseMatch(lines: readonly string[], wanted: readonly string[]): { readonly first: number; readonly count: number } | null {
  const trimmed = trimBlankEnds(wanted.map(squeeze));
  const [head] = trimmed;
  if (head === undefined) return null;
  const loose = lines.map(squeeze);
  for (let first = loose.indexOf(head); first >= 0; first = loose.indexOf(head, first + 1)) {
    if (trimmed.every((line, i) => loose[first + i] === line)) return { first, count: trimmed.length };
  }
  return null;
}

function trimBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

/** Index of the most similar line by shared pairs of characters; null where nothing is alike. */
function nearestLine(lines: readonly string[], wanted: string): number | null {
  const target = pairsOf(squeeze(wanted));
  let best = { index: -1, score: 0.4 };
  // A bound for generated files: the answer must not take longer than the edit.
  for (const [index, line] of lines.slice(0, 50_000).entries()) {
    const length = line.length;
    if (length > 4 * wanted.length + 40) continue;
    const score = similarity(target, pairsOf(squeeze(line)));
    if (score > best.score) best = { index, score };
  }
  return best.index < 0 ? null : best.index;
}

function pairsOf(line: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < line.length && i < 1000; i++) {
    const pair = line.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function similarity(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0;
  let total = 0;
  for (const [pair, count] of a) {
    shared += Math.min(count, b.get(pair) ?? 0);
    total += count;
  }
  for (const count of b.values()) total += count;
  return total === 0 ? 0 : (2 * shared) / total;
}

function quote(lines: readonly string[], first: number, count: number): string {
  const shown = lines.slice(first, first + Math.min(count, QUOTED_LINES)).map(shorten);
  return count > QUOTED_LINES ? [...shown, '…'].join('\n') : shown.join('\n');
}

function shorten(line: string): string {
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}
