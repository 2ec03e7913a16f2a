import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenedLedger } from '../../../src/adapters/ledger/openedLedger.ts';
import { openLedger } from '../../../src/adapters/ledger/openLedger.ts';
import { absolutePath, type AbsolutePath } from '../../../src/core/ids.ts';
import type { LedgerEvent } from '../../../src/core/ledger/events.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { ran } from './events.ts';
import { Signal, startWindow, type WindowProcess } from './windowProcess.ts';

let commonDir: AbsolutePath;
const windows: WindowProcess[] = [];
const opened: OpenedLedger[] = [];

beforeEach(() => { commonDir = absolutePath.parse(makeTemporaryFolder('ledger')); });

afterEach(async () => {
  await Promise.all(windows.splice(0).map((window) => window.kill()));
  await Promise.all(opened.splice(0).map((ledger) => ledger.close()));
  removeFolder(commonDir);
});

async function process(options: { staleMs?: number; heartbeatMs?: number } = {}): Promise<WindowProcess> {
  const window = await startWindow(commonDir, options);
  windows.push(window);
  return window;
}

async function open(): Promise<OpenedLedger> {
  const ledger = await openLedger(commonDir, { pollMs: 100 });
  opened.push(ledger);
  await ledger.replay();
  return ledger;
}

async function append(window: WindowProcess, from: number, count: number): Promise<{ kept: readonly number[]; refused: readonly string[] }> {
  const answer = await window.ask({ do: 'append', episode: 1, from, count });
  if (answer.did !== 'append') throw new Error('another answer than was asked for');
  return answer;
}

const isOwner = async (window: WindowProcess): Promise<boolean> => {
  const answer = await window.ask({ do: 'is owner' });
  return answer.did === 'is owner' && answer.owner;
};

/** The numbers that stand in the history, and in which order, as somebody who opens it now reads them. */
async function history(): Promise<{ readonly numbers: readonly number[]; readonly warnings: readonly string[] }> {
  const ledger = await openLedger(commonDir);
  const { records, warnings } = await ledger.replay();
  await ledger.close();
  return { numbers: records.map(({ event }) => (event.type === 'tool.ran' ? event.ms : -1)), warnings };
}

const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
const segments = (): string[] => readdirSync(path.join(commonDir, 'worldtree', 'ledger')).sort();

describe('two windows on one repository (C10)', () => {
  it('have one owner; the other is read-only, names it, and is told of every fact', async () => {
    const owner = await open();
    await owner.append([ran(1, 1)]);
    const other = await open();
    const told: LedgerEvent[] = [];
    const all = new Signal();
    other.follow((records) => {
      told.push(...records.map(({ event }) => event));
      if (told.length === 3) all.give();
    });
    expect(owner.readOnly()).toBeNull();
    expect(other.readOnly()).toEqual({ kind: 'other-window', pid: globalThis.process.pid, answering: true });
    await expect(other.append([ran(1, 99)])).rejects.toMatchObject({ refusal: { reason: 'not-owner' } });
    expect(await other.tryTakeOver()).toMatchObject({ kind: 'refused', refusal: { reason: 'not-owner' } });
    await owner.append([ran(1, 2)]);
    await owner.append([ran(1, 3), ran(1, 4)]);
    await all.given;
    expect(told).toEqual([ran(1, 2), ran(1, 3), ran(1, 4)]);
    expect((await history()).numbers).toEqual([1, 2, 3, 4]);
  });

  it('pass the ownership on: when the owner closes, the other can write with its next append, under the same tag', async () => {
    const owner = await open();
    const other = await open();
    await owner.append([ran(1, 1)]);
    const followed = new Promise<void>((resolve) => { other.follow(() => { resolve(); }); });
    await followed;
    expect(other.tag).toBe(owner.tag);
    const free = new Promise<void>((resolve) => { other.onReadOnlyChange(() => { if (other.readOnly() === null) resolve(); }); });
    await owner.close();
    await free;
    await other.append([ran(1, 2)]);
    expect(await other.isOwner()).toBe(true);
    expect(segments()).toEqual(['00000001.jsonl', '00000002.jsonl']);
    expect((await history()).numbers).toEqual([1, 2]);
  });

  it('never let one decide from a state that the other has changed: the first append on unseen facts is refused, the next one stands', async () => {
    const late = await openLedger(commonDir, { pollMs: 60_000 });
    opened.push(late);
    await late.replay();
    const told: LedgerEvent[] = [];
    late.follow((records) => { told.push(...records.map(({ event }) => event)); });
    const first = await openLedger(commonDir);
    await first.append([ran(1, 1)]);
    await first.close();
    await expect(late.append([ran(1, 2)])).rejects.toMatchObject({ refusal: { reason: 'wrong-state' } });
    expect(told).toEqual([ran(1, 1)]);
    await late.append([ran(1, 3)]);
    expect((await history()).numbers).toEqual([1, 3]);
  });
});

