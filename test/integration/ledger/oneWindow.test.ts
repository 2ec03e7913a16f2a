import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerOptions, OpenedLedger } from '../../../src/adapters/ledger/openedLedger.ts';
import { openLedger } from '../../../src/adapters/ledger/openLedger.ts';
import { absolutePath, type AbsolutePath } from '../../../src/core/ids.ts';
import type { LedgerEvent } from '../../../src/core/ledger/events.ts';
import { Refused } from '../../../src/core/refusal.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { ran, started } from './events.ts';

let repository: TemporaryRepository;
let commonDir: AbsolutePath;
const opened: OpenedLedger[] = [];

beforeEach(() => {
  repository = makeTemporaryRepository({ 'readme.md': 'A project.\n' });
  commonDir = absolutePath.parse(repository.git('rev-parse', '--path-format=absolute', '--git-common-dir'));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((ledger) => ledger.close()));
  repository.remove();
});

async function open(options: LedgerOptions = {}): Promise<OpenedLedger> {
  const ledger = await openLedger(commonDir, options);
  opened.push(ledger);
  return ledger;
}

/** Opens the ledger, does the work and closes it, as a window that comes and goes. */
async function visit<T>(work: (ledger: OpenedLedger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(commonDir);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

const replayed = (): Promise<{ events: readonly LedgerEvent[]; warnings: readonly string[] }> => visit(async (ledger) => {
  const { records, warnings } = await ledger.replay();
  return { events: records.map(({ event }) => event), warnings };
});

const worldtree = (): string => path.join(commonDir, 'worldtree');
const segment = (epoch: number): string => path.join(worldtree(), 'ledger', `${String(epoch).padStart(8, '0')}.jsonl`);
const linesOf = (file: string): Record<string, unknown>[] => readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a repository that nobody delegated in', () => {
  it('is opened, replayed, followed and closed without leaving a trace', async () => {
    const before = readdirSync(commonDir).sort();
    const ledger = await open();
    ledger.follow(() => undefined);
    expect(await ledger.replay()).toEqual({ records: [], warnings: [] });
    expect(ledger.readOnly()).toBeNull();
    await ledger.close();
    expect(readdirSync(commonDir).sort()).toEqual(before);
  });
});

describe('facts that were appended', () => {
  it('come back in order after a reopen, each with version, epoch, sequence and time', async () => {
    const ledger = await open({ now: () => 1_700_000_000_000 });
    const [first, second] = await Promise.all([ledger.append([started(1), ran(1, 1)]), ledger.append([ran(1, 2)])]);
    expect([...first, ...second].map(({ v, epoch, seq, at }) => [v, epoch, seq, at])).toEqual([[1, 1, 1, 1_700_000_000_000], [1, 1, 2, 1_700_000_000_000], [1, 1, 3, 1_700_000_000_000]]);
    await ledger.close();
    expect(await replayed()).toEqual({ events: [started(1), ran(1, 1), ran(1, 2)], warnings: [] });
  });

  it('are readable by the person alone', async () => {
    await visit((ledger) => ledger.append([started(1)]));
    expect(statSync(worldtree()).mode & 0o777).toBe(0o700);
    expect(statSync(path.dirname(segment(1))).mode & 0o777).toBe(0o700);
    expect(statSync(segment(1)).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(worldtree(), 'owner.json')).mode & 0o777).toBe(0o600);
  });

  it('stand in one segment per window, each headed by the tag and by how much of the one before counts', async () => {
    await visit((ledger) => ledger.append([started(1)]));
    await visit((ledger) => ledger.append([ran(1, 1)]));
    const [first] = linesOf(segment(1));
    const [second, record] = linesOf(segment(2));
    expect(first).toMatchObject({ v: 1, kind: 'segment', epoch: 1, previous: null });
    expect(second).toMatchObject({ v: 1, kind: 'segment', epoch: 2, tag: first?.['tag'], previous: { epoch: 1, bytes: statSync(segment(1)).size } });
    expect(record).toMatchObject({ v: 1, epoch: 2, seq: 1 });
    expect(await visit((ledger) => Promise.resolve(ledger.tag))).toBe(first?.['tag']);
  });

  it('share a flush when they come together, and stay in the order in which they were appended', async () => {
    const ledger = await open();
    const begun = performance.now();
    await Promise.all(Array.from({ length: 2_000 }, (_, i) => ledger.append([ran(1, i)])));
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect((await ledger.replay()).records.map(({ seq, event }) => [seq, event])).toEqual(Array.from({ length: 2_000 }, (_, i) => [i + 1, ran(1, i)]));
  });

  it('are refused when they do not fit their schema, and nothing is written', async () => {
    const ledger = await open();
    await expect(ledger.append([ran(1, Number.NaN)])).rejects.toThrow();
    expect(existsSync(worldtree())).toBe(false);
    await ledger.append([ran(1, 1)]);
    expect((await ledger.replay()).records).toHaveLength(1);
  });

  it('are those of the moment of the append, whatever the caller does with them afterwards', async () => {
    const ledger = await open();
    const event = { ...ran(1, 1), ms: 1 };
    const appended = ledger.append([event]);
    event.ms = 2;
    await appended;
    expect((await ledger.replay()).records[0]?.event).toEqual(ran(1, 1));
  });

  it('are replayed by the ten thousand well under 150 ms', async () => {
    await visit((ledger) => ledger.append(Array.from({ length: 10_000 }, (_, i) => (i % 100 === 0 ? started(1 + i / 100, 'x'.repeat(300)) : ran(1, i)))));
    const ledger = await open();
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      // The processor's time, since a busy machine makes the clock's say nothing.
      const before = process.cpuUsage();
      expect((await ledger.replay()).records).toHaveLength(10_000);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1_000);
    }
    expect(Math.min(...times)).toBeLessThan(150);
  });
});

