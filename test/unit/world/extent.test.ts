import { describe, expect, it } from 'vitest';
import { filePath, folderPath, type FolderPath } from '../../../src/core/ids.ts';
import { EVERYTHING, extentFor, isCheckedOut, type CheckoutSetting } from '../../../src/core/world/extent.ts';

const folders = (...names: readonly string[]): FolderPath[] => names.map((name) => folderPath.parse(name));
const folder = folderPath.parse('packages/api');

function executor(setting: CheckoutSetting, needs: readonly string[] | null, at = folder): ReturnType<typeof extentFor> {
  return extentFor({ setting, role: 'executor', folder: at, needs: needs && folders(...needs) });
}
function surveyor(setting: CheckoutSetting, more: { needs?: readonly string[]; at?: FolderPath } = {}): ReturnType<typeof extentFor> {
  return extentFor({ setting, role: 'surveyor', folder: more.at ?? folder, needs: more.needs === undefined ? null : folders(...more.needs) });
}

describe('what is checked out for who runs commands', () => {
  it('is everything, unless the repository says what is needed', () => {
    expect(executor('auto', null)).toEqual(EVERYTHING);
    expect(executor('auto', ['tools', 'packages/core'])).toEqual({ kind: 'folders', whole: ['packages/api', 'tools', 'packages/core'], above: ['', 'packages'] });
    expect(executor('auto', [])).toEqual({ kind: 'folders', whole: ['packages/api'], above: ['', 'packages'] });
  });

  it('is everything where the machine says so, and its folder with what is needed where the machine says that', () => {
    expect(executor('full', ['tools'])).toEqual(EVERYTHING);
    expect(executor('sparse', null)).toEqual({ kind: 'folders', whole: ['packages/api'], above: ['', 'packages'] });
    expect(executor('sparse', ['tools'])).toEqual({ kind: 'folders', whole: ['packages/api', 'tools'], above: ['', 'packages'] });
  });

  it('is everything for the root, or where the root is needed', () => {
    expect(executor('sparse', null, folderPath.parse(''))).toEqual(EVERYTHING);
    expect(executor('auto', ['tools', ''])).toEqual(EVERYTHING);
  });

  it('names no folder twice that lies in another', () => {
    expect(executor('auto', ['packages', 'packages/api/lib'])).toEqual({ kind: 'folders', whole: ['packages'], above: [''] });
  });
});

describe('what is checked out for who only reads and writes', () => {
  it('is no folder, only what lies directly in the root and above its own', () => {
    expect(surveyor('auto')).toEqual({ kind: 'folders', whole: [], above: ['', 'packages'] });
    expect(surveyor('auto', { at: folderPath.parse('') })).toEqual({ kind: 'folders', whole: [], above: [''] });
    expect(surveyor('sparse', { needs: ['tools'] })).toEqual({ kind: 'folders', whole: [], above: ['', 'packages'] });
  });

  it('is everything where the machine says so', () => {
    expect(surveyor('full')).toEqual(EVERYTHING);
  });
});

describe('whether a path is checked out', () => {
  const of = executor('auto', ['tools']);
  const is = (path: string, kind: 'file' | 'submodule' = 'file'): boolean => isCheckedOut(of, filePath.parse(path), kind);

  it('it is in a folder that is, and directly in one above', () => {
    expect(['packages/api/a.ts', 'packages/api/deep/b.ts', 'tools/t.sh', 'README.md', 'packages/p.json'].filter((path) => !is(path))).toEqual([]);
    expect(['packages/web/w.ts', 'packages/apis/a.ts', 'docs/d.md', 'tool/x'].filter((path) => is(path))).toEqual([]);
  });

  it('files with rules of git are, wherever they lie', () => {
    expect(is('docs/deep/.gitignore') && is('docs/.gitattributes')).toBe(true);
    expect(is('docs/a.gitignore')).toBe(false);
  });

  it('a submodule is a folder: it is where it lies in one that is checked out whole', () => {
    expect([is('tools/module', 'submodule'), is('module', 'submodule')]).toEqual([true, false]);
  });

  it('everything is where everything is checked out', () => {
    expect(isCheckedOut(EVERYTHING, filePath.parse('docs/d.md'))).toBe(true);
  });
});
