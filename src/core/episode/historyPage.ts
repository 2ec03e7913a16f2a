import { unreachable } from '../exhaustive.ts';
import type { CallId } from '../ids.ts';
import { argumentsObject } from '../tools/parseArguments.ts';
import type { ToolArguments } from '../tools/catalogue.ts';
import type { ToolCall } from './model.ts';
import type { TranscriptEntry } from './transcript.ts';

/** What a model reads of one page at most, in bytes of UTF-8. */
const PAGE_BYTES = 16 * 1024;

/** Bytes kept back for the note that says how to get the rest. */
const NOTE_BYTES = 300;

/** Characters of one line: a minified file is one line. */
const LONGEST_LINE = 2_000;

/** Characters of a call in the list of turns. */
const LONGEST_SUMMARY = 120;

type Asked = ToolArguments<'read_history'>;

/**
 * A page of what an episode did, as its model asks for it: a list of its turns, one turn word for word, or the lines
 * that hold a text. Takes the transcript entry by entry and keeps no more of it than the page.
 */
export class HistoryPage {
  readonly #asked: Asked;
  readonly #lines: string[] = [];
  readonly #names = new Map<CallId, string>();
  #left = PAGE_BYTES - NOTE_BYTES;
  #turn = 0;
  /** Lines of the present turn so far. */
  #line = 0;
  /** The first line that did not fit; null while all do. */
  #cutAt: { readonly turn: number; readonly line: number } | null = null;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  add(entry: TranscriptEntry): void {
    if (entry.type === 'replied') {
      this.#turn += 1;
      this.#line = 0;
      if (entry.message.role === 'assistant') for (const call of entry.message.calls) this.#names.set(call.id, call.name);
    }
    if (this.#listsTurns) {
      if (entry.type === 'replied') this.#take(turnLine(this.#turn, entry));
      return;
    }
    for (const line of linesOf(entry, this.#names)) {
      this.#line += 1;
      if (this.#isAskedFor(line)) this.#take(this.#asked.text === undefined ? line : `turn ${this.#turn}, line ${this.#line}: ${line}`);
    }
  }

  get text(): string {
    const { text, turn } = this.#asked;
    if (this.#lines.length === 0) return text === undefined ? `There is nothing here. Your turns so far are 1 to ${this.#turn}; call read_history without arguments for a list.` : `Nothing in your history holds ${JSON.stringify(text)}. Try fewer words.`;
    const head = this.#listsTurns ? 'Your turns so far. Give one as turn to read it word for word.' : text === undefined ? `Turn ${turn ?? 0}, word for word.` : `Lines that hold ${JSON.stringify(text)}. Give a turn, and a line as from_line, to read what stands around one.`;
    return [head, ...this.#lines, ...(this.#cutAt === null ? [] : [`[Cut here. To go on: ${this.#goOn(this.#cutAt)}.]`])].join('\n');
  }

  get #listsTurns(): boolean {
    return this.#asked.text === undefined && this.#asked.turn === undefined;
  }

  #isAskedFor(line: string): boolean {
    const { text, turn, from_line: from = 1 } = this.#asked;
    if (text !== undefined) return (turn === undefined || this.#turn > turn || (this.#turn === turn && this.#line >= from)) && line.toLowerCase().includes(text.toLowerCase());
    return this.#turn === turn && this.#line >= from;
  }

  #take(line: string): void {
    if (this.#cutAt !== null) return;
    const shown = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} [… ${line.length - LONGEST_LINE} more characters in this line]` : line;
    const bytes = new TextEncoder().encode(shown).length + 1;
    if (bytes > this.#left) {
      this.#cutAt = { turn: this.#turn, line: this.#line };
      return;
    }
    this.#left -= bytes;
    this.#lines.push(shown);
  }

  #goOn({ turn, line }: { readonly turn: number; readonly line: number }): string {
    if (this.#listsTurns) return `give turn ${turn} or a later one, or a text to look for`;
    return `the same with turn ${turn} and from_line ${line}`;
  }
}

/** One line of the list of turns: what was called, and with what. */
function turnLine(turn: number, { message, end }: Extract<TranscriptEntry, { type: 'replied' }>): string {
  if (message.role !== 'assistant') return `turn ${turn}`;
  const calls = message.calls.map(callSummary);
  const said = message.text.trim().split('\n', 1)[0] ?? '';
  return `turn ${turn}: ${(calls.length > 0 ? calls.join('; ') : said).slice(0, 3 * LONGEST_SUMMARY)}${end === 'complete' ? '' : ' (cut off, not run)'}`;
}

function callSummary(call: ToolCall): string {
  const args = argumentsObject(call.arguments) ?? {};
  const telling = ['command', 'path', 'pattern', 'folder', 'subject', 'text'].map((key) => args[key]).find((value) => typeof value === 'string');
  return `${call.name}${typeof telling === 'string' ? ` ${telling.split('\n', 1)[0] ?? ''}` : ''}`.slice(0, LONGEST_SUMMARY);
}

function linesOf(entry: TranscriptEntry, names: ReadonlyMap<CallId, string>): string[] {
  switch (entry.type) {
    case 'said': return entry.message.role === 'user' ? ['[said to you]', ...entry.message.text.split('\n')] : [];
    case 'replied': return entry.message.role === 'assistant' ? [...(entry.message.text === '' ? [] : ['[you said]', ...entry.message.text.split('\n')]), ...entry.message.calls.flatMap(callLines)] : [];
    case 'called': return [];
    case 'result': return [`[${names.get(entry.call) ?? 'a call'} answered]`, ...entry.text.split('\n')];
    case 'finished': return [`[finish answered] Your change was proposed as number ${entry.number}.`];
    case 'overflowed': return [];
    case 'compacted': return ['[a summary took the place of everything above]'];
    default: return unreachable(entry);
  }
}

/** Arguments with their line breaks, so that what was written can be read and looked for. */
function callLines(call: ToolCall): string[] {
  const args = argumentsObject(call.arguments);
  if (args === undefined) return [`[you called ${call.name}]`, ...call.arguments.split('\n')];
  return [`[you called ${call.name}]`, ...Object.entries(args).flatMap(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`.split('\n'))];
}
