import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/candidate/candidate.ts';
import { candidateFlags, linksThatLeave } from '../../../src/core/candidate/flags.ts';
import type { FilePath, FolderPath } from '../../../src/core/ids.ts';

const folder = 'packages/api' as FolderPath;

describe('symlinks of a change', () => {
  it.each([
    ['to a file beside it', 'a.ts', true],
    ['to a dangling name in the folder', 'not/there/yet', true],
    ['up and back into the folder', '../../packages/api/src', true],
    ['to the folder itself', '.', true],
    ['to a sibling folder', '../web/a.ts', false],
    ['to a folder whose name begins with the same letters', '../api-client', false],
    ['to an absolute path', '/etc/passwd', false],
    ['to a drive', 'C:\\Users', false],
    ['out of the repository', '../../../x', false],
    ['out with back slashes', '..\\web', false],
    ['to nothing', '', false],
  ] as const)('%s', (_, target, stays) => {
    const path = 'packages/api/link';
    expect(linksThatLeave([link(path)], folder, new Map([[path as FilePath, target]]))).toEqual(stays ? [] : [path]);
  });

  it('leaves when the way runs through another link that leaves', () => {
    const targets = new Map([['packages/api/dir', '../web'], ['packages/api/link', 'dir/../x']] as [FilePath, string][]);
    // `dir/..` is the folder above what dir points to: packages, not packages/api.
    expect(linksThatLeave([link('packages/api/link')], folder, targets)).toEqual(['packages/api/link']);
  });

  it('leaves when links point at each other in a ring, or when what it points to was not read', () => {
    const ring = new Map([['packages/api/a', 'b'], ['packages/api/b', 'a']] as [FilePath, string][]);
    expect(linksThatLeave([link('packages/api/a')], folder, ring)).toEqual(['packages/api/a']);
    expect(linksThatLeave([link('packages/api/a')], folder, new Map())).toEqual(['packages/api/a']);
  });
});

describe('flags of a candidate', () => {
  it('has none for an ordinary change', () => {
    expect(candidateFlags({ changed: [file('packages/api/a.ts', '100644')], folder, linkTargets: new Map(), nestedRepositories: [], insideSubmodules: [], touchesChecks: [] })).toEqual([]);
  });

  it('names nested repositories, those that git shows as a new submodule among them, each once, and what lies in submodules', () => {
    const input = { changed: [file('packages/api/sub', '160000'), { ...file('vendored', '160000'), oldMode: '160000' }], folder, linkTargets: new Map(), nestedRepositories: ['packages/api/sub', 'packages/api/x'], insideSubmodules: ['vendored/new.c'], touchesChecks: ['genesis.toml' as FilePath] };
    expect(candidateFlags(input)).toEqual([{ kind: 'touches-checks', files: ['genesis.toml'] }, { kind: 'nested-repository', files: ['packages/api/sub', 'packages/api/x'] }, { kind: 'inside-submodule', files: ['vendored/new.c'] }]);
  });
});

function link(path: string): ChangedFile {
  return file(path, '120000');
}

function file(path: string, newMode: string): ChangedFile {
  return { path: path as FilePath, kind: 'added', from: null, oldMode: null, newMode, oldBlob: null, newBlob: null, lines: null };
}
