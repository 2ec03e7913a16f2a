import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { hasBom, notTextKind, notTextWords } from '../../core/editing/textFile.ts';
import type { ToolArguments } from '../../core/tools/catalogue.ts';
import { shortCommit, type FilePath } from '../../core/ids.ts';
import { isInside } from '../../core/paths.ts';
import type { ToolResult } from '../../runtime/ports/tools.ts';
import { BoundedLines } from './boundedLines.ts';
import type { CommittedKind } from './committedFiles.ts';
import { placeToRead } from './insideWorktree.ts';
import { whyNotShown } from './mayShow.ts';
import { done, failed, fileErrorWords, leftOutKind, MAX_OUTPUT_BYTES, type ToolCall } from './toolCall.ts';

/** Shows a text file with line numbers. Whatever its size, only a piece of it is in memory at a time. */
export async function readFileTool(args: ToolArguments<'read_file'>, call: ToolCall): Promise<ToolResult> {
  const found = await placeToRead(args.path, call);
  if (!found.ok) return failed(found.words);
  const { path: relative, absolute } = found.place;
  if (relative === '') return failed(`"${args.path}" is a folder. Use list_files.`);
  const kept = await whyNotShown(relative, call);
  if (kept !== null) return failed(kept);
  let file: FileHandle;
  try {
    // Not blocking: opening a pipe would wait for a writer for ever.
    file = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const committed = await shownFromCommit(relative, leftOutKind(relative, error, call), args, call);
    return committed ?? failed(`${relative} cannot be read: ${fileErrorWords(error)}. ${await nearbyNames(relative, call)}`.trim());
  }
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) return failed(`${relative} is a folder. Use list_files.`);
    if (!stat.isFile()) return failed(`${relative} is neither a file nor a folder; it cannot be read.`);
    return await shown({ size: stat.size, from: '', read: async (into, position) => (await file.read(into, 0, into.length, position)).bytesRead }, relative, args, call.signal);
  } catch (error) {
    return failed(`${relative} cannot be read: ${fileErrorWords(error)}.`);
  } finally {
    await file.close();
  }
}

/** Of a file that is not checked out; null where there is none. */
async function shownFromCommit(relative: string, kind: CommittedKind | null, args: ToolArguments<'read_file'>, { committed, signal }: ToolCall): Promise<ToolResult | null> {
  if (committed === null || kind === null || kind === 'link') return null;
  if (kind === 'folder') return failed(`${relative} is a folder. Use list_files.`);
  const bytes = Buffer.from(await committed.read(relative));
  const from = ` It is not checked out; this is from commit ${shortCommit(committed.commit)}.`;
  return shown({ size: bytes.length, from, read: (into, position) => Promise.resolve(bytes.copy(into, 0, position)) }, relative, args, signal);
}

/** What is shown. */
interface Source {
  readonly size: number;
  /** Said with it: where it is from when it is not on disk. */
  readonly from: string;
  /** Gives how many bytes were there at the position. */
  read(into: Buffer, position: number): Promise<number>;
}

const PIECE_BYTES = 64 * 1024;
/** One line is shown up to here; minified files have one of megabytes. */
const MAX_LINE_BYTES = 4 * 1024;
/** Up to this size the lines are counted to the end; a larger file is left at the last line shown. */
const COUNT_BYTES = 64 * 1024 * 1024;
const NOTE_BYTES = 512;

