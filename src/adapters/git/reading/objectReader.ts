import type { GitDoor } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';
import type { HeldProcess } from '../door/heldProcess.ts';

interface ObjectInfo {
  readonly id: string;
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  /** Bytes. */
  readonly size: number;
}

interface ObjectContents extends ObjectInfo {
  readonly bytes: Buffer;
}

/**
 * Objects read through one long-lived `cat-file --batch-command`: 20 times and more faster than a process each. Requests
 * are pipelined and answers come in the same order; an abort only lets the caller go, its answer is still read off the
 * pipe, so that no later request gets it. A process that dies is replaced, and what it owed is asked once more.
 */
export class ObjectReader {
  readonly #door: GitDoor;
  #session: Session | null = null;

  constructor(door: GitDoor) {
    this.#door = door;
  }

  /** Null where there is no such object. `name` is what git calls an extended object name, without a newline. */
  info(name: string, signal?: AbortSignal): Promise<ObjectInfo | null> {
    return this.#ask(`info ${name}`, readInfo, signal);
  }

  contents(name: string, signal?: AbortSignal): Promise<ObjectContents | null> {
    return this.#ask(`contents ${name}`, readContents, signal);
  }

  /** Ends the process. A later request starts another. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.held.close();
  }

  async #ask<T>(request: string, read: (held: HeldProcess) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (/[\n\0]/.test(request)) throw new GitFailure('unknown-revision', { args: ['cat-file'], stderr: 'an object name may not hold a newline' });
    if (signal?.aborted === true) throw new GitFailure('cancelled', { args: ['cat-file'] });
    const answer = this.#send(request, read).catch((error: unknown) => {
      // It died between two questions or while it owed this answer: reading is repeatable.
      if (error instanceof GitFailure && error.kind === 'other') return this.#send(request, read);
      throw error;
    });
    return signal === undefined ? answer : abortable(answer, signal);
  }

  #send<T>(request: string, read: (held: HeldProcess) => Promise<T>): Promise<T> {
    if (this.#session?.held.alive !== true) this.#session = { held: this.#door.hold(['cat-file', '--batch-command'], { write: false }), last: Promise.resolve() };
    const session = this.#session;
    session.held.write(`${request}\n`);
    const answer = session.last.then(() => read(session.held));
    session.last = answer.catch(() => undefined);
    return answer;
  }
}

interface Session {
  readonly held: HeldProcess;
  /** Settles when the answer before is off the pipe. Never rejects. */
  last: Promise<unknown>;
}

async function readInfo(held: HeldProcess): Promise<ObjectInfo | null> {
  const line = await held.readLine();
  const found = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/.exec(line);
  if (found === null) return null;
  return { id: found[1] ?? '', type: found[2] as ObjectInfo['type'], size: Number(found[3]) };
}

async function readContents(held: HeldProcess): Promise<ObjectContents | null> {
  const info = await readInfo(held);
  if (info === null) return null;
  const bytes = await held.readBytes(info.size + 1);
  return { ...info, bytes: bytes.subarray(0, info.size) };
}

function abortable<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new GitFailure('cancelled', { args: ['cat-file'] }));
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
