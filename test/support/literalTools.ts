import type { AssistantMessage, Message } from '../../src/core/episode/model.ts';

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
 * Plays a model that needs no network over files that are given as text, until it calls finish. Answers are worded as the
 * real tools word them; test/integration/survey holds the real ones to the same. `answer` may replace the answer of a call.
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
        return list(files, typeof args['folder'] === 'string' ? args['folder'] : '', Number(args['depth'] ?? 3));
      case 'read_file':
        calls.read_file++;
        return read(files, String(args['path']), Number(args['from_line'] ?? 1), args['lines'] === undefined ? Infinity : Number(args['lines']));
      case 'write_file':
        calls.write_file++;
        written.set(String(args['path']), String(args['content']));
        return `${String(args['path'])}: ${files.has(String(args['path'])) ? 'replaced' : 'made'}, ${String(args['content']).split('\n').length - 1} lines.`;
      default:
        return `There is no tool "${name}".`;
    }
  }
}

function list(files: ReadonlyMap<string, string>, folder: string, depth: number): string {
  const prefix = folder === '' ? '' : `${folder}/`;
  const lines = new Map<string, string>();
  for (const path of files.keys()) {
    if (!path.startsWith(prefix)) continue;
    const parts = path.slice(prefix.length).split('/');
    for (let i = 1; i < parts.length && i <= depth; i++) {
      const at = prefix + parts.slice(0, i).join('/');
      lines.set(at, `${at}/${i === depth ? ' …' : ''}`);
    }
    if (parts.length <= depth) lines.set(path, path);
  }
  if (lines.size === 0) return folder === '' ? '/ is empty, or everything in it is ignored.' : `${folder} cannot be listed: there is no such file or folder. Folders are relative to the repository's root.`;
  // Folder by folder, by name: `a/b` before `a-c`.
  const sorted = [...lines].sort((a, b) => (a[0].replaceAll('/', '\0') < b[0].replaceAll('/', '\0') ? -1 : 1)).map(([, line]) => line);
  const kept = fitting(sorted);
  const closed = kept.some((line) => line.endsWith(' …'));
  return [`Below ${folder === '' ? '/' : folder}:`, ...kept, ...(closed ? ['Folders that end in … were not looked into: list them on their own, or give more depth.'] : []), ...(kept.length < sorted.length ? ['The list was cut here: list a folder further down, give less depth, or use search with a glob.'] : [])].join('\n');
}

function read(files: ReadonlyMap<string, string>, path: string, from: number, lines: number): string {
  const text = files.get(path);
  if (text === undefined) return `${path} cannot be read: there is no such file or folder. Use list_files or search to find it.`;
  if (text === '') return `${path} is empty.`;
  const all = text.replace(/\n$/, '').split('\n');
  const kept = fitting(all.slice(from - 1, from - 1 + lines).map((line, i) => `${from + i}\t${line}`));
  const last = from - 1 + kept.length;
  return [`${path}, lines ${from} to ${last} of ${all.length}.${last < all.length ? ` Ask for the next ones with from_line ${last + 1}.` : ''}`, ...kept].join('\n');
}

function fitting(lines: readonly string[]): string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > MOST_BYTES);
  return lines.slice(0, end < 0 ? undefined : end);
}
