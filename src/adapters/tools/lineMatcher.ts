import { Worker } from 'node:worker_threads';

export interface FileText {
  readonly path: string;
  readonly text: string;
}

interface LineHit {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line around the match, shortened. */
  readonly text: string;
}

/** A regular expression that does not come to an end, as nested repetitions do. */
export class PatternTooSlow extends Error {
  /** The files that were being searched. */
  readonly about: string;
  constructor(about: string) {
    super(`the pattern takes too long on ${about}`);
    this.name = 'PatternTooSlow';
    this.about = about;
  }
}

/** How long one batch of files may take. A good pattern needs milliseconds. */
const BATCH_MS = 5000;

/**
 * Matches lines in a thread of its own: a pattern of a model may backtrack for hours, and only a thread can be ended
 * in the middle of a match. The thread gets texts and gives lines; it has no code of ours but what stands here, so
 * that it needs no file of its own in the bundle.
 */
export class LineMatcher {
  private readonly worker: Worker;

  constructor(source: string, ignoreCase: boolean) {
    this.worker = new Worker(MATCH_LINES, { eval: true, workerData: { source, flags: ignoreCase ? 'i' : '' } });
    this.worker.unref();
  }

  /** Throws `PatternTooSlow`, or the signal's reason; afterwards only `close` may be called. */
  async match(files: readonly FileText[], signal: AbortSignal): Promise<readonly LineHit[]> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.worker.off('message', onMessage);
        this.worker.off('error', onError);
      };
      const onMessage = (hits: readonly LineHit[]): void => {
        settle();
        resolve(hits);
      };
      const onError = (error: unknown): void => {
        settle();
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      const onAbort = (): void => onError(signal.reason);
      const timer = setTimeout(() => onError(new PatternTooSlow(aboutFiles(files))), BATCH_MS);
      signal.addEventListener('abort', onAbort, { once: true });
      this.worker.on('message', onMessage);
      this.worker.on('error', onError);
      this.worker.postMessage(files);
    });
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }
}

function aboutFiles(files: readonly FileText[]): string {
  const [first] = files;
  return first === undefined ? 'these files' : files.length === 1 ? first.path : `${first.path} or one of the ${files.length - 1} files after it`;
}

const MATCH_LINES = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
const SHOWN = 300, LOOKED_AT = 20000, PER_FILE = 100, PER_BATCH = 1000;
parentPort.on('message', (files) => {
  const hits = [];
  for (const { path, text } of files) {
    let line = 0, inFile = 0;
    for (let from = 0; from <= text.length && inFile < PER_FILE && hits.length < PER_BATCH;) {
      let end = text.indexOf('\\n', from);
      if (end < 0) { if (from === text.length) break; end = text.length; }
      line++;
      const content = text.slice(from, Math.min(end, from + LOOKED_AT)).replace(/\\r$/, '');
      from = end + 1;
      const match = pattern.exec(content);
      if (match === null) continue;
      inFile++;
      const start = match.index > SHOWN - 60 ? match.index - 60 : 0;
      hits.push({ path, line, text: (start > 0 ? '…' : '') + content.slice(start, start + SHOWN) + (content.length > start + SHOWN ? '…' : '') });
    }
    if (inFile === PER_FILE) hits.push({ path, line, text: '[… more in this file]' });
  }
  parentPort.postMessage(hits);
});
`;
