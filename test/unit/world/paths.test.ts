import { describe, expect, it } from 'vitest';
import { filePath, folderPath } from '../../../src/core/ids.ts';
import { baseName, chainTo, displayFolder, fileIn, hasGitComponent, isInside, parentFolder, ROOT } from '../../../src/core/paths.ts';

const folder = (path: string) => folderPath.parse(path);
const file = (path: string) => filePath.parse(path);

describe('what lies in a folder', () => {
  it.each([
    ['packages/api/a.ts', 'packages/api', true],
    ['packages/api/deep/er/a.ts', 'packages/api', true],
    ['packages/api', 'packages/api', true],
    ['packages/api-client/a.ts', 'packages/api', false],
    ['packages/ap', 'packages/api', false],
    ['packages', 'packages/api', false],
    ['Packages/api/a.ts', 'packages/api', false],
    ['a.ts', '', true],
    ['packages/api/ümlaut 日本 "x"\n.ts', 'packages/api', true],
  ])('%j in %j: %s', (path, of, inside) => {
    expect(isInside(file(path), folder(of))).toBe(inside);
  });

  it('the root lies in itself, and in nothing else', () => {
    expect(isInside(ROOT, ROOT)).toBe(true);
    expect(isInside(ROOT, folder('packages'))).toBe(false);
  });
});

describe('parts of a path', () => {
  it('are its folder and its last component', () => {
    expect([parentFolder(file('a/b/c.ts')), baseName(file('a/b/c.ts'))]).toEqual(['a/b', 'c.ts']);
    expect([parentFolder(file('c.ts')), baseName(file('c.ts'))]).toEqual(['', 'c.ts']);
    expect([parentFolder(ROOT), baseName(ROOT)]).toEqual(['', '']);
  });

  it('go together again', () => {
    for (const path of ['c.ts', 'a/c.ts', 'a/b/c.ts']) expect(fileIn(parentFolder(file(path)), baseName(file(path)))).toBe(path);
  });

  it('are shown such that the root has a name too', () => {
    expect([displayFolder(ROOT), displayFolder(folder('a/b'))]).toEqual(['/', 'a/b']);
  });

  it('lead from the root down: the order in which context files are read', () => {
    expect(chainTo(ROOT)).toEqual(['']);
    expect(chainTo(folder('a/b/c'))).toEqual(['', 'a', 'a/b', 'a/b/c']);
  });
});

describe('rule 11: a path with a .git component', () => {
  it.each([
    '.git', '.git/config', 'a/.git', 'a/.git/hooks/pre-commit', '.GIT/config', 'a/.Git', 'a\\.git\\config',
    // What NTFS takes for .git: trailing dots and spaces, streams, the short name.
    '.git.', '.git ', '.git. . /x', '.git::$INDEX_ALLOCATION/config', '.git:stream', 'git~1/config', 'GIT~1', 'git~1::$INDEX_ALLOCATION',
    // What HFS+ takes for .git: characters that it ignores.
    '.g\u200cit', '.git\u200d/config', '\ufeff.git', '.\u202egit',
  ])('%j is one', (path) => {
    expect(hasGitComponent(path)).toBe(true);
  });

  it.each(['.gitignore', '.gitattributes', '.github/workflows/ci.yml', 'git/config', 'a.git/b', '.gitt', 'x.git', 'git~2', 'a/..git', 'docs/.git-notes.md', 'a:b/c', '...', ''])('%j is none', (path) => {
    expect(hasGitComponent(path)).toBe(false);
  });
});
