import { open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { message, replyEnd, type Message } from '../../core/episode/model.ts';
import { modelFailure } from '../../core/episode/modelError.ts';
import { usage } from '../../core/limits/usage.ts';
import { FILE_MODE, makeFolder, writeAll } from '../durableFile.ts';

const TAPE_VERSION = 1;
const header = z.object({ v: z.number().int(), kind: z.literal('tape') });

/** One request to a model and what came of it, masked. A line of a tape. */
export const exchange = z.object({
  kind: z.literal('exchange'),
  /** Hash of everything that the request says. */
  key: z.string(),
  model: z.object({ kind: z.string(), name: z.string() }),
  /** Hash of the list of tools. */
  tools: z.string(),
  maxOutputTokens: z.number(),
  /** Conversations grow: the first `kept` messages are those of an earlier exchange with this key. */
  base: z.string().nullable(),
  kept: z.number().int().nonnegative(),
  messages: z.array(message),
  /** Milliseconds to the whole answer. */
  ms: z.number(),
  answer: z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), message, end: replyEnd, usage, estimated: z.boolean() }),
    z.object({ ok: z.literal(false), failure: modelFailure, words: z.string(), next: z.string(), usage: usage.nullable() }),
  ]),
});
export type Exchange = z.infer<typeof exchange>;

/** What a request says, masked, in one form: the same request has it in every run and on every machine. */
export interface TapeRequest extends Pick<Exchange, 'key' | 'model' | 'tools' | 'maxOutputTokens'> {
  readonly messages: readonly Message[];
}

export class TapeFileError extends Error {
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.name = 'TapeFileError';
    this.next = next;
  }
}

/** Every whole exchange, in order. A last line that a crash tore is left out; anything else that cannot be read throws `TapeFileError`. */
export async function readTape(file: string): Promise<readonly Exchange[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new TapeFileError(`The tape ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`, 'Name a recorded file in worldtree.tape, or switch the tape off.');
  });
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  const [first, ...rest] = lines.length === 0 ? [torn] : lines;
  const version = header.safeParse(jsonOf(first ?? '')).data?.v;
  if (version === undefined) throw new TapeFileError(`${file} is no tape.`, 'Name a recorded file in worldtree.tape, or switch the tape off.');
  if (version > TAPE_VERSION) throw new TapeFileError(`The tape ${file} was recorded by a newer version of Worldtree (schema ${version}, this one knows ${TAPE_VERSION}).`, 'Update Worldtree.');
  return rest.flatMap((line, place) => {
    const value = jsonOf(line);
    // A recording that went on after a crash leaves the torn line where it was.
    if (value === undefined) return [];
    const parsed = exchange.safeParse(value);
    if (!parsed.success) throw new TapeFileError(`Line ${place + 2} of the tape ${file} cannot be read.`, 'Record it again.');
    return [parsed.data];
  });
}

/** Appends one exchange, in one write, so that windows that record to the same file do not mix. Only the person may read it. */
export async function appendToTape(file: string, entry: Exchange): Promise<void> {
  await makeFolder(dirname(file));
  const handle = await open(file, 'a+', FILE_MODE);
  try {
    const { size } = await handle.stat();
    const before = await lead(handle, size, file);
    // The mode at opening is that of a new file only.
    await handle.chmod(FILE_MODE);
    await writeAll(handle, Buffer.from(`${before}${JSON.stringify(exchange.parse(entry))}\n`));
  } finally {
    await handle.close();
  }
}

/** What has to stand before a new line. */
async function lead(handle: FileHandle, size: number, file: string): Promise<string> {
  const start = JSON.stringify({ v: TAPE_VERSION, kind: 'tape' });
  if (size === 0) return `${start}\n`;
  const { buffer } = await handle.read({ buffer: Buffer.alloc(Math.min(size, start.length)), position: 0 });
  if (buffer.toString('utf8') !== start) throw new TapeFileError(`${file} exists and is no tape that this version writes.`, 'Name another file in worldtree.tape.');
  const last = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return last.buffer.toString('latin1') === '\n' ? '' : '\n';
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