async function shown(source: Source, relative: string, args: ToolArguments<'read_file'>, signal: AbortSignal): Promise<ToolResult> {
  const { size, from } = source;
  const first = args.from_line ?? 1;
  const last = args.lines === undefined ? Infinity : first + args.lines - 1;
  const out = new BoundedLines(MAX_OUTPUT_BYTES - NOTE_BYTES);
  let shownTo = first - 1;
  let isFull = false;
  let isShort = false;
  let notUtf8 = false;
  let total = 0;
  let ended = true;
  for await (const line of linesOf(source, signal)) {
    if (line.kind !== 'line') return failed(`${relative} ${notTextWords(line.kind)}. It is not shown (${bytesWords(size)}).`);
    total++;
    if (total < first || total > last || isFull) {
      if ((isFull || total > last) && size > COUNT_BYTES) {
        ended = false;
        break;
      }
      continue;
    }
    const text = decoded(line.bytes, line.cut > 0);
    if (text === null) {
      notUtf8 = true;
      break;
    }
    isShort ||= line.cut > 0;
    isFull = !out.add(`${total}\t${text}${line.cut > 0 ? ` [… ${line.cut} more bytes in this line]` : ''}`);
    if (!isFull) shownTo = total;
  }
  if (notUtf8) return failed(`${relative} ${notTextWords('other-encoding')}. It is not shown (${bytesWords(size)}).`);
  if (size === 0) return done(`${relative} is empty.${from}`);
  if (out.count === 0) return failed(`${relative} has ${total} lines; there is no line ${first}.`);
  const of = ended ? `${total}` : 'many more';
  const more = !ended || shownTo < total ? ` Ask for the next ones with from_line ${shownTo + 1}.` : '';
  const long = isShort ? ' Long lines are cut; use run with cut or grep for the rest of them.' : '';
  return done(`${relative}, lines ${first} to ${shownTo} of ${of}.${from}${more}${long}\n${out.text}`);
}

type Line =
  | { readonly kind: 'line'; /** Without its line end, MAX_LINE_BYTES at most. */ readonly bytes: Buffer; /** Bytes of the line that were left out. */ readonly cut: number }
  | { readonly kind: 'utf-16' | 'other-encoding' | 'binary' };

/** The lines of a file, or what it is instead, told by its first piece. */
async function* linesOf(source: Source, signal: AbortSignal): AsyncGenerator<Line> {
  const piece = Buffer.alloc(PIECE_BYTES);
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let cut = 0;
  let position = 0;
  const keep = (bytes: Buffer): void => {
    const room = Math.min(bytes.length, MAX_LINE_BYTES - keptBytes);
    if (room > 0) kept.push(Buffer.from(bytes.subarray(0, room)));
    keptBytes += room;
    cut += bytes.length - room;
  };
  const line = (): Line => {
    const whole: Line = { kind: 'line', bytes: Buffer.concat(kept), cut };
    [kept, keptBytes, cut] = [[], 0, 0];
    return whole;
  };
  for (;;) {
    signal.throwIfAborted();
    const bytesRead = await source.read(piece, position);
    if (bytesRead === 0) break;
    let bytes = piece.subarray(0, bytesRead);
    const kind = notTextKind(bytes);
    if (kind !== null) {
      yield { kind };
      return;
    }
    if (position === 0 && hasBom(bytes)) bytes = bytes.subarray(3);
    position += bytesRead;
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      keep(bytes.subarray(from, end));
      yield line();
      from = end + 1;
    }
    keep(bytes.subarray(from));
  }
  if (keptBytes > 0) yield line();
}

function decoded(bytes: Buffer, isCut: boolean): string | null {
  try {
    // A cut may fall inside a character; `stream` leaves its beginning out instead of failing.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut }).replace(/\r$/, '');
  } catch {
    return null;
  }
}

/** Where a path that does not exist may have been meant: below the agent's folder, or among the names beside it. */
async function nearbyNames(relative: string, call: ToolCall): Promise<string> {
  if (call.folder !== '' && !isInside(relative as FilePath, call.folder)) {
    const below = await placeToRead(`${call.folder}/${relative}`, call);
    if (below.ok && (call.committed?.kindOf(below.place.path) != null || await readdir(path.dirname(below.place.absolute)).then((names) => names.includes(path.basename(below.place.absolute)), () => false))) return `Did you mean ${below.place.path}? Paths are relative to the repository's root.`;
  }
  const name = path.posix.basename(relative).toLowerCase();
  const stem = name.replace(/\.[^.]*$/, '');
  const folder = path.posix.dirname(relative);
  const onDisk = await readdir(path.join(call.root, folder)).catch(() => []);
  const names = [...new Set([...onDisk, ...call.committed?.namesIn(folder === '.' ? '' : folder).keys() ?? []])];
  const alike = names.filter((n) => n.toLowerCase() === name || n.toLowerCase().replace(/\.[^.]*$/, '') === stem).slice(0, 5);
  return alike.length > 0 ? `There is ${alike.join(', ')}.` : 'Use list_files or search to find it.';
}

function bytesWords(size: number): string {
  return size < 1024 ? `${size} bytes` : size < 1024 * 1024 ? `${Math.round(size / 1024)} KiB` : `${Math.round(size / 1024 / 1024)} MiB`;
}
