import { describe, expect, it } from 'vitest';
import { prefixAllows, prefixToRemember } from '../../../src/core/runPermission/commandPrefix.ts';
import { splitCommand } from '../../../src/core/runPermission/simpleCommand.ts';

describe('splitting a command', () => {
  it.each([
    ['npm test', ['npm', 'test']],
    ['  npm\ttest  ', ['npm', 'test']],
    ["grep 'a b' \"c d\" e\\ f", ['grep', 'a b', 'c d', 'e f']],
    ["echo 'it'\\''s' \"a \\\"b\\\" \\n\"", ['echo', "it's", 'a "b" \\n']],
    ["test ''", ['test', '']],
    ['make CC=gcc check', ['make', 'CC=gcc', 'check']],
    ['echo a#b c~d', ['echo', 'a#b', 'c~d']],
    ["grep '$HOME; rm *' x", ['grep', '$HOME; rm *', 'x']],
    ['échö ünïcode 日本', ['échö', 'ünïcode', '日本']],
  ])('%j is one simple command', (command, args) => {
    expect(splitCommand(command)).toEqual({ simple: true, args });
  });

  it.each([
    '', '   ', "''",
    'npm test; rm -rf x', 'npm test && rm x', 'npm test || rm x', 'npm test | tee x', 'npm test & rm x', 'npm test &',
    'npm test > x', 'npm test >> x', 'npm test < x', 'npm test 2>&1', 'cat <<EOF',
    'npm test $(rm x)', 'npm test `rm x`', 'npm test $X', 'npm test "$X"', 'npm test "$(rm x)"', 'npm test "`rm x`"', "npm test $'x'",
    'npm test\nrm x', 'npm test\r\nrm x', 'npm test \\\nrm', "npm 'a\nb'", 'npm "a\nb"', 'npm test\0',
    'X=1 npm test', 'PATH=/evil:$PATH npm test', 'a+=1 npm', '(npm test)', '{ npm test; }', 'npm test {a,b}',
    'ls *.ts', 'ls a?', 'ls [ab]', 'ls ~', 'ls --x=~/y', 'npm test # comment',
    "npm 'test", 'npm "test', 'npm test\\', '! npm test', 'if npm test', 'time npm test', 'while true', '[[ a ]]',
  ])('%j is not', (command) => {
    expect(splitCommand(command)).toMatchObject({ simple: false });
  });
});

describe('what "always" remembers', () => {
  it.each([
    ['npm test', ['npm', 'test']],
    ['npm test -- --run api', ['npm', 'test']],
    ['npm run lint -- --fix', ['npm', 'run', 'lint']],
    ['pnpm lint', ['pnpm', 'lint']],
    ['cargo test --workspace', ['cargo', 'test']],
    ['cargo run', ['cargo', 'run']],
    ['go test ./...', ['go', 'test']],
    ['go run ./cmd/x', ['go', 'run', './cmd/x']],
    ['make check', ['make', 'check']],
    ['make', ['make']],
    ['python -m pytest -x tests', ['python', '-m', 'pytest']],
    ['python3.12 -m pytest', ['python3.12', '-m', 'pytest']],
    ['python scripts/check.py --all', ['python', 'scripts/check.py']],
    ['node --test', ['node', '--test']],
    ['bash scripts/test.sh', ['bash', 'scripts/test.sh']],
    ['./gradlew test', ['./gradlew', 'test']],
    ['pytest tests/unit', ['pytest', 'tests/unit']],
    ['pytest', ['pytest']],
    ['npx vitest run', ['npx', 'vitest', 'run']],
    ['poetry run pytest -x', ['poetry', 'run', 'pytest', '-x']],
    ['bundle exec rspec', ['bundle', 'exec', 'rspec']],
    ['tsc --noEmit', ['tsc', '--noEmit']],
    ['git status --short', ['git', 'status']],
    ['git log -5', ['git', 'log']],
  ])('for %j is %j', (command, prefix) => {
    expect(prefixToRemember(command)).toEqual(prefix);
    expect(prefixAllows(prefix, command)).toBe(true);
  });

  it.each([
    'npm test && npm run lint', 'npm', 'npm run', 'npm install', 'npm install left-pad', 'npm exec vitest', 'npm --prefix x test', 'npm run -s',
    'sh', 'bash', 'bash -c "npm test"', 'bash -lc ls', 'node', 'node -e 1', 'node --import ./x.mjs a.js', 'python', 'python -c 1', 'python -m', 'python -m pip install x', 'python /tmp/x.py', 'python ../x.py', 'python3 -u x.py', 'perl -e 1', 'ruby x/../../y.rb',
    'env', 'env npm test', 'xargs rm', 'sudo npm test', 'npx', 'npx -y vitest', 'npx bash -c ls', 'npx node', 'poetry run python', 'poetry run', 'pnpm exec', 'cargo', 'cargo install x', 'go get x', 'cargo --locked',
    'rm -rf x', '/bin/rm x', 'curl https://example.com', 'find . -delete', 'eval ls', '. ./x.sh', 'ssh host',
    'git commit -m x', 'git -c core.fsmonitor=x status', 'git -C /elsewhere status', 'git log --output=x', 'git grep -Ovi x', 'git branch -D main', 'git',
  ])('for %j is nothing', (command) => {
    expect(prefixToRemember(command)).toBeNull();
  });
});

describe('a remembered prefix', () => {
  it('allows the same command with more after it', () => {
    expect(prefixAllows(['npm', 'run', 'test'], "npm run test -- 'a b'")).toBe(true);
    expect(prefixAllows(['npm', 'run', 'test'], 'npm  run "test"')).toBe(true);
  });

  it.each([
    ['npm run test:ci'], ['npm run'], ['npm run test; rm x'], ['npm run test > x'], ['npm run test $(x)'], ['X=1 npm run test'], ['./npm run test'], ['npm --silent run test'], ['npm run test\nrm x'],
  ])('does not allow %j', (command) => {
    expect(prefixAllows(['npm', 'run', 'test'], command)).toBe(false);
  });

  it.each([[[]], [['bash']], [['node']], [['npx']], [['sudo', 'npm', 'test']], [['env', 'npm']], [['npm']], [['poetry', 'run']], [['git']], [['/usr/bin/python3']]])('that is too broad (%j) is not honoured, wherever it came from', (prefix) => {
    expect(prefixAllows(prefix, [...prefix, 'x'].join(' '))).toBe(false);
  });

  it('for git allows nothing that writes, runs a program or looks elsewhere', () => {
    expect(prefixAllows(['git', 'log'], 'git log --oneline')).toBe(true);
    expect(prefixAllows(['git', 'log'], 'git log --output=x')).toBe(false);
    expect(prefixAllows(['git', 'diff'], 'git diff --ext-diff')).toBe(false);
    expect(prefixAllows(['git', 'branch'], 'git branch')).toBe(true);
    expect(prefixAllows(['git', 'branch'], 'git branch -D main')).toBe(false);
  });
});