describe('an owner whose process has ended', () => {
  it('is succeeded at once, and nothing that it was told is kept is lost', async () => {
    const killed = await process();
    const { kept } = await append(killed, 1, 40);
    const under = append(killed, 41, 400).catch(() => undefined);
    await killed.kill();
    void under;
    const ledger = await open();
    expect(ledger.readOnly()).toBeNull();
    const begun = performance.now();
    await ledger.append([ran(1, 1_000)]);
    expect(performance.now() - begun).toBeLessThan(5_000);
    const { numbers: all } = await history();
    expect(all.slice(0, kept.length)).toEqual(kept);
    expect(all.at(-1)).toBe(1_000);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('an owner that stalls for longer than the lock lasts (C11)', () => {
  const times = { staleMs: 2_000, heartbeatMs: 1_000 };

  it('stands down when it wakes: it writes nothing more, knows that it lost, and no fact is lost or doubled', async () => {
    const stalled = await process(times);
    const next = await process(times);
    const before = await append(stalled, 1, 20);
    expect(before.kept).toEqual(numbers(1, 20));
    await expect.poll(() => next.followed.length, { timeout: 10_000 }).toBe(20);

    const underWay = append(stalled, 100, 2_000);
    await expect.poll(() => next.followed.length, { timeout: 10_000 }).toBeGreaterThan(30);
    stalled.signal('SIGSTOP');
    await expect.poll(async () => (await append(next, 10_000, 1)).kept, { timeout: 20_000, interval: 300 }).toEqual([10_000]);
    const during = await append(next, 10_001, 50);
    expect(during.refused).toEqual([]);

    stalled.signal('SIGCONT');
    const woken = await underWay;
    await stalled.lost;
    expect(woken.refused.length).toBeGreaterThan(0);
    expect(new Set(woken.refused)).toEqual(new Set(['not-owner']));
    expect(await isOwner(stalled)).toBe(false);
    expect(await isOwner(next)).toBe(true);
    expect((await append(stalled, 20_000, 5)).refused).toEqual(Array.from({ length: 5 }, () => 'not-owner'));
    expect(await stalled.ask({ do: 'take over' })).toMatchObject({ kind: 'refused', reason: 'not-owner' });
    expect((await stalled.ask({ do: 'read only' }))).toMatchObject({ reason: { kind: 'other-window', pid: next.pid } });
    const after = await append(next, 10_100, 20);
    expect(after.refused).toEqual([]);

    const { numbers: all } = await history();
    const acknowledged = [...before.kept, ...woken.kept, 10_000, ...during.kept, ...after.kept];
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((number) => acknowledged.includes(number))).toEqual(acknowledged);
    // What was refused is not there, but for a group that the stop cut in two and that its successor counted.
    expect(all.length - acknowledged.length).toBeLessThanOrEqual(5);
    expect(segments()).toHaveLength(2);
  });

  it('is shown as not answering, and is succeeded by the person’s word before its lock is stale', async () => {
    const stalled = await process({ staleMs: 60_000, heartbeatMs: 1_000 });
    const next = await process({ staleMs: 60_000, heartbeatMs: 1_000 });
    await append(stalled, 1, 1);
    stalled.signal('SIGSTOP');
    await expect.poll(() => next.ask({ do: 'read only' }), { timeout: 20_000 }).toMatchObject({ reason: { kind: 'other-window', pid: stalled.pid, answering: false } });
    expect((await append(next, 2, 1)).refused).toEqual(['not-owner']);
    expect(await next.ask({ do: 'take over' })).toMatchObject({ kind: 'owner' });
    expect((await append(next, 3, 1)).kept).toEqual([3]);
    stalled.signal('SIGCONT');
    await stalled.lost;
    expect((await append(stalled, 4, 1)).refused).toEqual(['not-owner']);
    expect(await isOwner(next)).toBe(true);
    expect((await history()).numbers).toEqual([1, 3]);
  });

  it('cannot add to the history even by bytes that it writes after it was succeeded', async () => {
    const first = await openLedger(commonDir);
    await first.append([ran(1, 1)]);
    await first.close();
    const second = await open();
    await second.append([ran(1, 2)]);
    const record = { v: 1, epoch: 1, seq: 2, at: 1, event: ran(1, 99) };
    const file = path.join(commonDir, 'worldtree', 'ledger', '00000001.jsonl');
    appendFileSync(file, `${JSON.stringify(record)}\n`);
    const { numbers: all, warnings } = await history();
    expect(all).toEqual([1, 2]);
    expect(warnings).toEqual([expect.stringMatching(/bytes at the end of .*00000001\.jsonl are not part of the history/)]);
    expect(readFileSync(file, 'utf8')).toContain('"ms":99');
  });
});

describe('an owner whose lock something else removes or touches', () => {
  it('takes it again and stays the owner, since nobody has succeeded it', async () => {
    const owner = await openLedger(commonDir, { lockTimes: { staleMs: 2_000, heartbeatMs: 1_000 } });
    opened.push(owner);
    await owner.append([ran(1, 1)]);
    const lock = path.join(commonDir, 'worldtree', 'owner.lock');
    rmSync(lock, { recursive: true });
    await expect.poll(() => existsSync(lock), { timeout: 10_000 }).toBe(true);
    utimesSync(lock, new Date(1_000), new Date(1_000));
    await expect.poll(() => statSync(lock).mtimeMs, { timeout: 10_000 }).toBeGreaterThan(Date.now() - 60_000);
    expect(await owner.isOwner()).toBe(true);
    await owner.append([ran(1, 2)]);
    expect((await history()).numbers).toEqual([1, 2]);
    expect(segments()).toHaveLength(1);
  });
});

describe('many windows that all want to be the owner', () => {
  it('leave one, over and over, and keep every fact that was acknowledged exactly once', async () => {
    const contenders = await Promise.all(Array.from({ length: 5 }, () => process()));
    const acknowledged: number[] = [];
    for (let round = 0; round < 3 && contenders.length > 1; round++) {
      const answers = await Promise.all(contenders.map((window, i) => append(window, round * 1_000 + i * 100, 10)));
      acknowledged.push(...answers.flatMap(({ kept }) => kept));
      const owners = await Promise.all(contenders.map(isOwner));
      expect(owners.filter(Boolean)).toHaveLength(1);
      const [gone] = contenders.splice(owners.indexOf(true), 1);
      await gone?.kill();
    }
    const { numbers: all } = await history();
    expect(acknowledged.length).toBeGreaterThanOrEqual(20);
    expect([...all].sort((a, b) => a - b)).toEqual(acknowledged.sort((a, b) => a - b));
  });
});
