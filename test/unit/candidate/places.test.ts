import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/candidate/candidate.ts';
import { partition } from '../../../src/core/candidate/partition.ts';
import { meet, placesOf } from '../../../src/core/candidate/places.ts';
import { filePath } from '../../../src/core/ids.ts';

const file = (path: string, from: string | null = null): ChangedFile => ({
  path: filePath.parse(path), kind: from === null ? 'modified' : 'renamed', from: from === null ? null : filePath.parse(from), oldMode: '100644', newMode: '100644', oldBlob: null, newBlob: null, lines: null,
});
const both = (a: ChangedFile, b: ChangedFile) => [meet(placesOf([a]), placesOf([b])), meet(placesOf([b]), placesOf([a]))];
const many = (folder: string) => Array.from({ length: 20_000 }, (_, i) => file(`${folder}/deep/in/it/${i}.ts`));

describe('two changes', () => {
  it('meet in a file of both, whatever its case, and in either side of a rename', () => {
    expect(both(file('src/a.ts'), file('src/A.ts'))).toEqual([true, true]);
    expect(both(file('src/a.ts'), file('src/b.ts', 'src/a.ts'))).toEqual([true, true]);
  });

  it('meet where one needs a folder and the other a file', () => {
    expect(both(file('src'), file('src/deep/a.ts'))).toEqual([true, true]);
  });

  it('do not meet in a folder that both only need, nor where one name only begins like the other', () => {
    expect(both(file('src/a.ts'), file('src/b.ts'))).toEqual([false, false]);
    expect(both(file('src'), file('srcs/a.ts'))).toEqual([false, false]);
  });

  it('are compared, and one of them is parted, while nobody notices, with 20,000 files each', () => {
    const [ours, theirs] = [many('ours'), many('theirs')];
    const start = performance.now();
    expect(meet(placesOf(ours), placesOf(theirs))).toBe(false);
    expect(partition(ours, ours.slice(0, 10_000).map(({ path }) => path)).rest).toHaveLength(10_000);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
