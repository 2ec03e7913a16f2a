import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLedger } from '../../../src/adapters/ledger/openLedger.ts';
import { absolutePath, type AbsolutePath } from '../../../src/core/ids.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';

let commonDir: AbsolutePath;
let child: ChildProcess | undefined;

beforeEach(() => { commonDir = absolutePath.parse(makeTemporaryFolder('ledger')); });
afterEach(() => {
  child?.kill('SIGKILL');
  removeFolder(commonDir);
});

it('a write that the disk takes only half of is refused with words that name the disk, overwrites nothing, and the ledger goes on by itself once there is room (C7)', async () => {
  const script = fileURLToPath(new URL('./fullDisk.child.ts', import.meta.url));
  // The soft limit is 16 blocks, of 512 bytes or of 1,024 as the shell counts them.
  const writer = spawn('/bin/sh', ['-c', 'ulimit -S -f 16; exec "$0" --no-warnings "$1" "$2"', process.execPath, script, commonDir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child = writer;
  const [told] = (await messageOf(writer)) as [{ kept: number; refused: { reason: string; message: string; next: string }[]; still: { reason: string }; readOnly: unknown }];
  expect(told.kept).toBeGreaterThan(2);
  expect(told.refused).toEqual([{ reason: 'disk-failed', message: expect.stringMatching(/could not be written to the disk: .*\(EFBIG, .*00000001\.jsonl\)\. Nothing that was written before is lost/) as string, next: expect.stringContaining('try again') as string }]);
  expect(told.still).toMatchObject({ reason: 'disk-failed' });
  expect(told.readOnly).toEqual({ kind: 'disk', words: expect.stringContaining('could not be written to the disk') as string });
  const segments = path.join(commonDir, 'worldtree', 'ledger');
  const before = new Map(readdirSync(segments).map((name) => [name, readFileSync(path.join(segments, name))]));

  execFileSync('prlimit', ['--pid', String(writer.pid), '--fsize=unlimited:']);
  const [, [after]] = await Promise.all([Promise.resolve(writer.send('there is room')), messageOf(writer) as Promise<[{ readOnly: unknown }]>]);
  expect(after.readOnly).toBeNull();
  for (const [name, bytes] of before) expect(readFileSync(path.join(segments, name)).subarray(0, bytes.length).equals(bytes)).toBe(true);

  const ledger = await openLedger(commonDir);
  const { records, warnings } = await ledger.replay();
  await ledger.close();
  const episodes = records.map(({ event }) => (event.type === 'episode.started' ? Number.parseInt(event.episode.slice(1), 10) : 0));
  expect(episodes).toEqual([...Array.from({ length: told.kept }, (_, i) => i + 1), 300]);
  expect(warnings.join('\n')).toMatch(/bytes at the end of .*00000001\.jsonl are not part of the history/);
});

/** What the process says next. One that ends without a word is told at once rather than waited for. */
async function messageOf(writer: ChildProcess): Promise<unknown[]> {
  const waiting = new AbortController();
  const ended = once(writer, 'exit', { signal: waiting.signal }).then(([code, signal]) => { throw new Error(`the process with the full disk ended before it answered (${String(code ?? signal)})`); });
  try {
    const message: unknown[] = await Promise.race([once(writer, 'message', { signal: waiting.signal }), ended]);
    return message;
  } finally {
    ended.catch(() => undefined);
    waiting.abort();
  }
}