describe('a ledger that a crash or a full disk has left damaged', () => {
  beforeEach(async () => {
    await visit((ledger) => ledger.append([started(1), ran(1, 1), ran(1, 2)]));
  });

  it.each([
    ['half a line', (file: string) => { truncateSync(file, statSync(file).size - 10); }, 2],
    ['a whole line without its end', (file: string) => { truncateSync(file, statSync(file).size - 1); }, 2],
    ['a line that is no JSON', (file: string) => { appendFileSync(file, '{"v":1,"epoch":1,"se\n'); }, 3],
    ['zeros, as after a power cut', (file: string) => { appendFileSync(file, Buffer.alloc(4096)); }, 3],
  ])('with %s at its end is read up to there, the person is told, and the file stays', async (_, damage, kept) => {
    damage(segment(1));
    const bytes = readFileSync(segment(1));
    const { events, warnings } = await replayed();
    expect(events).toEqual([started(1), ran(1, 1), ran(1, 2)].slice(0, kept));
    expect(warnings).toEqual([expect.stringMatching(/00000001\.jsonl is cut off \([\d,]+ bytes\).*kept in the file/)]);
    await visit((ledger) => ledger.append([ran(1, 9)]));
    expect(readFileSync(segment(1)).equals(bytes)).toBe(true);
    const after = await replayed();
    expect(after.events).toEqual([...events, ran(1, 9)]);
    expect(after.warnings).toEqual([expect.stringMatching(/bytes at the end of .*00000001\.jsonl are not part of the history/)]);
  });

  it('with an unreadable line in its middle gives all the others and says so', async () => {
    const lines = readFileSync(segment(1), 'utf8').split('\n');
    lines[2] = '{"v":1,"epoch":1,"seq":2,"at":1,"event":{"type":"tool.ran"}}';
    writeFileSync(segment(1), lines.join('\n'));
    const { events, warnings } = await replayed();
    expect(events).toEqual([started(1), ran(1, 2)]);
    expect(warnings).toEqual([expect.stringMatching(/1 line of .*00000001\.jsonl cannot be read and was left out/)]);
  });

  it('with an empty segment is read as if that were not there, and goes on after it', async () => {
    writeFileSync(segment(2), '');
    expect(await replayed()).toEqual({ events: [started(1), ran(1, 1), ran(1, 2)], warnings: [] });
    await visit((ledger) => ledger.append([ran(1, 3)]));
    expect(linesOf(segment(3))[0]).toMatchObject({ epoch: 3, previous: { epoch: 1 } });
    expect((await replayed()).events).toEqual([started(1), ran(1, 1), ran(1, 2), ran(1, 3)]);
  });

  it('with nothing but an empty segment is an empty ledger that can be written', async () => {
    writeFileSync(segment(1), '');
    expect(await replayed()).toEqual({ events: [], warnings: [] });
    await visit((ledger) => ledger.append([ran(1, 3)]));
    expect((await replayed()).events).toEqual([ran(1, 3)]);
  });

  it('with a damaged header still gives the records under it and those before', async () => {
    await visit((ledger) => ledger.append([ran(1, 3)]));
    writeFileSync(segment(2), readFileSync(segment(2), 'utf8').replace('"kind":"segment"', '"kind":"s\u0000gment"'));
    const { events, warnings } = await replayed();
    expect(events).toEqual([started(1), ran(1, 1), ran(1, 2), ran(1, 3)]);
    expect(warnings.join('\n')).toMatch(/first line of .*00000002\.jsonl cannot be read; its records were read all the same/);
  });

  it('with a segment that is missing says that a part is not shown', async () => {
    await visit((ledger) => ledger.append([ran(1, 3)]));
    rmSync(segment(1));
    const { events, warnings } = await replayed();
    expect(events).toEqual([ran(1, 3)]);
    expect(warnings).toEqual([expect.stringMatching(/00000001\.jsonl is missing or cannot be read: a part of the history is not shown/)]);
  });

  it('without its owner file goes on with the next epoch all the same', async () => {
    rmSync(path.join(worldtree(), 'owner.json'));
    await visit((ledger) => ledger.append([ran(1, 3)]));
    writeFileSync(path.join(worldtree(), 'owner.json'), '{"v":1,"epo');
    await visit((ledger) => ledger.append([ran(1, 4)]));
    expect(readdirSync(path.dirname(segment(1))).sort()).toEqual(['00000001.jsonl', '00000002.jsonl', '00000003.jsonl']);
    expect((await replayed()).events).toEqual([started(1), ran(1, 1), ran(1, 2), ran(1, 3), ran(1, 4)]);
  });
});

