import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/candidate/candidate.ts';
import { changedPaths, splitScope } from '../../../src/core/candidate/scope.ts';
import type { FilePath, FolderPath } from '../../../src/core/ids.ts';

const folder = 'packages/api' as FolderPath;

describe('splitting a change by scope', () => {
  it('keeps what lies under the folder inside, and a folder with a longer name of the same beginning outside', () => {
    expect(split([changed('packages/api/src/a.ts'), changed('packages/api-client/a.ts')])).toEqual({ inside: ['packages/api/src/a.ts'], companions: [], outside: ['packages/api-client/a.ts'] });
  });

  it('puts everything inside for the root', () => {
    const all = splitScope({ changed: [changed('a'), changed('.github/x.yml')], folder: '' as FolderPath, filesInside: [], rules: [] });
    expect(all.inside).toHaveLength(2);
  });

  it('puts a rename outside when either side is outside', () => {
    expect(split([renamed('packages/api/a.ts', 'packages/web/a.ts'), renamed('lib/b.ts', 'packages/api/b.ts'), renamed('packages/api/c.ts', 'packages/api/d.ts')])).toEqual({
      inside: ['packages/api/d.ts'], companions: [], outside: ['packages/web/a.ts', 'packages/api/b.ts'],
    });
  });

  it('keeps a copy from outside inside, since its source stays as it was', () => {
    expect(split([{ ...renamed('LICENSE', 'packages/api/LICENSE'), kind: 'copied' }]).inside).toEqual(['packages/api/LICENSE']);
  });

  describe('companions', () => {
    it('takes the lock file of the workspace above when the folder has a manifest of its kind', () => {
      expect(split([changed('pnpm-lock.yaml'), changed('Cargo.lock')], ['packages/api/package.json'])).toEqual({ inside: [], companions: ['pnpm-lock.yaml'], outside: ['Cargo.lock'] });
    });

    it('takes it when the manifest is new in the change', () => {
      expect(split([changed('packages/api/go.mod', 'added'), changed('go.work.sum')]).companions).toEqual(['go.work.sum']);
    });

    it('takes no lock file when the folder has no manifest', () => {
      expect(split([changed('package-lock.json')], ['packages/api/index.js']).outside).toEqual(['package-lock.json']);
    });

    it('takes no lock file of a sibling', () => {
      expect(split([changed('packages/web/package-lock.json')], ['packages/api/package.json']).outside).toEqual(['packages/web/package-lock.json']);
    });

    it.each([
      ['removed', { ...changed('yarn.lock', 'deleted'), newMode: null }],
      ['turned into a link', { ...changed('yarn.lock', 'type'), newMode: '120000' }],
      ['added as a link', { ...changed('yarn.lock', 'added'), newMode: '120000' }],
    ])('leaves a lock file that was %s outside', (_, file) => {
      expect(split([file], ['packages/api/package.json']).outside).toEqual(['yarn.lock']);
    });

    it('takes what [[scope]] at the base allows for the folder or one above it, and for no other', () => {
      const rules = [{ path: 'packages' as FolderPath, also: ['docs/api/', 'CHANGELOG.md'] }, { path: 'packages/web' as FolderPath, also: ['secrets/**'] }];
      const files = [changed('docs/api/x/y.md'), changed('docs/other.md'), changed('CHANGELOG.md'), changed('secrets/a'), renamed('packages/api/n.md', 'docs/api/n.md')];
      expect(split(files, [], rules)).toEqual({ inside: [], companions: ['docs/api/x/y.md', 'CHANGELOG.md', 'docs/api/n.md'], outside: ['docs/other.md', 'secrets/a'] });
    });
  });

  it('counts both sides of a rename as changed, and one of anything else', () => {
    expect(changedPaths([renamed('a', 'b'), changed('b'), { ...renamed('c', 'd'), kind: 'copied' }])).toEqual(['a', 'b', 'd']);
  });
});

function split(files: readonly ChangedFile[], filesInside: readonly string[] = [], rules: Parameters<typeof splitScope>[0]['rules'] = []) {
  const { inside, companions, outside } = splitScope({ changed: files, folder, filesInside: filesInside as readonly FilePath[], rules });
  const paths = (list: readonly ChangedFile[]) => list.map((f) => f.path);
  return { inside: paths(inside), companions: paths(companions), outside: paths(outside) };
}

function changed(path: string, kind: ChangedFile['kind'] = 'modified'): ChangedFile {
  return { path: path as FilePath, kind, from: null, oldMode: kind === 'added' ? null : '100644', newMode: kind === 'deleted' ? null : '100644', oldBlob: null, newBlob: null, lines: { added: 1, removed: 0 } };
}

function renamed(from: string, path: string): ChangedFile {
  return { ...changed(path), kind: 'renamed', from: from as FilePath };
}
