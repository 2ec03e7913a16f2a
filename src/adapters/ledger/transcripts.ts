import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { TRANSCRIPT_VERSION, transcriptEntry, type TranscriptEntry } from '../../core/episode/transcript.ts';
import { episodeId, type AbsolutePath, type EpisodeId } from '../../core/ids.ts';
import { Refused } from '../../core/refusal.ts';
import type { TranscriptReader, Transcripts } from '../../runtime/ports/ledger.ts';
import { Batches, GROUPING_MS } from './batches.ts';
import { diskRefusal } from './diskRefusal.ts';
import { FILE_MODE, makeFolder, syncFolder, writeAll } from '../durableFile.ts';
import { errorCode } from '../retry.ts';
import { ledgerFolders } from './folders.ts';
import { takenOver } from './ledgerRefusals.ts';

interface TranscriptOptions {
  readonly groupingMs?: number;
  /** Asked before each write, so that a window that was succeeded does not write into its successor's conversation. */
  readonly mayWrite?: () => Promise<boolean>;
}

interface OpenedTranscripts extends Transcripts {
  /** Resolves when everything that was appended is on disk or has failed. */
  close(): Promise<void>;
}

/** Transcripts of one repository. No file or folder is made before the first append, and none is held open between appends. */
export function openTranscripts(commonDir: AbsolutePath, options: TranscriptOptions = {}): OpenedTranscripts {
  return new TranscriptFiles(ledgerFolders(commonDir).transcripts, options);
}

const transcriptHeader = z.object({ v: z.number().int(), kind: z.literal('transcript'), episode: episodeId });

interface Append {
  readonly entries: readonly TranscriptEntry[];
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

class TranscriptFiles implements OpenedTranscripts {
  readonly #folder: string;
  readonly #options: TranscriptOptions;
  /** Only of episodes with appends under way. */
  readonly #busy = new Map<EpisodeId, { readonly appends: Batches<Append>; waiting: number }>();

  constructor(folder: string, options: TranscriptOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  async append(episode: EpisodeId, entries: readonly TranscriptEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const path = this.#path(episode);
    const valid = entries.map((entry) => transcriptEntry.parse(entry));
    const busy = this.#busy.get(episode) ?? { appends: new Batches<Append>((appends) => this.#carry(path, episode, appends), this.#options.groupingMs ?? GROUPING_MS), waiting: 0 };
    this.#busy.set(episode, busy);
    busy.waiting++;
    try {
      await new Promise<void>((done, failed) => { busy.appends.add({ entries: valid, done, failed }); });
    } finally {
      if (--busy.waiting === 0) this.#busy.delete(episode);
    }
  }

  read(episode: EpisodeId): AsyncIterable<TranscriptEntry> {
    return this.reader(episode).more();
  }

  reader(episode: EpisodeId): TranscriptReader {
    const path = this.#path(episode);
    let read = 0;
    return {
      async *more() {
        for await (const { text, end } of wholeLines(path, read)) {
          if (read === 0) refuseNewer(episode, path, text);
          else yield* entryIn(text);
          read = end;
        }
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#busy.values()].map(({ appends }) => appends.drain()));
  }

  async #carry(path: string, episode: EpisodeId, appends: readonly Append[]): Promise<void> {
    try {
      if (this.#options.mayWrite && !(await this.#options.mayWrite())) throw takenOver();
      await this.#write(path, episode, appends.flatMap(({ entries }) => entries));
      for (const append of appends) append.done();
    } catch (error) {
      const refused = error instanceof Refused ? error : diskRefusal(`The transcript of ${episode}`, path, error);
      for (const append of appends) append.failed(refused);
    }
  }

  async #write(path: string, episode: EpisodeId, entries: readonly TranscriptEntry[]): Promise<void> {
    await makeFolder(this.#folder);
    const handle = await open(path, 'a+', FILE_MODE);
    try {
      const { size } = await handle.stat();
      const lines: unknown[] = size === 0 ? [{ v: TRANSCRIPT_VERSION, kind: 'transcript', episode }, ...entries] : [...entries];
      // A line that a crash or a full disk cut off stays as it is; what follows must not be glued to it.
      const start = size > 0 && !(await endsLine(handle, size)) ? '\n' : '';
      await writeAll(handle, Buffer.from(start + lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
      await handle.datasync();
      if (size === 0) await syncFolder(this.#folder);
    } finally {
      await handle.close();
    }
  }

  #path(episode: EpisodeId): string {
    return join(this.#folder, `${episodeId.parse(episode)}.jsonl`);
  }
}

function refuseNewer(episode: EpisodeId, path: string, header: string): void {
  const version = transcriptHeader.safeParse(parse(header)).data?.v ?? 0;
  if (version <= TRANSCRIPT_VERSION) return;
  throw new Refused({ reason: 'ledger-newer', message: `The transcript of ${episode} was written by a newer version of Worldtree (schema ${version}, this one knows ${TRANSCRIPT_VERSION}): ${path}.`, next: 'Update Worldtree in this window.' });
}

function entryIn(line: string): readonly TranscriptEntry[] {
  const { data } = transcriptEntry.safeParse(parse(line));
  return data === undefined ? [] : [data];
}

/** The lines of a file, from one of its bytes on, that have an end, as they come, each with the byte where the next begins; none where there is no file. */
async function* wholeLines(path: string, start: number): AsyncGenerator<{ readonly text: string; readonly end: number }> {
  let rest: Buffer[] = [];
  let before = start;
  try {
    for await (const chunk of createReadStream(path, { start }) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
        const text = Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8');
        rest = [];
        from = end + 1;
        yield { text, end: before + from };
      }
      rest.push(chunk.subarray(from));
      before += chunk.length;
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

async function endsLine(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
