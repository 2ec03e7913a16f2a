import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTranscripts } from '../../../src/adapters/ledger/transcripts.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { absolutePath, callId, type AbsolutePath, type EpisodeId } from '../../../src/core/ids.ts';
import type { Transcripts } from '../../../src/runtime/ports/ledger.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { episode } from './events.ts';

let commonDir: AbsolutePath;

beforeEach(() => { commonDir = absolutePath.parse(makeTemporaryFolder('transcripts')); });
afterEach(() => { removeFolder(commonDir); });

const said = (text: string): TranscriptEntry => ({ type: 'said', at: 1, by: 'person', message: { role: 'user', text } });
const all = async (entries: AsyncIterable<TranscriptEntry>): Promise<TranscriptEntry[]> => {
  const read: TranscriptEntry[] = [];
  for await (const entry of entries) read.push(entry);
  return read;
};
const entriesOf = (transcripts: Transcripts, n = 1): Promise<TranscriptEntry[]> => all(transcripts.read(episode(n)));
const file = (of: EpisodeId): string => path.join(commonDir, 'worldtree', 'transcripts', `${of}.jsonl`);

it('an episode without a transcript reads as an empty one, and nothing is written', async () => {
  expect(await entriesOf(openTranscripts(commonDir))).toEqual([]);
  expect(existsSync(path.join(commonDir, 'worldtree'))).toBe(false);
});

it('entries come back in order from a file of their episode, which begins with a header and is the person’s alone', async () => {
  const transcripts = openTranscripts(commonDir);
  const entries: TranscriptEntry[] = [
    said('Mend the parser\nand its tests \u2028 \ud800'),
    { type: 'replied', at: 2, request: 1, end: 'complete', message: { role: 'assistant', text: '', calls: [{ id: callId.parse('c1'), name: 'read_file', arguments: '{"path":"a"}' }] } },
    { type: 'called', at: 3, call: callId.parse('c1') },
    { type: 'result', at: 4, call: callId.parse('c1'), text: 'line', ok: true, wrote: null, forced: false, reviewed: false },
  ];
  await Promise.all([transcripts.append(episode(1), entries.slice(0, 1)), transcripts.append(episode(1), entries.slice(1)), transcripts.append(episode(2), [said('another')])]);
  expect(await entriesOf(openTranscripts(commonDir))).toEqual(entries);
  expect(await entriesOf(transcripts, 2)).toEqual([said('another')]);
  expect(readFileSync(file(episode(1)), 'utf8').split('\n')[0]).toBe('{"v":1,"kind":"transcript","episode":"e1-k3f9"}');
  expect(statSync(file(episode(1))).mode & 0o777).toBe(0o600);
});

it('a reader gives what came since it last read, and a line that is not whole yet once it is', async () => {
  const transcripts = openTranscripts(commonDir);
  const reader = transcripts.reader(episode(1));
  const more = (): Promise<TranscriptEntry[]> => all(reader.more());
  expect(await more()).toEqual([]);
  await transcripts.append(episode(1), [said('one'), said('zwei ∕ ü')]);
  expect(await more()).toEqual([said('one'), said('zwei ∕ ü')]);
  expect(await more()).toEqual([]);
  const line = JSON.stringify(said('x'.repeat(200_000)));
  appendFileSync(file(episode(1)), line.slice(0, 150_000));
  expect(await more()).toEqual([]);
  appendFileSync(file(episode(1)), `${line.slice(150_000)}\n`);
  await transcripts.append(episode(1), [said('three')]);
  expect(await more()).toEqual([said('x'.repeat(200_000)), said('three')]);
});

it('an entry that is on disk when its append resolves is only ever added to', async () => {
  const transcripts = openTranscripts(commonDir);
  await transcripts.append(episode(1), [said('one')]);
  const before = readFileSync(file(episode(1)), 'utf8');
  await transcripts.append(episode(1), [said('two')]);
  expect(readFileSync(file(episode(1)), 'utf8').startsWith(before)).toBe(true);
  await transcripts.close();
});

it('a line that a crash cut off is left out and stays on disk, and what is appended afterwards is whole', async () => {
  await openTranscripts(commonDir).append(episode(1), [said('one'), said('two'), said('three')]);
  truncateSync(file(episode(1)), statSync(file(episode(1))).size - 8);
  const torn = readFileSync(file(episode(1)), 'utf8');
  expect(await entriesOf(openTranscripts(commonDir))).toEqual([said('one'), said('two')]);
  await openTranscripts(commonDir).append(episode(1), [said('four')]);
  expect(await entriesOf(openTranscripts(commonDir))).toEqual([said('one'), said('two'), said('four')]);
  expect(readFileSync(file(episode(1)), 'utf8').startsWith(`${torn}\n`)).toBe(true);
});

it('entries longer than what is read at a time come back whole, one after the other', async () => {
  const transcripts = openTranscripts(commonDir);
  const entries = Array.from({ length: 20 }, (_, i) => said(`${String(i)} ${'ü'.repeat(i * 9_973)}`));
  await transcripts.append(episode(1), entries);
  expect(await entriesOf(transcripts)).toEqual(entries);
  // Who stops reading in the middle leaves nothing open behind.
  for await (const entry of transcripts.read(episode(1))) if (entry.type === 'said') break;
  expect(await entriesOf(transcripts)).toEqual(entries);
});

it('an entry that does not fit its schema is refused when it is written', async () => {
  const transcripts = openTranscripts(commonDir);
  await expect(transcripts.append(episode(1), [{ ...said('one'), at: Number.NaN }])).rejects.toThrow();
  await expect(transcripts.append('../../escape' as EpisodeId, [said('one')])).rejects.toThrow();
  expect(existsSync(path.join(commonDir, 'worldtree'))).toBe(false);
});

it('a transcript of a newer version is refused with what to do, not read half', async () => {
  await openTranscripts(commonDir).append(episode(1), [said('one')]);
  writeFileSync(file(episode(1)), readFileSync(file(episode(1)), 'utf8').replace('"v":1', '"v":2'));
  await expect(entriesOf(openTranscripts(commonDir))).rejects.toMatchObject({ refusal: { reason: 'ledger-newer', next: expect.stringContaining('Update') as string } });
});

it('a window that was succeeded does not write into its successor’s conversation', async () => {
  const transcripts = openTranscripts(commonDir, { mayWrite: () => Promise.resolve(false) });
  await expect(transcripts.append(episode(1), [said('late')])).rejects.toMatchObject({ refusal: { reason: 'not-owner' } });
  expect(existsSync(file(episode(1)))).toBe(false);
});

it('a transcript that cannot be written is refused with words that name the disk', async () => {
  const file = absolutePath.parse(path.join(commonDir, 'a file'));
  writeFileSync(file, '');
  await expect(openTranscripts(file).append(episode(1), [said('one')])).rejects.toMatchObject({ refusal: { reason: 'disk-failed' } });
});
