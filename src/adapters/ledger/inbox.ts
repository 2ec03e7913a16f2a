import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { AbsolutePath } from '../../core/ids.ts';
import { Turns } from '../../core/turns.ts';
import { makeFolder, writeBeside } from '../durableFile.ts';
import { processIdentity, thisProcess } from '../processIdentity.ts';
import { errorCode } from '../retry.ts';
import { diskRefusal } from './diskRefusal.ts';
import { ledgerFolders } from './folders.ts';
import { watchFolder } from './folderWatch.ts';

const INBOX_VERSION = 1;

/** What a window that is not the owner asks of the one that is. A new verb is a new member; an owner that does not know it says so. */
const inboxMessage = z.discriminatedUnion('verb', [
  z.object({ v: z.literal(INBOX_VERSION), verb: z.literal('stop-everything'), from: processIdentity, at: z.number() }),
]);
export type InboxMessage = z.infer<typeof inboxMessage>;
type InboxVerb = InboxMessage['verb'];

/** `no answer`: the message lies there still and is handled when the owner answers within the next minute. */
type InboxAnswer = 'handled' | 'not understood' | 'no answer';

interface InboxOptions {
  readonly now?: () => number;
  readonly pollMs?: number;
  /** A message older than this is cleaned away unread: the person has long done something else. */
  readonly staleMs?: number;
}

export interface Inbox {
  /** Sends a verb to the owner and waits for at most `timeoutMs` for it to be taken. Throws `Refused` where it cannot be written. */
  send(verb: InboxVerb, timeoutMs: number): Promise<InboxAnswer>;
  /** The owner's side: clears away what is old, then gives each message to `handle` once, until disposed. */
  receive(handle: (message: InboxMessage) => void): { dispose(): void };
}

export function openInbox(commonDir: AbsolutePath, options: InboxOptions = {}): Inbox {
  const folder = ledgerFolders(commonDir).inbox;
  const now = options.now ?? Date.now;
  const pollMs = options.pollMs ?? 1_000;
  return {
    send: (verb, timeoutMs) => send(folder, { v: INBOX_VERSION, verb, at: now() }, timeoutMs),
    receive: (handle) => receive(folder, { now, pollMs, staleMs: options.staleMs ?? 60_000 }, handle),
  };
}

/** Exported so that a test can play a newer window with a verb of its own. */
export async function send(folder: string, message: Readonly<Record<string, unknown>>, timeoutMs: number): Promise<InboxAnswer> {
  const path = join(folder, `${String(Date.now()).padStart(15, '0')}-${randomBytes(4).toString('hex')}.json`);
  try {
    await makeFolder(folder);
    await rename(await writeBeside(path, `${JSON.stringify({ ...message, from: await thisProcess() })}\n`), path);
  } catch (error) {
    throw diskRefusal('The message to the other window', path, error);
  }
  const until = performance.now() + timeoutMs;
  for (let gone = 0; ;) {
    const names = (await namesIn(folder)).filter((name) => name.startsWith(basename(path)));
    if (names.some((name) => name.endsWith('.refused'))) return 'not understood';
    // A listing may miss a file that is being renamed at that moment: only the second look in a row counts.
    gone = names.length === 0 ? gone + 1 : 0;
    if (gone === 2) return 'handled';
    if (performance.now() > until) return 'no answer';
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function receive(folder: string, options: Required<InboxOptions>, handle: (message: InboxMessage) => void): { dispose(): void } {
  const turns = new Turns();
  let disposed = false;
  let queued = false;
  const look = (): void => {
    if (queued) return;
    queued = true;
    // A look that fails is repeated by the next poll.
    void turns.run(async () => {
      queued = false;
      for (const name of disposed ? [] : await messagesIn(folder)) await take(join(folder, name), options, handle);
    }).catch(() => undefined);
  };
  void turns.run(() => clean(folder, options)).catch(() => undefined);
  const watch = watchFolder(folder, options.pollMs, look);
  look();
  return { dispose: () => { disposed = true; watch.dispose(); } };
}

async function take(path: string, options: Required<InboxOptions>, handle: (message: InboxMessage) => void): Promise<void> {
  const claimed = `${path}.taken`;
  try {
    // Claimed by its rename: two owners, or one that looks twice, never handle the same message.
    await rename(path, claimed);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  const message = inboxMessage.safeParse(parse(await readFile(claimed, 'utf8')));
  if (!message.success) {
    await rename(claimed, `${path}.refused`);
    return;
  }
  if (options.now() - message.data.at <= options.staleMs) handle(message.data);
  await rm(claimed, { force: true });
}

/** What a window left behind that went away in the middle, and refusals that their sender has seen by now. */
async function clean(folder: string, options: Required<InboxOptions>): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const written = (await stat(path).catch(() => null))?.mtimeMs;
    if (written !== undefined && Date.now() - written > options.staleMs) await rm(path, { force: true });
  }
}

async function messagesIn(folder: string): Promise<readonly string[]> {
  return (await namesIn(folder)).filter((name) => name.endsWith('.json')).sort();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
