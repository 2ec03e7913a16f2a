import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSpending, type OpenedSpending, type SpendingOptions } from '../../../src/adapters/spending/openSpending.ts';
import type { SpendFile } from '../../../src/adapters/spending/spendFile.ts';
import { absolutePath, type AbsolutePath } from '../../../src/core/ids.ts';
import type { DailyLimits } from '../../../src/core/limits/limits.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';

/** No test runs over midnight, where another day's cap begins, whenever it is started. */
const noon = new Date(2026, 10, 30, 12).getTime();
let root: string;
let folder: AbsolutePath;
const opened: OpenedSpending[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  root = makeTemporaryFolder('spending');
  folder = absolutePath.parse(path.join(root, 'global storage'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(opened.splice(0).map((spending) => spending.close()));
  removeFolder(root);
});

function open(options: SpendingOptions = {}): OpenedSpending {
  const spending = openSpending(folder, { pollMs: 100, now: () => noon, ...options });
  opened.push(spending);
  return spending;
}

/** A window in a process of its own that asks for money; tells what it spent. */
async function askFor(requests: number, amount: number, cap: number, hold = false): Promise<{ child: ChildProcess; spent: number; reserved: number; reached: number }> {
  const child = fork(fileURLToPath(new URL('./machine.child.ts', import.meta.url)), [folder, String(noon), String(requests), String(amount), String(cap), ...(hold ? ['hold'] : [])], { execArgv: ['--no-warnings'] });
  children.push(child);
  const [told] = (await once(child, 'message')) as [{ spent: number; reserved: number; reached: number }];
  return { child, ...told };
}

const usd = (amount: number): { usd: number; unpricedTokens: number } => ({ usd: amount, unpricedTokens: 0 });
const tokens = (amount: number): { usd: number; unpricedTokens: number } => ({ usd: 0, unpricedTokens: amount });
const cap = (costUsd: number, allTokens = 1_000): DailyLimits => ({ costUsd, allTokens });

async function reserved(spending: OpenedSpending, amount: { usd: number; unpricedTokens: number }, daily: DailyLimits): Promise<string> {
  const result = await spending.reserve(amount, daily);
  if (result.kind !== 'reserved') throw new Error(`${result.kind} rather than reserved`);
  return result.reservation;
}

describe('the daily cap', () => {
  it('counts what is reserved until it is settled, and then what was really spent', async () => {
    const spending = open();
    const one = await reserved(spending, usd(4), cap(10));
    expect(await spending.today()).toEqual({ day: '2026-11-30', spent: usd(0), reserved: usd(4), raised: usd(0) });
    await spending.settle(one, usd(1.5));
    expect(await spending.today()).toEqual({ day: '2026-11-30', spent: usd(1.5), reserved: usd(0), raised: usd(0) });
  });

  it('lets what does not fit wait for what is in flight, and counts as reached only when nothing is (rule 7, G10)', async () => {
    const spending = open();
    const flights = await Promise.all(Array.from({ length: 29 }, () => reserved(spending, usd(0.17), cap(5))));
    expect(await spending.reserve(usd(0.17), cap(5))).toEqual({ kind: 'wait' });
    for (const flight of flights) await spending.settle(flight, usd(0.01));
    const last = await reserved(spending, usd(0.17), cap(5));
    await spending.settle(last, usd(4.6));
    expect(await spending.reserve(usd(0.17), cap(5))).toEqual({ kind: 'reached', limit: 'daily cost', used: expect.closeTo(4.89) as number, cap: 5 });
    expect(await spending.reserve(usd(0.1), cap(5))).toMatchObject({ kind: 'reserved' });
  });

  it('binds models without prices by tokens, apart from money', async () => {
    const spending = open();
    const one = await reserved(spending, tokens(900), cap(5, 1_000));
    expect(await spending.reserve(tokens(200), cap(5, 1_000))).toEqual({ kind: 'wait' });
    expect(await spending.reserve(usd(5), cap(5, 1_000))).toMatchObject({ kind: 'reserved' });
    await spending.settle(one, tokens(900));
    expect(await spending.reserve(tokens(200), cap(5, 1_000))).toEqual({ kind: 'reached', limit: 'daily tokens', used: 900, cap: 1_000 });
  });

  it('is raised for today by the person’s word', async () => {
    const spending = open();
    await spending.settle(await reserved(spending, usd(5), cap(5)), usd(5));
    expect(await spending.reserve(usd(1), cap(5))).toEqual({ kind: 'reached', limit: 'daily cost', used: 5, cap: 5 });
    await spending.raise(usd(2));
    expect(await spending.reserve(usd(1), cap(5))).toMatchObject({ kind: 'reserved' });
    expect((await spending.today()).raised).toEqual(usd(2));
  });

  it('takes away what a window that was killed had half written beside its file', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const beside = (owner: number): string => `spending.json.${owner}-0123456789ab.tmp`;
    mkdirSync(folder);
    for (const owner of [pid, process.pid]) writeFileSync(path.join(folder, beside(owner)), 'half');
    await open().raise(usd(1));
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([beside(process.pid)]);
  });

  it('starts anew with the local day; what is settled after midnight counts for the day it was reserved on', async () => {
    let now = new Date(2026, 10, 30, 23, 59).getTime();
    const spending = open({ now: () => now });
    const late = await reserved(spending, usd(5), cap(5));
    now += 2 * 60_000;
    const early = await reserved(spending, usd(4), cap(5));
    await spending.settle(late, usd(3));
    await spending.settle(early, usd(2));
    expect(await spending.history(7)).toEqual([{ day: '2026-12-01', spent: usd(2), estimated: usd(0) }, { day: '2026-11-30', spent: usd(3), estimated: usd(0) }]);
  });

  it('costs a model without cost nothing, and writes nothing for it', async () => {
    const spending = open();
    const free = await reserved(spending, usd(0), cap(5));
    await spending.settle(free, usd(0));
    expect(existsSync(folder)).toBe(false);
  });

  it('counts each request once, also when it is settled twice', async () => {
    const spending = open();
    const one = await reserved(spending, usd(2), cap(5));
    await spending.settle(one, usd(1));
    await spending.settle(one, usd(1));
    expect((await spending.today()).spent).toEqual(usd(1));
  });

  it('keeps ninety days and no more', async () => {
    let now = noon;
    const spending = open({ now: () => now });
    for (let i = 0; i < 95; i++) {
      await spending.settle(await reserved(spending, usd(1), cap(5)), usd(1));
      now = new Date(2026, 10, 31 + i, 12).getTime();
    }
    await spending.settle(await reserved(spending, usd(1), cap(5)), usd(1));
    const days = await spending.history(1_000);
    expect(days).toHaveLength(90);
    expect(days[0]?.day).toBe('2027-03-05');
  });

  it('refuses amounts that are none', async () => {
    const spending = open();
    await expect(spending.reserve(usd(Number.NaN), cap(5))).rejects.toThrow(RangeError);
    await expect(spending.reserve(usd(-1), cap(5))).rejects.toThrow(RangeError);
  });
});

