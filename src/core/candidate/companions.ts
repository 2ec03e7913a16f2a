import type { FilePath, FolderPath } from '../ids.ts';
import { baseName, isInside, parentFolder } from '../paths.ts';

/** Lock files by the manifest whose dependencies they record. */
const LOCKS: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'],
  'Cargo.toml': ['Cargo.lock'],
  'pyproject.toml': ['poetry.lock', 'uv.lock', 'pdm.lock', 'pixi.lock'],
  'Pipfile': ['Pipfile.lock'],
  'go.mod': ['go.sum', 'go.work.sum'],
  'Gemfile': ['Gemfile.lock'],
  'composer.json': ['composer.lock'],
  'mix.exs': ['mix.lock'],
  'pubspec.yaml': ['pubspec.lock'],
  'deno.json': ['deno.lock'],
  'deno.jsonc': ['deno.lock'],
  'flake.nix': ['flake.lock'],
  'Package.swift': ['Package.resolved'],
};

/** Whether a file declares dependencies that a lock file elsewhere may record. */
export function isManifest(path: FilePath): boolean {
  return Object.hasOwn(LOCKS, baseName(path));
}

/** Whether a file is a lock file of a kind that is known here. */
export function isLockFile(path: FilePath): boolean {
  return Object.values(LOCKS).some((names) => names.includes(baseName(path)));
}

/**
 * Whether `lock` records the dependencies of one of these manifests: it is of the manifest's kind and lies beside it or
 * in a folder above it, where a workspace keeps its one lock file. A lock file of a sibling is not.
 */
export function isLockOf(lock: FilePath, manifests: readonly FilePath[]): boolean {
  return manifests.some((manifest) => (LOCKS[baseName(manifest)] ?? []).includes(baseName(lock)) && isInside(parentFolder(manifest), parentFolder(lock)));
}

/** What `[[scope]]` in genesis.toml lets a delegation at `path`, or below it, change outside of its folder. */
export interface ScopeRule {
  readonly path: FolderPath;
  readonly also: readonly string[];
}
