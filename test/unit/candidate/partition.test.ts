import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/candidate/candidate.ts';
import { partition } from '../../../src/core/candidate/partition.ts';
import { filePath } from '../../../src/core/ids.ts';

const file = (path: string, over: Partial<Omit<ChangedFile, 'from'>> & { from?: string } = {}): ChangedFile => ({
  path: filePath.parse(path), kind: 'modified', oldMode: '100644', newMode: '100644', oldBlob: null, newBlob: null, lines: { added: 1, removed: 0 }, ...over, from: over.from === undefined ? null : filePath.parse(over.from),
});
const taking = (files: readonly ChangedFile[], ...picked: string[]) => {
  const { taken, rest } = partition(files, picked.map((path) => filePath.parse(path)));
  return { taken: taken.map((f) => f.path), rest: rest.map((f) => f.path) };
};

describe('taking some files of a change', () => {
  it('leaves the others behind', () => {
    expect(taking([file('a.ts'), file('b.ts'), file('c.ts')], 'b.ts')).toEqual({ taken: ['b.ts'], rest: ['a.ts', 'c.ts'] });
  });

  it('takes both sides of a rename, which are one entry', () => {
    expect(taking([file('new.ts', { kind: 'renamed', from: 'old.ts' }), file('b.ts')], 'new.ts')).toEqual({ taken: ['new.ts'], rest: ['b.ts'] });
  });

  it('takes along what stands in the place that it needs: a file that becomes a folder, a folder that becomes a file', () => {
    expect(taking([file('a', { kind: 'deleted' }), file('a/one.ts', { kind: 'added' }), file('a/two.ts', { kind: 'added' }), file('b.ts')], 'a/one.ts')).toEqual({ taken: ['a', 'a/one.ts', 'a/two.ts'], rest: ['b.ts'] });
    expect(taking([file('old', { kind: 'added' }), file('new/x.ts', { kind: 'renamed', from: 'old/x.ts' }), file('olds')], 'old')).toEqual({ taken: ['old', 'new/x.ts'], rest: ['olds'] });
  });

  it('takes both names of a file that is renamed in case only', () => {
    expect(taking([file('Readme.md', { kind: 'deleted' }), file('README.md', { kind: 'added' }), file('b.ts')], 'README.md')).toEqual({ taken: ['Readme.md', 'README.md'], rest: ['b.ts'] });
  });
});