describe('several windows at once', () => {
  it('never spend more than the cap between them, and no cent is lost or counted twice', async () => {
    const windows = await Promise.all(Array.from({ length: 4 }, () => askFor(60, 0.1, 10)));
    const total = windows.reduce((sum, { spent }) => sum + spent, 0);
    const today = await open().today();
    expect(today.spent.usd).toBeCloseTo(total, 6);
    expect(today.reserved.usd).toBeCloseTo(0, 6);
    expect(today.spent.usd).toBeLessThanOrEqual(10);
    // 240 requests of up to 10 cents, 6.25 on average, want 15 dollars: the cap was reached.
    expect(today.spent.usd).toBeGreaterThan(9.8);
    expect(windows.some(({ reached }) => reached > 0)).toBe(true);
  });

  it('count as spent, and as estimated, what a window had reserved whose process is gone', async () => {
    const { child } = await askFor(1, 3, 5, true);
    let now = noon;
    const spending = open({ now: () => now });
    expect(await spending.reserve(usd(3), cap(5))).toEqual({ kind: 'wait' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await spending.reserve(usd(3), cap(5))).toEqual({ kind: 'wait' });
    now += 61_000;
    expect(await spending.reserve(usd(3), cap(5))).toEqual({ kind: 'reached', limit: 'daily cost', used: 3, cap: 5 });
    expect(await spending.history(1)).toEqual([expect.objectContaining({ spent: usd(3), estimated: usd(3) })]);
  });

  it('keep for a living window what it has in flight, however long it takes', async () => {
    await askFor(1, 3, 5, true);
    const spending = open({ now: () => noon + 600_000 });
    expect(await spending.reserve(usd(3), cap(5))).toEqual({ kind: 'wait' });
  });

  it('replace an estimate by the real cost when the answer comes after all', async () => {
    const spending = open();
    const slow = await reserved(spending, usd(3), cap(5));
    // As if it had been reserved in another container, an hour ago.
    const file = path.join(folder, 'spending.json');
    const content = JSON.parse(readFileSync(file, 'utf8')) as SpendFile;
    for (const day of Object.values(content.days)) for (const r of day.reservations) Object.assign(r, { at: r.at - 3_700_000, holder: { ...r.holder, host: 'container' } });
    writeFileSync(file, JSON.stringify(content));
    expect(await spending.reserve(usd(3), cap(5))).toMatchObject({ kind: 'reached', used: 3 });
    await spending.settle(slow, usd(1));
    expect(await spending.history(1)).toEqual([expect.objectContaining({ spent: usd(1), estimated: usd(0) })]);
  });
});

describe('a spend file that cannot be used', () => {
  it.each([['half of it', '{"v":1,"revision":3,"da'], ['nothing', ''], ['something else', '{"v":1,"revision":0,"days":{"2026-11-30":{"spent":-4}}}']])('because it holds %s is kept aside and told, and nothing is spent before the person says so', async (_, damaged) => {
    const before = open();
    await before.settle(await reserved(before, usd(4), cap(5)), usd(4));
    writeFileSync(path.join(folder, 'spending.json'), damaged);

    const spending = open();
    const warnings: string[] = [];
    spending.onWarning((words) => { warnings.push(words); });
    expect(await spending.reserve(usd(0.1), cap(5))).toEqual({ kind: 'reached', limit: 'daily cost', used: 5, cap: 5 });
    expect(warnings).toEqual([expect.stringMatching(/on 2026-11-30 before .* is not known: .* kept as spending\.json\.corrupt-.* cap counts as used up until you raise it/)]);
    const kept = readdirSync(folder).filter((name) => name.startsWith('spending.json.corrupt-'));
    expect(kept).toHaveLength(1);
    expect(readFileSync(path.join(folder, kept[0] ?? ''), 'utf8')).toBe(damaged);

    await spending.raise(usd(1));
    expect(await spending.reserve(usd(0.1), cap(5))).toMatchObject({ kind: 'reserved' });
    expect(await spending.reserve(usd(2), cap(5))).toMatchObject({ kind: 'wait' });
  });

  it('because a newer version wrote it stops requests rather than the newer version', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'spending.json'), '{"v":2,"months":{}}');
    await expect(open().reserve(usd(1), cap(5))).rejects.toMatchObject({ refusal: { reason: 'ledger-newer' } });
    expect(readFileSync(path.join(folder, 'spending.json'), 'utf8')).toBe('{"v":2,"months":{}}');
  });

  it('because the folder cannot be written refuses the reservation with words that name the disk', async () => {
    writeFileSync(folder, 'a file where the folder should be');
    await expect(open().reserve(usd(1), cap(5))).rejects.toMatchObject({ refusal: { reason: 'disk-failed' } });
  });

  it('books a cost that could not be written as soon as it can be', async () => {
    const spending = open();
    const one = await reserved(spending, usd(3), cap(5));
    const file = path.join(folder, 'spending.json');
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, '{"v":2}');
    await expect(spending.settle(one, usd(2))).rejects.toMatchObject({ refusal: { reason: 'ledger-newer' } });
    writeFileSync(file, good);
    expect(await spending.reserve(usd(3), cap(5))).toMatchObject({ kind: 'reserved' });
    expect(await spending.today()).toMatchObject({ spent: usd(2), reserved: usd(3) });
  });
});

