import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openInbox, send, type InboxMessage } from '../../../src/adapters/ledger/inbox.ts';
import { absolutePath, type AbsolutePath } from '../../../src/core/ids.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';

let commonDir: AbsolutePath;
const receiving: { dispose(): void }[] = [];

beforeEach(() => { commonDir = absolutePath.parse(makeTemporaryFolder('inbox')); });
afterEach(() => {
  for (const receiver of receiving.splice(0)) receiver.dispose();
  removeFolder(commonDir);
});

const folder = (): string => path.join(commonDir, 'worldtree', 'inbox');

function receive(options: { now?: () => number; staleMs?: number } = {}): InboxMessage[] {
  const got: InboxMessage[] = [];
  receiving.push(openInbox(commonDir, { pollMs: 100, ...options }).receive((message) => { got.push(message); }));
  return got;
}

it('a verb that another window sends reaches the owner once, says who sent it, and leaves nothing behind', async () => {
  const got = receive();
  expect(await openInbox(commonDir).send('stop-everything', 10_000)).toBe('handled');
  expect(got).toEqual([expect.objectContaining({ v: 1, verb: 'stop-everything', from: expect.objectContaining({ pid: process.pid }) as object })]);
  expect(readdirSync(folder())).toEqual([]);
});

it('two owners by mistake, or one that looks twice, handle a verb once between them', async () => {
  const [one, two] = [receive(), receive()];
  await Promise.all(Array.from({ length: 10 }, () => openInbox(commonDir).send('stop-everything', 10_000)));
  expect(one.length + two.length).toBe(10);
});

it('a verb that lies there when the owner starts is handled', async () => {
  expect(await openInbox(commonDir).send('stop-everything', 50)).toBe('no answer');
  const got = receive();
  await expect.poll(() => got.length).toBe(1);
});

it('what is older than a minute is cleared away unread at the start', async () => {
  mkdirSync(folder(), { recursive: true });
  for (const name of ['1.json', '1.json.taken', '1.json.refused', '1.json.tmp']) {
    writeFileSync(path.join(folder(), name), '{"v":1,"verb":"stop-everything"}');
    utimesSync(path.join(folder(), name), new Date(Date.now() - 120_000), new Date(Date.now() - 120_000));
  }
  const got = receive();
  await expect.poll(() => readdirSync(folder())).toEqual([]);
  expect(got).toEqual([]);
});

it('a verb that this owner does not know, or a file that is no message, is answered as not understood', async () => {
  const got = receive();
  expect(await send(folder(), { v: 1, verb: 'sing', at: Date.now() }, 10_000)).toBe('not understood');
  expect(await send(folder(), { v: 2, verb: 'stop-everything', at: Date.now() }, 10_000)).toBe('not understood');
  expect(got).toEqual([]);
});
