import type { Message, ToolCall } from '../episode/model.ts';
import type { FilePath, FolderPath } from '../ids.ts';
import { repositoryNameOf, surveyedFolder, turnLimitOf } from '../prompt/firstMessages.ts';
import { LOST_RESULT, PASSED_OVER } from '../prompt/hostMessages.ts';
import { parseFile, parseListing, parseWrote, type Listing } from '../tools/formats.ts';

/** What a survey knows at one moment: everything it asked for so far, with the answers. */
export interface Conversation {
  readonly folder: FolderPath | null;
  readonly repository: string | null;
  /** Replies so far. */
  readonly turns: number;
  readonly listings: ReadonlyMap<string, { readonly folder: FolderPath; readonly depth: number; readonly listing: Listing }>;
  readonly files: ReadonlyMap<FilePath, ReadText>;
  readonly reads: number;
  readonly writes: ReadonlyMap<FilePath, { readonly ok: boolean; readonly ignored: boolean; readonly answer: string }>;
  /** Replies that the work may take in all; null where it was not told. */
  readonly mostTurns: number | null;
  /** The person has sent the survey back. */
  readonly sentBack: boolean;
}

interface ReadText {
  /** Null where the file could not be read. */
  readonly lines: readonly string[] | null;
  /** Number of the last line that was read, and whether there are more. */
  readonly upTo: number;
  readonly more: boolean;
  /** In how many reads. */
  readonly parts: number;
}

export function listingKey(folder: FolderPath, depth: number): string {
  return `${depth}:${folder}`;
}

/** Reads a conversation back. Calls that were answered in a way that is not understood count as answered without a result. */
export function readConversation(messages: readonly Message[]): Conversation {
  const answers = new Map<string, string>();
  for (const message of messages) if (message.role === 'tool') answers.set(message.call, message.text);
  const listings = new Map<string, { folder: FolderPath; depth: number; listing: Listing }>();
  const files = new Map<FilePath, ReadText>();
  const writes = new Map<FilePath, { ok: boolean; ignored: boolean; answer: string }>();
  let reads = 0;
  let turns = 0;
  let finished = false;
  let sentBack = false;
  for (const message of messages) {
    if (message.role === 'user' && finished) sentBack = true;
    if (message.role !== 'assistant') continue;
    turns++;
    for (const call of message.calls) {
      const args = argumentsOf(call);
      const answer = answers.get(call.id) ?? '';
      // Cut off by a crash, or never begun: to be asked again, since every call of a survey may be made twice.
      if (answer === LOST_RESULT || answer === PASSED_OVER) continue;
      const path = text(args['path']) as FilePath;
      if (call.name === 'list_files') {
        const folder = text(args['folder']) as FolderPath;
        const depth = typeof args['depth'] === 'number' ? args['depth'] : 3;
        listings.set(listingKey(folder, depth), { folder, depth, listing: parseListing(answer, folder) });
      } else if (call.name === 'read_file') {
        reads++;
        files.set(path, joined(files.get(path), answer, typeof args['lines'] === 'number' ? args['lines'] : null));
      } else if (call.name === 'write_file') {
        const wrote = parseWrote(answer, path);
        writes.set(path, { ok: wrote !== null, ignored: wrote?.kept === false, answer });
      } else if (call.name === 'finish') finished = true;
    }
  }
  return { folder: surveyedFolder(messages), repository: repositoryNameOf(messages), turns, listings, files, reads, writes, sentBack, mostTurns: turnLimitOf(messages) };
}

/** A file in the parts in which it was read, one after the other. */
function joined(before: ReadText | undefined, answer: string, asked: number | null): ReadText {
  const part = parseFile(answer);
  if (part === null) return before ? { ...before, more: false } : { lines: null, upTo: 0, more: false, parts: 1 };
  const lines = [...(before?.lines ?? []), ...part.lines];
  const upTo = part.from + part.lines.length - 1;
  // Where the answer does not tell: after exactly as many lines as asked for the file may go on.
  return { lines, upTo, more: part.more ?? (asked !== null && part.lines.length >= asked), parts: (before?.parts ?? 0) + 1 };
}

function argumentsOf(call: ToolCall): Readonly<Record<string, unknown>> {
  try {
    const args: unknown = JSON.parse(call.arguments);
    return typeof args === 'object' && args !== null ? (args as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
