import { describe, expect, it } from 'vitest';
import type { FilePath, FolderPath } from '../../../src/core/ids.ts';
import { commandsOf, packageManager } from '../../../src/core/survey/commands.ts';

describe('the commands of a folder', () => {
  it('are the scripts of its package.json, run by the manager of the nearest lock file', () => {
    const scripts = { test: 'vitest', lint: 'eslint .', typecheck: 'tsc', build: 'tsup', dev: 'vite', 'format:check': 'prettier -c .' };
    const files = { 'pnpm-lock.yaml': '', 'a/package.json': JSON.stringify({ scripts }) };
    expect(runs('a', files)).toEqual(['test: pnpm test', 'lint: pnpm run lint', 'types: pnpm run typecheck', 'format: pnpm run format:check', 'build: pnpm run build']);
    expect(runs('a', { ...files, 'a/yarn.lock': '' })[1]).toBe('lint: yarn lint');
  });

  it('are not the placeholder that npm writes', () => {
    expect(runs('', { 'package.json': JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) })).toEqual([]);
  });

  it('are variants of test where there is no plain one', () => {
    expect(runs('', { 'package.json': JSON.stringify({ scripts: { 'test:unit': 'a', 'test:e2e': 'b', 'test:watch': 'c' } }) })).toEqual(['test: npm run test:unit', 'test: npm run test:e2e']);
  });

  it('are what a crate, a module and a makefile declare', () => {
    expect(runs('', { 'Cargo.toml': '[workspace]\nmembers = []\n[package]\nname = "x"\n[lints.clippy]\nall = "warn"', 'rustfmt.toml': '' })).toEqual(['test: cargo test --workspace', 'lint: cargo clippy', 'format: cargo fmt --check']);
    expect(runs('', { 'go.mod': 'module x', '.golangci.yml': '' })).toEqual(['test: go test ./...', 'lint: golangci-lint run']);
    expect(runs('', { Makefile: 'VAR := x\n.PHONY: check\ncheck: build\n\tgo test\nlint:\n\tx\ntestdata: y\n' })).toEqual(['test: make check', 'lint: make lint']);
  });

  it('are not said twice, where one only starts the other', () => {
    expect(runs('', { 'package.json': JSON.stringify({ scripts: { test: 'make test', lint: 'eslint . && make lint' } }), Makefile: 'test:\n\tx\nlint:\n\tx\nbuild:\n\tx\n' })).toEqual(['test: npm test', 'lint: npm run lint', 'build: make build']);
  });

  it('are scripts in their customary place where nothing else declares them', () => {
    const scripts = { 'scripts/test.sh': '', 'scripts/lint.sh': '', 'script/format': '' };
    expect(runs('', { ...scripts, 'pyproject.toml': '[tool.pytest.ini_options]\nx = 1\n[tool.ty.src]\n[tool.black]\n' })).toEqual(['test: bash scripts/test.sh', 'test: pytest', 'lint: bash scripts/lint.sh', 'types: ty check', 'format: script/format', 'format: black --check .']);
    expect(runs('', { ...scripts, 'package.json': '{"scripts":{"test":"vitest"}}' })).toEqual(['test: npm test', 'lint: bash scripts/lint.sh', 'format: script/format']);
  });

  it('say of a program that is only configured that it is', () => {
    const commands = commandsOf('' as FolderPath, look({ 'pyproject.toml': '[tool.pytest.ini_options]\nx = 1\n[tool.ruff]\n', 'tox.ini': '[tox]\n' }));
    expect(commands.map((c) => [c.run, c.declared])).toEqual([['pytest', false], ['tox', true], ['ruff check', false]]);
  });

  it('are none where a manifest is broken', () => {
    expect(runs('', { 'package.json': '{', 'Cargo.toml': '[', 'pyproject.toml': '=' })).toEqual([]);
  });
});

describe('the package manager', () => {
  it('is the declared one before any lock file', () => {
    expect(packageManager('a/b' as FolderPath, look({ 'package.json': '{"packageManager":"bun@1.1.0"}', 'yarn.lock': '' }))).toBe('bun');
    expect(packageManager('' as FolderPath, look({}))).toBe('npm');
  });
});

function runs(folder: string, files: Readonly<Record<string, string>>): string[] {
  return commandsOf(folder as FolderPath, look(files)).map((c) => `${c.kind}: ${c.run}`);
}

function look(files: Readonly<Record<string, string>>) {
  return { has: (path: FilePath) => Object.hasOwn(files, path), read: (path: FilePath) => files[path] ?? null };
}
