import { LineEnds } from './lineEnds.ts';
import { nearMiss } from './nearMiss.ts';
import { decodeText, encodeText, notTextWords } from './textFile.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Every occurrence instead of exactly one. */
  readonly all: boolean;
}

type EditResult =
  | { readonly kind: 'edited'; readonly bytes: Uint8Array; /** Counted from 1: where each replacement begins. */ readonly lines: readonly number[] }
  /** Words for the model, which follow the file's path. */
  | { readonly kind: 'refused'; readonly words: string };

/**
 * Replaces text in a file's bytes. The old text must stand there exactly and once; line ends are not compared, since
 * models write LF. Every byte outside the replaced lines stays, and a line that the new text repeats keeps the
 * line end it had, also in a file that mixes them.
 */
export function exactEdit(bytes: Uint8Array, edit: Edit): EditResult {
  const file = decodeText(bytes);
  if (file.kind !== 'text') return refused(`${notTextWords(file.kind)}. It was not changed. If it has to be, use run with a program that keeps its encoding.`);
  const ends = new LineEnds(file.text);
  const oldText = edit.oldText.replaceAll('\r\n', '\n');
  const newText = edit.newText.replaceAll('\r\n', '\n');
  if (oldText === '') return refused('was not changed: old_text is empty. Give the text to replace, or use write_file for a whole file.');
  if (oldText === newText) return refused('was not changed: old_text and new_text are the same.');

  const places = occurrences(ends.text, oldText, edit.all ? oldText.length : 1);
  const [first] = places;
  if (first === undefined) return refused(`was not changed: old_text does not occur in it. ${nearMiss(ends.text, oldText)}`);
  if (places.length > 1 && !edit.all) return refused(`was not changed: old_text occurs ${places.length} times, at lines ${shortList(ends.text, places)}. Add more of the lines around the one you mean, or set all to true.`);

  let out = '';
  let from = 0;
  for (const at of places) {
    out += file.text.slice(from, ends.originalOffset(at)) + withLineEnds(ends, at, oldText, newText);
    from = ends.originalOffset(at + oldText.length);
  }
  return { kind: 'edited', bytes: encodeText(out + file.text.slice(from), file.bom), lines: linesOf(ends.text, places) };
}

/** Offsets of `part`. Steps of one find overlaps too, which make a place as ambiguous as any other repetition. */
function occurrences(text: string, part: string, step: number): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + step)) found.push(at);
  return found;
}

function withLineEnds(ends: LineEnds, at: number, oldText: string, newText: string): string {
  const newLines = newText.split('\n');
  if (newLines.length === 1) return newText;
  const oldLines = oldText.split('\n');
  let offset = at;
  const oldEnds = oldLines.slice(0, -1).map((line) => {
    offset += line.length + 1;
    return ends.at(offset - 1);
  });
  const kept = alignment(oldLines, newLines);
  let current = oldEnds[0] ?? ends.near(at);
  return newLines.map((line, i) => {
    if (i === newLines.length - 1) return line;
    const partner = kept[i];
    current = (partner === undefined ? undefined : oldEnds[partner]) ?? current;
    return line + current;
  }).join('');
}

/** For each new line the old line that it repeats, in order, if any: a longest common subsequence. */
function alignment(oldLines: readonly string[], newLines: readonly string[]): readonly (number | undefined)[] {
  const [n, m] = [oldLines.length, newLines.length];
  const pairs = new Array<number | undefined>(m).fill(undefined);
  let head = 0;
  while (head < n && head < m && oldLines[head] === newLines[head]) {
    pairs[head] = head;
    head++;
  }
  let tail = 0;
  while (tail < n - head && tail < m - head && oldLines[n - 1 - tail] === newLines[m - 1 - tail]) {
    pairs[m - 1 - tail] = n - 1 - tail;
    tail++;
  }
  const [rows, columns] = [n - head - tail, m - head - tail];
  // The table grows with the product; past this the lines in the middle just take the line end around them.
  if (rows === 0 || columns === 0 || rows * columns > 4_000_000) return pairs;
  const width = columns + 1;
  const length = new Uint32Array((rows + 1) * width);
  const cell = (i: number, j: number): number => length[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) length[i * width + j] = oldLines[head + i] === newLines[head + j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
  }
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (oldLines[head + i] === newLines[head + j]) pairs[head + j++] = head + i++;
    else if (cell(i + 1, j) >= cell(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** Counted from 1. The places ascend, so that the text is gone through once, however many they are. */
function linesOf(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let next = text.indexOf('\n');
  return places.map((at) => {
    for (; next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
    return line;
  });
}

const MOST_LISTED = 10;

function shortList(text: string, places: readonly number[]): string {
  return `${linesOf(text, places.slice(0, MOST_LISTED)).join(', ')}${places.length > MOST_LISTED ? ' and more' : ''}`;
}

function refused(words: string): EditResult {
  return { kind: 'refused', words };
}
