import type { AssistantMessage, Message } from '../../src/core/episode/model.ts';
import { formatFile, formatListing, formatWrote } from '../../src/core/tools/formats.ts';

/** Bytes of one answer, as the tools of the product cut them. */
const MOST_BYTES = 16 * 1024;

export interface Played {
  readonly messages: readonly Message[];
  /** What write_file was called with. */
  readonly written: ReadonlyMap<string, string>;
  readonly finish: { readonly subject: string; readonly report: string } | null;
  readonly calls: { readonly list_files: number; readonly read_file: number; readonly write_file: number };
  readonly turns: number;
}

/**
 * Plays a model that needs no network over files that are given as text, in the formats of the real tools, until it calls
 * finish. `answer` may replace the answer of a call.
 */
export function playOnFiles(model: (messages: readonly Message[]) => AssistantMessage, first: readonly Message[], files: ReadonlyMap<string, string>, answer?: (name: string, args: Record<string, unknown>) => string | null): Played {
  const messages: Message[] = [...first];
  const written = new Map<string, string>();
  const calls = { list_files: 0, read_file: 0, write_file: 0 };
  for (let turns = 1; turns <= 128; turns++) {
    const reply = model(messages);
    messages.push(reply);
    if (reply.calls.length === 0) return { messages, written, finish: null, calls, turns };
    for (const call of reply.calls) {
      const args = JSON.parse(call.arguments) as Record<string, unknown>;
      if (call.name === 'finish') return { messages, written, finish: { subject: String(args['subject']), report: String(args['report']) }, calls, turns };
      const text = answer?.(call.name, args) ?? run(call.name, args);
      messages.push({ role: 'tool', call: call.id, text });
    }
  }
  return { messages, written, finish: null, calls, turns: 128 };

  function run(name: string, args: Record<string, unknown>): string {
    switch (name) {
      case 'list_files':
        calls.list_files++;
        return list(files, String(args['folder'] ?? ''), Number(args['depth'] ?? 3));
      case 'read_file':
        calls.read_file++;
        return read(files, String(args['path']), Number(args['from_line'] ?? 1), args['lines'] === undefined ? Infinity : Number(args['lines']));
      case 'write_file':
        calls.write_file++;
        written.set(String(args['path']), String(args['content']));
        return formatWrote(String(args['path']), Buffer.byteLength(String(args['content'])), files.has(String(args['path'])));
      default:
        return `There is no tool "${name}".`;
    }
  }
}

function list(files: ReadonlyMap<string, string>, folder: string, depth: number): string {
  const prefix = folder === '' ? '' : `${folder}/`;
  const entries = new Map<string, { path: string; folder: boolean; bytes: number | null }>();
  for (const [path, text] of files) {
    if (!path.startsWith(prefix)) continue;
    const parts = path.slice(prefix.length).split('/');
    for (let i = 1; i < parts.length && i <= depth; i++) entries.set(prefix + parts.slice(0, i).join('/'), { path: prefix + parts.slice(0, i).join('/'), folder: true, bytes: null });
    if (parts.length <= depth) entries.set(path, { path, folder: false, bytes: Buffer.byteLength(text) });
  }
  if (entries.size === 0) return `There is no folder "${folder}". Call list_files without a folder to see what there is.`;
  const sorted = [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  let bytes = 0;
  const kept = sorted.filter((e) => (bytes += Buffer.byteLength(e.path) + 15) <= MOST_BYTES);
  return formatListing({ entries: kept, cut: kept.length < sorted.length ? `${sorted.length - kept.length} more; list a folder below` : null });
}

function read(files: ReadonlyMap<string, string>, path: string, from: number, lines: number): string {
  const text = files.get(path);
  if (text === undefined) return `There is no file "${path}".`;
  const all = text.replace(/\n$/, '').split('\n');
  let bytes = 0;
  const kept = all.slice(from - 1, from - 1 + lines).filter((line) => (bytes += Buffer.byteLength(line) + 7) <= MOST_BYTES);
  const left = all.length - (from - 1) - kept.length;
  return formatFile({ lines: kept, from, cut: left > 0 ? `${left} more lines; read_file with from_line ${from + kept.length}` : null });
}
