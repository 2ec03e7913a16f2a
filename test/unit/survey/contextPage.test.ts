import { describe, expect, it } from 'vitest';
import { survey } from '../../support/surveyOfFiles.ts';

describe('the commands on a page', () => {
  it('are those of the folder, then on one line what only the folder above has', () => {
    const { written } = survey({ 'Makefile': 'test:\n\tgo test ./...\nlint:\n\tx\n', 'go.mod': 'module example.com/x\n', 'x.go': 'package x\n\nfunc Run() {}\n', 'sub/doc.go': '// Package sub does it.\npackage sub\n', 'sub/README.md': '# sub\n\nThe part that does it all.\n' });
    expect(written.get('CONTEXT.md')).toContain('- Test: `go test ./...`, `make test`.\n- Lint: `make lint`.');
    expect(written.get('sub/CONTEXT.md')).toContain('## Notes for agents\n\n- At the root: test `go test ./...` or `make test`, lint `make lint`.\n');
  });
});

describe('what a package installs its dependencies with', () => {
  it('is said where the lock file lies, not again in each package below', () => {
    const { written } = survey({ 'package.json': '{"name":"all","private":true,"workspaces":["a"]}', 'pnpm-lock.yaml': '', 'README.md': '# All\n\nAll is made of one part.\n', 'a/package.json': '{"name":"a"}', 'a/index.js': 'exports.a = 1;' });
    expect(written.get('CONTEXT.md')).toContain('Dependencies are installed with pnpm (`pnpm-lock.yaml`).');
    expect(written.get('a/CONTEXT.md')).not.toContain('Dependencies');
  });

  it('is told of Python too', () => {
    expect(survey({ 'pyproject.toml': '[project]\nname = "x"\ndescription = "Reads things from files"\n', 'uv.lock': '' }).written.get('CONTEXT.md')).toContain('- Dependencies are installed with uv (`uv.lock`).');
  });

  it('is not what it runs on', () => {
    expect(survey({ 'package.json': '{"name":"x","engines":{"yarn":">=1.4","node":">=20"}}', 'index.js': 'exports.a = 1;' }).written.get('CONTEXT.md')).toContain('- Runs on Node.js `>=20` (`engines`).\n- Needs yarn `>=1.4` (`engines`).');
  });
});

describe('the name of a repository', () => {
  it('is that of the package at its root where that is published, be it a workspace', () => {
    const files = { 'src/main.rs': 'fn main() {}', 'README.md': 'Fast search\n-----------\n\nIt searches folders for lines.\n' };
    expect(survey({ ...files, 'Cargo.toml': '[workspace]\nmembers = ["a"]\n[package]\nname = "seek"\n' }).written.get('CONTEXT.md')).toMatch(/^# seek\n/);
    expect(survey({ ...files, 'Cargo.toml': '[workspace]\nmembers = ["a"]\n[package]\nname = "seek"\npublish = false\n' }).written.get('CONTEXT.md')).toMatch(/^# repository\n/);
  });
});

describe('a package that passes on another', () => {
  it('says so for all of it', () => {
    const page = survey({ 'package.json': '{"name":"vue"}', 'src/index.ts': "export * from '@vue/runtime';\nexport * from './own.ts';\n", 'src/own.ts': 'export function own() {}\n' }).written.get('CONTEXT.md');
    expect(page).toContain('- `own` function, `src/own.ts`\n- Re-exported from `@vue/runtime`: all of it.');
  });

  it('is told as a crate by its name', () => {
    const page = survey({ 'Cargo.toml': '[package]\nname = "grep"\n', 'src/lib.rs': '/// Lines.\npub extern crate grep_cli as cli;\npub use bytes;\nmod own;\npub use own::Own;\n', 'src/own.rs': 'pub struct Own;\n' }).written.get('CONTEXT.md');
    expect(page).toContain('- `Own` struct, `src/own.rs`\n- Re-exported from `bytes`: `bytes`.\n- Re-exported from `grep_cli`: `cli`.');
  });

  it('has its own Python modules told beside it', () => {
    const { written } = survey({ 'pyproject.toml': '[project]\nname = "fast"\n', 'fast/__init__.py': 'from starlette import Middleware as Middleware\n', 'fast/cors.py': 'from starlette.cors import CORS as CORS\n', 'fast/stack.py': 'class Stack:\n    "Closes what was opened."\n' });
    expect(written.get('fast/CONTEXT.md')).toContain('- Re-exported from `starlette`: `Middleware`.\n\nModules beside it:\n\n- `cors.py`: `CORS`\n- `stack.py`: `Stack` (Closes what was opened)');
    expect(written.get('CONTEXT.md')).toContain('from `fast/__init__.py`:\n\n- Each is described in [fast](fast/CONTEXT.md).\n\n##');
  });
});

describe('a surface of many names', () => {
  const page = survey({
    'package.json': '{"name":"many"}',
    'index.ts': [...Array.from({ length: 40 }, (_, i) => `export function f${i}() {}`), ...Array.from({ length: 6 }, (_, i) => `export const V_${i} = ${i};`), '/** Of note. */\nexport const NOTED = 1;', 'export const made = ((a) => a) as Made;', 'export default declare(f1);'].join('\n'),
  }).written.get('CONTEXT.md');

  it('names those that have no line of their own', () => {
    expect(page).toMatch(/- `f29` function\n- Also: `f30\(\)`.*`f39\(\)`, `made\(\)`, `NOTED`, `default export`\.\n/);
  });

  it('has values of which nothing is said on one line', () => {
    expect(page).toContain('- Values: `V_0`, `V_1`, `V_2`, `V_3`, `V_4`, `V_5`.');
  });
});

describe('the entry of a package', () => {
  it('is its source before a declaration of types for what is built', () => {
    const page = survey({ 'package.json': '{"name":"x","main":"./x.js","types":"./types.d.ts"}', 'types.d.ts': 'export namespace X {}\n', 'src/index.ts': 'export function run() {}\n' }).written.get('CONTEXT.md');
    expect(page).toContain('from `src/index.ts`:\n\n- `run` function');
  });
});

describe('a folder of built modules', () => {
  it('gets no page for the package.json that only says of which kind they are', () => {
    const { written } = survey({ 'package.json': '{"name":"x"}', 'index.js': 'exports.a = 1;', 'helpers/esm/package.json': '{"type":"module"}', 'helpers/esm/a.js': 'export default function a() {}\n' });
    expect([...written.keys()]).toEqual(['CONTEXT.md']);
  });
});

describe('a routing table', () => {
  it('does not take scripts that are called after tests for tests', () => {
    expect(survey({ 'package.json': '{"name":"x"}', 'index.js': 'exports.a = 1;', 'scripts/smoke-test.js': 'x', '__benchmarks__/a.bench.ts': 'x' }).written.get('CONTEXT.md')).toContain('| `__benchmarks__/` | Benchmarks: `a.bench.ts`. |\n| `scripts/` | `smoke-test.js`. |');
  });

  it('counts no folder that it has nothing to say of', () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`dist-${i}/x.ts`, `export const x = ${i};`]));
    const hidden = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`.tool-${i}/x`, 'x']));
    const page = survey({ 'package.json': '{"name":"x"}', 'index.js': 'exports.a = 1;', ...files, ...hidden }).written.get('CONTEXT.md');
    expect(page).not.toContain('Besides these');
  });
});
