import { describe, expect, it } from 'vitest';
import { touchesChecks } from '../../../src/core/constraints/touchesChecks.ts';
import type { FilePath } from '../../../src/core/ids.ts';

describe('a change that touches its own checks', () => {
  it.each(['genesis.toml', '.worktreeinclude', '.vscode/settings.json', 'packages/a/.vscode/tasks.json', '.husky/pre-commit', '.githooks/commit-msg', '.pre-commit-config.yaml', 'lefthook.yml', '.github/workflows/ci.yml'])('is told by %s whatever the checks are', (path) => {
    expect(touched([], [path])).toEqual([path]);
  });

  it.each([
    ['a script that is run', './scripts/check.sh --fast', ['scripts/check.sh'], ['scripts/other.sh', 'src/check.sh']],
    ['a file that a program is given', 'node tools/verify.mjs src', ['tools/verify.mjs'], ['src/a.js']],
    ['tests in a folder that is named', 'pytest tests -q', ['tests/test_a.py', 'conftest.py', 'pyproject.toml'], ['src/tests.py', 'src/a.py']],
    ['tests behind a glob', "mocha 'test/**/*.spec.js'", ['test/a/b.spec.js', '.mocharc.yml'], ['lib/a.js']],
    ['an option with a value', 'vitest run --config=config/ci.config.ts', ['config/ci.config.ts', 'vitest.config.ts'], ['config/other.ts']],
    ['sources of a linter, which it does not own', 'eslint src', ['eslint.config.mjs', 'packages/a/.eslintrc.json'], ['src/a.ts']],
    ['a folder that is changed into', 'cd packages/api && sh ./check.sh > out/log.txt', ['packages/api/check.sh', 'packages/api/out/log.txt'], ['check.sh']],
    ['a quoted command', `bash -lc "cd 'my dir' && python -m pytest unit/test_x.py"`, ['my dir/unit/test_x.py', 'setup.cfg'], ['unit/test_x.py']],
    ['cargo', 'RUSTFLAGS="-D warnings" cargo test --manifest-path core/Cargo.toml', ['core/Cargo.toml', 'crates/x/Cargo.toml', 'crates/x/build.rs', '.cargo/config.toml'], ['test/a.rs', 'src/lib.rs']],
    ['go', 'go test ./...', ['go.mod', 'x/go.mod'], ['main.go', 'main_test.go']],
    ['tox', 'tox -e py312', ['tox.ini'], ['src/a.py']],
    ['make without a Makefile that could be read', 'make -C lib check', ['lib/Makefile'], ['check/a', 'lib/a.c']],
    ['a wrapper', 'npx --yes vitest run', ['vite.config.ts'], ['run/a']],
  ])('by %s', (_, run, yes, no) => {
    expect(touched([run], [...yes, ...no])).toEqual(yes);
  });

  it('follows scripts of package.json through scripts, hooks of scripts and files', () => {
    const files = {
      'package.json': JSON.stringify({ scripts: { pretest: 'node scripts/prepare.js', test: 'npm run unit && run-s check:*', unit: 'vitest run', 'check:types': 'tsc -p config/tsconfig.json', other: 'node scripts/other.js' } }),
    };
    const changed = ['package.json', 'scripts/prepare.js', 'vitest.config.ts', 'config/tsconfig.json', 'scripts/other.js', 'packages/a/package.json', 'src/a.ts'];
    expect(touched(['npm test'], changed, files)).toEqual(changed.slice(0, 4));
  });

  it('counts every package.json where a runner goes through the workspace', () => {
    expect(touched(['pnpm -r test'], ['packages/a/package.json', 'a.ts'])).toEqual(['packages/a/package.json']);
  });

  it('follows a package of its own folder', () => {
    const files = { 'web/package.json': JSON.stringify({ scripts: { test: 'node ./run-tests.mjs' } }) };
    expect(touched(['npm --prefix web test'], ['web/run-tests.mjs', 'run-tests.mjs', 'web/package.json', 'package.json'], files)).toEqual(['web/run-tests.mjs', 'web/package.json']);
  });

  it('follows recipes of a Makefile, over line ends', () => {
    const files = { Makefile: 'check:\n\t@./ci/a.sh \\\n\t  && python3 ci/b.py\n\t$(MAKE) -C sub all\n', 'sub/Makefile': 'all:\n\tsh deep.sh\n' };
    expect(touched(['make check'], ['Makefile', 'ci/a.sh', 'ci/b.py', 'sub/Makefile', 'sub/deep.sh', 'deep.sh'], files)).toEqual(['Makefile', 'ci/a.sh', 'ci/b.py', 'sub/Makefile', 'sub/deep.sh']);
  });

  it('ends where scripts call each other, and where a package.json is broken', () => {
    expect(touched(['npm test'], ['package.json', 'x'], { 'package.json': JSON.stringify({ scripts: { test: 'npm run test' } }) })).toEqual(['package.json']);
    expect(touched(['npm test'], ['package.json', 'x'], { 'package.json': '{' })).toEqual(['package.json']);
  });
});

function touched(runs: readonly string[], changed: readonly string[], files: Readonly<Record<string, string>> = {}): string[] {
  const constraints = runs.map((run, i) => ({ name: String(i), run, paths: ['**'], timeoutMs: 1000, required: true }));
  return touchesChecks(changed as readonly FilePath[], constraints, (path) => files[path] ?? null);
}