describe('a ledger of a newer version', () => {
  it('is shown as far as it can be read and never written', async () => {
    await visit((ledger) => ledger.append([started(1)]));
    const header = { ...linesOf(segment(1))[0], v: 2, epoch: 2, previous: { epoch: 1, bytes: statSync(segment(1)).size } };
    writeFileSync(segment(2), `${JSON.stringify(header)}\n{"v":2,"epoch":2,"seq":1,"at":1,"event":{"type":"episode.praised"}}\n`);
    const ledger = await open();
    expect(ledger.readOnly()).toEqual({ kind: 'newer-version', version: 2 });
    const { records, warnings } = await ledger.replay();
    expect(records.map(({ event }) => event)).toEqual([started(1)]);
    expect(warnings).toEqual([expect.stringContaining('written by a newer version of Worldtree')]);
    const refused: unknown = await ledger.append([ran(1, 1)]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ refusal: { reason: 'ledger-newer' } });
    expect(await ledger.tryTakeOver()).toMatchObject({ kind: 'refused', refusal: { reason: 'ledger-newer' } });
    expect(readdirSync(path.dirname(segment(1))).sort()).toEqual(['00000001.jsonl', '00000002.jsonl']);
  });
});

describe('facts of another window that were seen and then never reached its disk', () => {
  it('make this window say that it has to be reloaded, and decide nothing on top of them', async () => {
    await visit((ledger) => ledger.append([started(1), ran(1, 1)]));
    const ledger = await open({ pollMs: 50 });
    await ledger.replay();
    const told: unknown[] = [];
    ledger.follow((records) => { told.push(...records); });
    const { tag } = ledger;
    const kept = Buffer.byteLength(readFileSync(segment(1), 'utf8').split('\n').slice(0, 2).join('\n')) + 1;
    writeFileSync(segment(2), `${JSON.stringify({ v: 1, kind: 'segment', epoch: 2, at: 1, tag, previous: { epoch: 1, bytes: kept } })}\n${JSON.stringify({ v: 1, epoch: 2, seq: 1, at: 1, event: ran(1, 2) })}\n`);
    await expect.poll(() => ledger.readOnly()).toMatchObject({ kind: 'disk' });
    await expect(ledger.append([ran(1, 3)])).rejects.toMatchObject({ refusal: { reason: 'wrong-state', next: 'Reload this window.' } });
    expect(told).toEqual([]);
    expect((await replayed()).events).toEqual([started(1), ran(1, 2)]);
  });
});

describe('a ledger whose folder is removed while it is in use', () => {
  it('stands down rather than write where nobody will read', async () => {
    const ledger = await open();
    await ledger.append([started(1)]);
    const lost = new Promise<void>((resolve) => { ledger.onLost(resolve); });
    rmSync(worldtree(), { recursive: true });
    await expect(ledger.append([ran(1, 1)])).rejects.toMatchObject({ refusal: { reason: 'not-owner' } });
    await lost;
    expect(await ledger.isOwner()).toBe(false);
  });
});