describe('Stop Everything', () => {
  it('reaches every other process within a moment (G11)', async () => {
    const windows = await Promise.all([askFor(1, 1, 5, true), askFor(1, 1, 5, true)]);
    const told = Promise.all(windows.map(({ child }) => once(child, 'message')));
    const begun = performance.now();
    await open().stopEverything();
    expect((await told).flat()).toEqual([{ stopped: true }, undefined, { stopped: true }, undefined]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('reaches everything in this process, and is not told twice', async () => {
    const [here, there] = [open(), open()];
    const stops = { here: 0, there: 0 };
    here.onStop(() => { stops.here++; });
    there.onStop(() => { stops.there++; });
    expect(await here.stoppedAt()).toBeNull();
    await here.stopEverything();
    expect(await there.stoppedAt()).toBeGreaterThanOrEqual(noon);
    await expect.poll(() => stops).toEqual({ here: 1, there: 1 });
    await there.stopEverything();
    await expect.poll(() => stops).toEqual({ here: 2, there: 2 });
  });

  it('of the past is not told to a window that opens later, which can still read it', async () => {
    await open().stopEverything();
    let stops = 0;
    const later = open();
    later.onStop(() => { stops++; });
    expect(await later.stoppedAt()).not.toBeNull();
    await later.stopEverything();
    await expect.poll(() => stops).toBe(1);
  });

  it('is later than the one before even when the clock was set back', async () => {
    await open().stopEverything();
    const spending = open({ now: () => noon - 1_000 });
    let stops = 0;
    spending.onStop(() => { stops++; });
    await spending.stopEverything();
    await expect.poll(() => stops).toBe(1);
    expect(await spending.stoppedAt()).toBe(noon + 1);
  });

  it('counts from when its file was written where that is damaged', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'stop.json'), '{"v":1,"a');
    expect(Math.abs((await open().stoppedAt() ?? 0) - Date.now())).toBeLessThan(60_000);
  });
});
