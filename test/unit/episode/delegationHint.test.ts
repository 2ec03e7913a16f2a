import { describe, expect, it } from 'vitest';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import { folderPath } from '../../../src/core/ids.ts';
import { call, nextIn, OPENING, reply, result } from '../../support/conversations.ts';

const manager = { mayDelegate: true, folder: folderPath.parse('packages'), most: 1_000 };
let ids = 0;

function wrote(file: string, times = 1): TranscriptEntry[] {
  return calls(times, (id) => [reply('', [call(id, 'edit_file', { path: file, old_text: 'a', new_text: 'b' })]), result(id, `Replaced ${id}.`, file)]);
}

function read(file: string, times = 1): TranscriptEntry[] {
  return calls(times, (id) => [reply('', [call(id, 'read_file', { path: file })]), result(id, `1: ${id}`)]);
}

function calls(times: number, one: (id: string) => TranscriptEntry[]): TranscriptEntry[] {
  return Array.from({ length: times }, () => one(`c${String(ids++)}`)).flat();
}

const hintFor = (over: Parameters<typeof nextIn>[0], ...entries: readonly TranscriptEntry[]) => {
  const step = nextIn(over, ...OPENING, ...entries);
  return step.do === 'say' ? step.hint : undefined;
};

describe('an agent that may delegate', () => {
  it('is told of a child folder that it has written to five times, or read from eight times, and no sooner', () => {
    expect(hintFor(manager, ...wrote('packages/api/a.ts', 4))).toBeUndefined();
    expect(hintFor(manager, ...wrote('packages/api/a.ts', 4), ...wrote('packages/api/deep/b.ts'))).toBe('packages/api');
    expect(hintFor(manager, ...read('packages/web/a.ts', 7))).toBeUndefined();
    expect(hintFor(manager, ...read('packages/web/a.ts', 7), ...read('packages/web/b/c.ts'))).toBe('packages/web');
  });

  it('is told nothing of its own files, of those outside, nor of several folders together', () => {
    expect(hintFor(manager, ...wrote('packages/index.ts', 9), ...wrote('docs/a.md', 9), ...read('README.md', 9))).toBeUndefined();
    expect(hintFor(manager, ...wrote('packages/api/a.ts', 4), ...wrote('packages/web/a.ts', 4), ...read('packages/api/a.ts', 7))).toBeUndefined();
  });

  it('is told once for each folder', () => {
    const told: TranscriptEntry = { type: 'said', at: 0, by: 'host', message: { role: 'user', text: 'Hand it on.' }, hint: folderPath.parse('packages/api') };
    const five = wrote('packages/api/a.ts', 5);
    expect(hintFor(manager, ...five, told, ...wrote('packages/api/a.ts', 9))).toBeUndefined();
    expect(hintFor(manager, ...five, told, ...wrote('packages/web/a.ts', 5))).toBe('packages/web');
  });

  it('is not told for calls that failed', () => {
    const failed = calls(9, (id) => [reply('', [call(id, 'read_file', { path: 'packages/api/none.ts' })]), { type: 'result', at: 0, call: call(id).id, text: `No such file (${id}).`, ok: false, wrote: null, forced: false, reviewed: false }]);
    expect(hintFor(manager, ...failed)).toBeUndefined();
  });
});

it('an agent that may not delegate is never told to', () => {
  expect(hintFor({ ...manager, mayDelegate: false }, ...wrote('packages/api/a.ts', 20))).toBeUndefined();
});
