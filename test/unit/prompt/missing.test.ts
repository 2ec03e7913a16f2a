import { describe, expect, it } from 'vitest';
import type { FilePath } from '../../../src/core/ids.ts';
import { ROOT } from '../../../src/core/paths.ts';
import { dependenciesNote } from '../../../src/core/prompt/dependenciesNote.ts';
import { programsFor, programsNote } from '../../../src/core/prompt/programs.ts';
import { repositoryFacts, type RepositoryFacts } from '../../../src/core/prompt/repositoryFacts.ts';

type Files = Readonly<Record<string, string>>;
const look = (files: Files) => ({ has: (path: FilePath) => Object.hasOwn(files, path), read: (path: FilePath) => files[path] ?? null });
const programsOf = (files: Files) => programsFor(repositoryFacts('shop', Object.keys(files) as FilePath[], (path) => files[path] ?? null));

const declaring = (run: string): RepositoryFacts => ({ name: 'shop', topLevelFolders: [], languages: [], commands: [{ kind: 'test', run, folder: ROOT, from: 'AGENTS.md' as FilePath, detail: null, declared: true }] });

describe('what an agent is told of programs', () => {
  it('is about those of the declared commands and of the languages', () => {
    expect(programsOf({ 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]\n', 'shop/app.py': '' })).toEqual(['pytest', 'ruff', 'python', 'python3', 'pip']);
    expect(programsOf({ 'package.json': '{"scripts":{"test":"vitest run"}}', 'a.ts': '' })).toEqual(['npm', 'node']);
    expect(programsOf({ 'README.md': '' })).toEqual([]);
  });

  it('leaves out what lies in the repository itself', () => {
    expect(programsOf({ 'scripts/test.sh': '#!/bin/sh\n' })).not.toContainEqual(expect.stringContaining('/'));
  });

  it('says nothing of a line that is more than one simple command, nor of words of the shell itself', () => {
    for (const run of ['cd api && npm test', 'if true; then make; fi', 'CI=1 npm test']) expect(programsFor(declaring(run))).toEqual([]);
    for (const run of ['source .venv/bin/activate', '. ./env.sh', 'export CI=1', 'set -e', 'cd api', 'test -f a', 'command -v npm', 'true', ': nothing']) expect(programsFor(declaring(run))).toEqual([]);
    expect(programsFor(declaring('"my-tool" run'))).toEqual(['my-tool']);
  });

  it('names what is missing and what is there, and nothing where all is there', () => {
    expect(programsNote(['pytest', 'python', 'python3'], new Set(['python3']))).toMatch(/^Not on the path of your commands: pytest, python\. There are: python3\. /);
    expect(programsNote(['go'], new Set())).toMatch(/^Not on the path of your commands: go\. What/);
    expect(programsNote(['go'], new Set(['go']))).toBeNull();
    expect(programsNote([], new Set())).toBeNull();
  });
});

describe('what an agent is told of dependencies', () => {
  const manifest = { 'package.json': '{"devDependencies":{"vitest":"5"}}' };

  it('names the command of the package manager that the project uses', () => {
    expect(dependenciesNote(look(manifest), ['package.json', 'old/node_modules/x.js', 'node_modules.md'] as FilePath[])).toContain('; npm install does it');
    expect(dependenciesNote(look(manifest), [])).toContain('; npm install does it');
    expect(dependenciesNote(look({ ...manifest, 'package-lock.json': '{}' }), [])).toContain('; npm ci does it');
    expect(dependenciesNote(look({ ...manifest, 'pnpm-lock.yaml': '' }), [])).toContain('; pnpm install does it');
  });

  it('is nothing where they were brought in or are committed, or there are none', () => {
    expect(dependenciesNote(look(manifest), ['node_modules/' as FilePath])).toBeNull();
    expect(dependenciesNote(look(manifest), ['node_modules' as FilePath])).toBeNull();
    expect(dependenciesNote(look(manifest), ['a.ts', 'node_modules/vitest/index.js'] as FilePath[])).toBeNull();
    expect(dependenciesNote(look(manifest), ['.pnp.cjs', 'yarn.lock'] as FilePath[])).toBeNull();
    expect(dependenciesNote(look({ 'package.json': '{"name":"shop"}' }), [])).toBeNull();
    expect(dependenciesNote(look({ 'package.json': 'no JSON' }), [])).toBeNull();
    expect(dependenciesNote(look({ 'go.mod': '' }), [])).toBeNull();
  });
});
