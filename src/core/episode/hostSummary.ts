import { argumentsObject } from '../tools/parseArguments.ts';
import type { CallId } from '../ids.ts';
import type { TranscriptEntry } from './transcript.ts';

/** How many of each kind are named, the newest of them. */
const NAMED = 60;

const LAST_TEXTS = 3;
const LONGEST_TEXT = 2_000;
const LONGEST_COMMAND = 200;

/**
 * What stands in for a summary that the model did not write: what the transcript shows by itself. Takes it entry by
 * entry and keeps only what it names.
 */
export class HostSummary {
  readonly #calls = new Map<CallId, { readonly name: string; readonly about: string }>();
  readonly #read = new Set<string>();
  readonly #written = new Set<string>();
  readonly #commands: string[] = [];
  readonly #texts: string[] = [];

  add(entry: TranscriptEntry): void {
    if (entry.type === 'replied' && entry.message.role === 'assistant') {
      const text = entry.message.text.trim();
      if (text !== '') keepNewest(this.#texts, text.slice(0, LONGEST_TEXT), LAST_TEXTS);
      for (const { id, name, arguments: args } of entry.message.calls) {
        const { path, command } = argumentsObject(args) ?? {};
        const about = [path, command].find((value) => typeof value === 'string') ?? '';
        this.#calls.set(id, { name, about });
      }
    }
    if (entry.type !== 'result') return;
    const call = this.#calls.get(entry.call);
    this.#calls.delete(entry.call);
    if (entry.wrote !== null) keepNamed(this.#written, entry.wrote);
    else if (call?.name === 'read_file' && entry.ok) keepNamed(this.#read, call.about);
    else if (call?.name === 'run') keepNewest(this.#commands, `${oneLine(call.about, LONGEST_COMMAND)}: ${oneLine(entry.text.split('\n', 1)[0] ?? '', LONGEST_COMMAND)}`, NAMED / 3);
  }

  get text(): string {
    return [
      'You wrote no summary, so this is what your work shows by itself.',
      ...named('Files that you changed:', [...this.#written]),
      ...named('Files that you read:', [...this.#read].filter((path) => !this.#written.has(path))),
      ...named('Commands that you ran, the newest last:', this.#commands),
      ...(this.#texts.length === 0 ? [] : [`What you said last:\n${this.#texts.join('\n\n')}`]),
    ].join('\n\n');
  }
}

function named(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `- ${line}`).join('\n')}`];
}

function keepNewest(list: string[], text: string, most: number): void {
  list.push(text);
  if (list.length > most) list.shift();
}

function keepNamed(names: Set<string>, name: string): void {
  // Named again it counts as newer.
  names.delete(name);
  names.add(name);
  const [oldest] = names;
  if (names.size > NAMED && oldest !== undefined) names.delete(oldest);
}

function oneLine(text: string, most: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, most);
}
