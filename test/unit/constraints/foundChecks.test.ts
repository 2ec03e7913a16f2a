import { describe, expect, it } from 'vitest';
import { covers } from '../../../src/core/constraints/coverage.ts';
import { constraintTables, foundChecks, type FoundCheck } from '../../../src/core/constraints/foundChecks.ts';
import { parseGenesisToml } from '../../../src/core/constraints/genesisToml.ts';
import type { FilePath } from '../../../src/core/ids.ts';

const npm = (scripts: Readonly<Record<string, string>>): string => JSON.stringify({ scripts });
const MONOREPO = { 'package.json': npm({ test: 'turbo test', lint: 'eslint .', build: 'turbo build' }), 'packages/api/package.json': npm({ test: 'vitest' }), 'packages/web/package.json': npm({ test: 'vitest' }) };

describe('the checks that are found for a change', () => {
  it('are what the nearest manifest declares, then those above it, without builds', () => {
    expect(runs(['packages/api/src/server.ts'], MONOREPO)).toEqual(['cd packages/api && npm test', 'npm test', 'npm run lint']);
  });

  it('are those of each changed folder', () => {
    expect(found(['packages/api/a.ts', 'packages/web/b.ts'], MONOREPO).map(({ check }) => check.name)).toEqual(['npm test in packages/api', 'npm test in packages/web', 'npm test', 'npm run lint']);
  });

  it('bind nothing, and cover the folder that declares them', () => {
    const [api] = found(['packages/api/src/server.ts'], MONOREPO);
    expect(api?.check.required).toBe(false);
    expect(['packages/api/x/y.ts', 'packages/web/b.ts'].map((path) => api && covers(api.check, path as FilePath))).toEqual([true, false]);
  });

  it('are none where no manifest declares any', () => {
    expect(runs(['src/a.c'], { 'README.md': 'Run the tests with make test.\n' })).toEqual([]);
  });

  it('enter a folder whose name needs quotes, and leave out one that a shell would read something into', () => {
    const files = { 'my app/package.json': npm({ test: 'x' }), '-x/package.json': npm({ test: 'x' }), 'a$b/package.json': npm({ test: 'x' }), '[id]/package.json': npm({ test: 'x' }) };
    expect(runs(['my app/a.ts', '-x/a.ts', 'a$b/a.ts'], files)).toEqual(['cd ./-x && npm test', 'cd "my app" && npm test']);
    const [id] = found(['[id]/a.ts'], files);
    expect(id && covers(id.check, '[id]/a.ts' as FilePath)).toBe(true);
  });
});

describe('tables for genesis.toml', () => {
  const checks = found(['packages/api/a.ts', 'my "app"/x.ts'], { ...MONOREPO, 'my "app"/package.json': npm({ test: 'x' }) });

  it('declare required checks that the file is understood to hold, and leave what it held', () => {
    const before = '# ours\n[limits]\nturns = 5\n';
    const after = before + added(before, checks);
    const parsed = parseGenesisToml(after);
    expect(after.startsWith(before)).toBe(true);
    expect(parsed.ok ? parsed.config.constraints : parsed.refusal).toEqual(checks.map(({ check }) => ({ ...check, required: true })));
    expect(parsed.ok ? [parsed.config.limits, parsed.warnings] : null).toEqual([{ turns: 5 }, []]);
  });

  it('begin an empty file without a gap, and stand apart from a last line without an end', () => {
    expect(added('', checks.slice(0, 1))).toMatch(/^\[\[constraint\]\]\nname = "npm test in packages\/api"\n/);
    expect(added('[limits]\nturns = 5', checks.slice(0, 1))).toMatch(/^\n\n\[\[constraint\]\]/);
  });

  it('take another name where theirs is taken, and are not added twice', () => {
    const other = '[[constraint]]\nname = "npm test"\nrun = "jest"\n';
    expect(added(other, checks)).toContain('name = "npm test (2)"');
    expect(added(added('', checks), checks)).toBe('');
  });

  it('are not added to a file that is broken, or that they would break', () => {
    expect(constraintTables('constraint = 5 5', checks)).toMatchObject({ ok: false, refusal: { reason: 'config-broken' } });
    expect(constraintTables('constraint = [{ name = "a", run = "b" }]\n', checks)).toMatchObject({ ok: false, refusal: { reason: 'config-broken' } });
  });
});

function added(existing: string, checks: readonly FoundCheck[]): string {
  const tables = constraintTables(existing, checks);
  if (!tables.ok) throw new Error(tables.refusal.message);
  return tables.text;
}

function found(changed: readonly string[], files: Readonly<Record<string, string>>): FoundCheck[] {
  return foundChecks(changed as readonly FilePath[], { has: (path) => Object.hasOwn(files, path), read: (path) => files[path] ?? null });
}

function runs(changed: readonly string[], files: Readonly<Record<string, string>>): string[] {
  return found(changed, files).map(({ check }) => check.run);
}
