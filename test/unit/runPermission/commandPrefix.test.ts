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
    ['git log main..topic -- src', ['git', 'log']],
    ['git branch -a', ['git', 'branch']],
    ['git stash list', ['git', 'stash', 'list']],
    ['git config --get user.name', ['git', 'config', '--get']],
    ['mise run test', ['mise', 'run', 'test']],
    ['yarn run lint', ['yarn', 'run', 'lint']],
    ['xvfb-run npm test', ['xvfb-run', 'npm', 'test']],
    ['conda run pytest', ['conda', 'run', 'pytest']],
    ['make run', ['make', 'run']],
    ['/usr/bin/time npm test', ['/usr/bin/time', 'npm', 'test']],
    ['vitest run api', ['vitest', 'run']],
    ['dotenv -- npm test', ['dotenv', '--', 'npm', 'test']],
    ['npm t', ['npm', 't']],
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
    'git config user.name', 'git config --list', 'git config --global --get user.name', 'git config --get --global user.name', 'git config --get -f x user.name', 'git config core.hooksPath /evil list', 'git config --unset-a user.name', 'git config user.name -- -x',
    'git branch -v -D feature', 'git branch -v newone', 'git remote -v remove origin', 'git remote show git@host.example:x', 'git interpret-trailers --parse x', 'git grep --op=./evil.sh foo', 'git grep -nO./evil.sh foo', 'git show --textc', 'git log -p --ext-d', 'git diff --outp=x', 'git diff --no-ind a b', 'git cat-file --textc HEAD:a', 'git diff /etc/passwd /dev/null', 'git diff ../a b', 'git blame --contents=/etc/passwd a', 'git ls-remote', 'git help -w log',
    'rustup run nightly cargo test', 'conda run bash', 'conda run -n x pytest', 'doppler run -- npm test', 'yarn node s.js', 'pnpm node s.js', 'yarn workspace a test', 'yarn workspaces foreach run test', 'mise run', 'mise use x', 'nix run', 'nix develop', 'xvfb-run -a npm test', 'xvfb-run npm publish', '/usr/bin/time bash -c ls', '/usr/bin/time npm publish', 'python -m poetry run bash', 'python -m pdb x.py', 'NPX bash', '/usr/bin/npx bash', 'pnpm tsx x.ts', 'xvfb-run git push', 'stdbuf npm test', 'stdbuf rake deploy', 'dotenv npm exec evil', 'dotenv npm test', 'unheard-of npm test', 'unheard-of run test', 'unheard-of exec x', 'cross-env npm test', 'tox run',
    'npm rum lint', 'npm owner ls', 'npm access list', 'npm dist-tag ls', 'npm version patch', 'npm publ', 'npm exe x', 'npm pack', 'pnpm owner ls', 'yarn npm tag', 'cargo owner --list', 'cargo yank x', 'cargo watch -x test', 'uv pip list', 'composer exe x',
    'Sudo ls', 'SUDO ls', 'NODE -e 1', 'Env npm test', 'GIT commit', 'Npm publish',
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

  it.each([[[]], [['bash']], [['node']], [['npx']], [['sudo', 'npm', 'test']], [['env', 'npm']], [['npm']], [['poetry', 'run']], [['git']], [['/usr/bin/python3']], [['git', 'config']], [['xvfb-run', 'npm']], [['/usr/bin/time', 'npm']], [['stdbuf', 'npm']], [['dotenv', 'npm']], [['rustup', 'run']], [['conda', 'run']], [['doppler', 'run']], [['yarn', 'node']], [['yarn', 'workspace']], [['mise', 'run']], [['nix', 'run']], [['npm', 'owner']], [['npm', 'rum']], [['cargo', 'yank']], [['Sudo', 'ls']]])('that is too broad (%j) is not honoured, wherever it came from', (prefix) => {
    expect(prefixAllows(prefix, [...prefix, 'x'].join(' '))).toBe(false);
  });

  it('for git allows nothing that writes, runs a program or looks elsewhere', () => {
    expect(prefixAllows(['git', 'log'], 'git log --oneline')).toBe(true);
    expect(prefixAllows(['git', 'log'], 'git log --output=x')).toBe(false);
    expect(prefixAllows(['git', 'diff'], 'git diff --ext-diff')).toBe(false);
    expect(prefixAllows(['git', 'branch'], 'git branch')).toBe(true);
    expect(prefixAllows(['git', 'branch'], 'git branch -D main')).toBe(false);
    expect(prefixAllows(['git', 'branch'], 'git branch -v -D main')).toBe(false);
    expect(prefixAllows(['xvfb-run', 'git', 'log'], 'xvfb-run git log --output=x')).toBe(false);
    expect(prefixAllows(['git', 'stash', 'list'], 'git stash list --oneline')).toBe(true);
    expect(prefixAllows(['git', 'config', '--get'], 'git config --get user.email')).toBe(true);
    expect(prefixAllows(['git', 'config', '--get'], 'git config --get --file x user.email')).toBe(false);
    expect(prefixAllows(['git', 'config', '--get'], 'git config user.email x')).toBe(false);
  });
});
