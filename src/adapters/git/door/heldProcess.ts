import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { GitFailure, failureKind } from './failure.ts';
import { spawnFailure, spawnGit } from './gitProcess.ts';
import type { SpawnRequest } from './gitProcess.ts';
import { endTree } from '../../commands/processTree.ts';

/**
 * A git process that lives on between questions: `cat-file --batch-command`, `update-ref --stdin`. Reads are served in
 * the order in which they were asked for. When the process dies, every pending and later read rejects with `GitFailure`.
 */
export class HeldProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  #buffered: Buffer[] = [];
  #length = 0;
  readonly #reads: Read[] = [];
  #stderr = '';
  #failure: GitFailure | null = null;
  #cancelled = false;
  readonly #closed: Promise<number | null>;

  constructor(request: SpawnRequest, signal?: AbortSignal) {
    this.#child = spawnGit(request);
    const cancel = (): void => this.kill();
    if (signal?.aborted === true) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    this.#closed = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        signal?.removeEventListener('abort', cancel);
        this.#fail(spawnFailure(error, request));
        resolve(null);
      });
      this.#child.once('close', (code) => {
        signal?.removeEventListener('abort', cancel);
        const kind = this.#cancelled ? 'cancelled' : failureKind(this.#stderr);
        this.#fail(new GitFailure(kind, { args: request.args, exitCode: code, stderr: this.#stderr }));
        resolve(code);
      });
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-16_384)));
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#buffered.push(chunk);
      this.#length += chunk.length;
      this.#serve();
    });
  }

  /** False once the process is over. */
  get alive(): boolean {
    return this.#failure === null;
  }

  /** Its process id; undefined where it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Throws if the process is over. Bytes are queued by Node; callers wait for answers, which bounds what is queued. */
  write(bytes: Uint8Array | string): void {
    if (this.#failure !== null) throw this.#failure;
    this.#child.stdin.write(bytes);
  }

  /** The next line, without its newline. */
  readLine(): Promise<string> {
    return this.#read((buffer) => {
      const end = buffer.indexOf(0x0a);
      return end < 0 ? null : { value: buffer.subarray(0, end).toString('utf8'), used: end + 1 };
    }, null);
  }

  /** Exactly `length` bytes. */
  readBytes(length: number): Promise<Buffer> {
    // Copied, so that one small answer does not keep a whole chunk of the pipe in memory.
    return this.#read((buffer) => (buffer.length < length ? null : { value: Buffer.from(buffer.subarray(0, length)), used: length }), length);
  }

  /** Ends its input and waits until it is over. Null where a signal ended it. */
  async close(): Promise<{ readonly exitCode: number | null; readonly stderr: string }> {
    this.#child.stdin.end();
    return { exitCode: await this.#closed, stderr: this.#stderr };
  }

  kill(): void {
    this.#cancelled = true;
    endTree(this.#child);
  }

  #read<T>(take: (buffer: Buffer) => { readonly value: T; readonly used: number } | null, needs: number | null): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#reads.push({
        needs,
        attempt: (buffer) => {
          const taken = take(buffer);
          if (taken !== null) resolve(taken.value);
          return taken?.used ?? null;
        },
        reject,
      });
      this.#serve();
      if (this.#failure !== null) this.#fail(this.#failure);
    });
  }

  #serve(): void {
    for (let read = this.#reads[0]; read !== undefined; read = this.#reads[0]) {
      // Joining the chunks of a 50 MB blob at each arrival would be quadratic: wait until there is enough.
      if (read.needs !== null && this.#length < read.needs) return;
      if (this.#length === 0 && read.needs !== 0) return;
      const buffer = this.#buffered.length === 1 && this.#buffered[0] !== undefined ? this.#buffered[0] : Buffer.concat(this.#buffered);
      const used = read.attempt(buffer);
      this.#buffered = [used === null ? buffer : buffer.subarray(used)];
      this.#length = buffer.length - (used ?? 0);
      if (used === null) return;
      this.#reads.shift();
    }
  }

  #fail(failure: GitFailure): void {
    this.#failure ??= failure;
    for (const read of this.#reads.splice(0)) read.reject(this.#failure);
  }
}

interface Read {
  /** Bytes that must be there before an attempt makes sense; null for a line. */
  readonly needs: number | null;
  /** Gives how many bytes it used; null where there are too few. */
  readonly attempt: (buffer: Buffer) => number | null;
  readonly reject: (failure: GitFailure) => void;
}
