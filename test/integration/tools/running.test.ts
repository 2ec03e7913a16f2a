import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { ToolBench } from './toolBench.ts';

const benches: ToolBench[] = [];
afterAll(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

describe('a command', () => {
  it('runs in the agent\'s folder, and tells output, errors in their place, exit code and time', async () => {
    const bench = given();
    const result = await bench.call('run', { command: 'echo one; echo two >&2; echo three; pwd; exit 3' });
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(/^exit code 3, \d+\.\d s\none\ntwo\nthree\n/);
    expect(result.text).toContain(`${bench.worktree}/packages/api\n`);
    expect((await bench.call('run', { command: 'true', folder: '' })).text).toMatch(/^exit code 0, .* s\n\(no output\)$/);
    expect(bench.asked).toEqual(['echo one; echo two >&2; echo three; pwd; exit 3', 'true']);
  });

  it('does not run unless the person allows it', async () => {
    const bench = given();
    const result = await bench.call('run', { command: 'touch here' }, { mayRun: () => Promise.resolve({ allowed: false, why: 'use npm' }) });
    expect(result).toMatchObject({ ok: false });
    expect(result.text).toMatch(/did not allow it: use npm/);
    expect(bench.changed()).toEqual([]);
  });

  it('does not run when the work is stopped while the person is asked', async () => {
    const bench = given();
    const stop = new AbortController();
    const running = bench.call('run', { command: 'touch here' }, { signal: stop.signal, mayRun: () => new Promise(() => undefined) });
    stop.abort();
    expect((await running).text).toMatch(/was not run: the work was stopped|not finished: the work was stopped/);
    expect(bench.changed()).toEqual([]);
  });

  it('cannot read from a terminal, and sees neither keys nor variables that lead git elsewhere', async () => {
    const bench = given({ inherited: { ...process.env, OPENAI_API_KEY: 'first-key', MY_TOKEN: 'second-key', SSH_AUTH_SOCK: '/agent', AWS_SECRET_ACCESS_KEY: 'third-key', GIT_DIR: '/elsewhere', GIT_INDEX_FILE: '/elsewhere', HTTPS_PROXY: 'http://user:fourth-key@proxy', NODE_OPTIONS: '--require x', VSCODE_PID: '1', LC_TIME: 'C' } });
    const { text } = await bench.call('run', { command: 'cat; env' });
    expect(text).not.toMatch(/(?:first|second|third|fourth)-key|elsewhere|\/agent|NODE_OPTIONS|VSCODE/);
    expect(text).toMatch(/^LC_TIME=C$/m);
    expect(text).toMatch(/^GIT_TERMINAL_PROMPT=0$/m);
  });

  it('that prints without end is cut to its beginning and end', async () => {
    const bench = given();
    const { text } = await bench.call('run', { command: 'echo first; seq 1 300000; echo ü-last' });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
    expect(text).toMatch(/^exit code 0.*\nfirst\n1\n2\n/);
    expect(text).toMatch(/\[… \d+ bytes left out\. .*grep, head or tail.*\]/);
    expect(text.endsWith('300000\nü-last\n')).toBe(true);
  });

  it('comes out as a person would see it: no colours, no overwritten lines', async () => {
    const bench = given();
    expect((await bench.call('run', { command: "printf '\\033[31mred\\033[0m\\n10%%\\r50%%\\r100%%\\r\\n'" })).text).toMatch(/\nred\n100%\n$/);
  });

  it('that takes too long ends with everything that it had started', async () => {
    const bench = given();
    const { text, ok } = await bench.call('run', { command: 'echo begun; (trap "" TERM; sleep 300 & echo $! > child; wait) & sleep 300', timeout_seconds: 1 });
    expect(ok).toBe(false);
    expect(text).toMatch(/^no exit code: stopped after 1 s with everything it had started\..*\nbegun/);
    await expectGone(Number(bench.read('packages/api/child')));
  });

  it('ends at once when the work is stopped', async () => {
    const bench = given();
    const stop = new AbortController();
    const running = bench.call('run', { command: 'echo $$ > pid; exec sleep 300' }, { signal: stop.signal });
    await until(() => existsSync(bench.at('packages/api/pid')) && bench.read('packages/api/pid') !== '');
    const from = performance.now();
    stop.abort();
    expect((await running).text).toMatch(/because the work was stopped/);
    expect(performance.now() - from).toBeLessThan(3000);
    await expectGone(Number(bench.read('packages/api/pid')));
  });

  it('leaves nothing in the background, and does not wait for it', async () => {
    const bench = given();
    const from = performance.now();
    const { text } = await bench.call('run', { command: 'sleep 300 & echo $! > child; echo done' });
    expect(text).toMatch(/^exit code 0, .*\ndone/);
    expect(performance.now() - from).toBeLessThan(30_000);
    await expectGone(Number(bench.read('packages/api/child')));
  });
});

describe('git in a command', () => {
  it('reads', async () => {
    const bench = given();
    await bench.call('run', { command: 'echo more >> a.ts' });
    expect((await bench.call('run', { command: 'git status --short && git diff --stat && git log --oneline -1 && git branch --show-current && git show HEAD:packages/api/a.ts > b.ts' })).ok).toBe(true);
    expect(bench.read('packages/api/b.ts')).toBe('one\n');
  });

  it('that programs ask for a setting is let through, by whichever of its many forms', async () => {
    const bench = given();
    bench.repository.git('config', 'remote.origin.url', 'https://git.example.com/shop');
    const result = await bench.call('run', { command: 'set -e; for form in "--local" "--get" "--local --get" "--type path --get" ""; do sh -c "git config $form remote.origin.url"; done; git --no-pager config --local --list | grep -c remote.origin.url' });
    expect(result.text).toMatch(/^exit code 0/);
    expect(result.text.match(/^https:\/\/git\.example\.com\/shop$/gm)).toHaveLength(5);
    expect((await bench.call('run', { command: 'git config --local remote.origin.url' })).ok).toBe(true);
  });

  it.each([
    'git config --local a.b c', 'git config --unset remote.origin.url', 'git config --add a.b', 'git config edit', 'git config --file .git/config a.b c',
    'git config core.hooksPath /evil list', 'git config core.hooksPath /evil get', 'git config --global core.pager evil list', 'git config -f ../outside.cfg a.b c list', 'git config --unset-a remote.origin.url', 'git config --remove-sec remote.origin', 'git config user.name -- -x', 'git config --type --get a.b c', 'git config unset --get a.b',
  ])('that would change a setting is refused at once and by the guard: %s', async (command) => {
    const bench = given();
    bench.repository.write({ 'new.txt': 'untracked\n' });
    const before = stateOf(bench);
    for (const form of [command, `true && ${command}`]) expect((await bench.call('run', { command: form })).text).toMatch(/git config was not run: git is read-only here/);
    expect(stateOf(bench)).toEqual(before);
  });

  it.each(['git add -A', 'git commit -m x', 'git checkout .', 'git reset --hard', 'git stash', '/usr/bin/git clean -fdx', 'git -c a.b=c push'])('that is told what to do instead, without asking the person: %s', async (command) => {
    const bench = given();
    const result = await bench.call('run', { command });
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(/was not run: git is read-only here/);
    expect(bench.asked).toEqual([]);
  });

  it.each([
    'true && git add -A && git commit -m mine', 'true && git reset --hard HEAD', 'true && git checkout -b mine', 'true && git branch -D other', 'true && git stash', 'true && git config user.name Mallory', 'true && git config --global user.name Mallory', 'git init -q made; cd made; git config --glob user.name Mallory', 'true && git update-ref refs/heads/main HEAD', 'true && git worktree prune', 'true && git clean -fdx', 'true && git init --template=x',
    'git -C "$CHECKOUT" checkout -b mine; false', 'git -C "$CHECKOUT" reset --hard; false', 'git --git-dir="$CHECKOUT/.git" --work-tree="$CHECKOUT" add -A; false', 'git --git-dir "$CHECKOUT/.git" config a.b c; false', 'export GIT_DIR="$CHECKOUT/.git" GIT_WORK_TREE="$CHECKOUT"; git add -A; git commit -m mine; git stash; false', 'cd "$CHECKOUT" && git clean -fdx', 'cd "$CHECKOUT" && git stash -u', "sh -c 'cd \"$CHECKOUT\" && git commit -am mine'",
  ])('that would change the project\'s repository does not: %s', async (command) => {
    const bench = given();
    bench.repository.git('branch', 'other');
    bench.repository.write({ 'packages/api/a.ts': 'the person edits this\n', 'new.txt': 'untracked\n' });
    bench.repository.git('add', 'new.txt');
    const before = stateOf(bench);
    const result = await bench.call('run', { command: command.replaceAll('$CHECKOUT', bench.repository.folder) });
    expect(result.ok).toBe(false);
    expect(result.text).toMatch(/was not run: git is read-only here/);
    expect(stateOf(bench)).toEqual(before);
  });

  it.each([
    'git branch -v -D other', 'git branch -v newone', 'git branch -vv -M other more', 'git branch --format=x newone', 'git branch --merged HEAD -D other', 'git remote -v set-url origin https://evil.example', 'git remote -v remove origin', 'git tag --sort=refname made', 'git tag -l -d made', 'git stash list --output=x', 'git worktree list --expire=now prune', 'git notes show --force', 'git reflog show --expire=now', 'git submodule status --x', 'git bisect log reset', 'git interpret-trailers --in-place --trailer a=b README.md', 'git --shallow-file status branch newone', 'git show --output=made', 'git log --outpu made', 'git grep --op=./evil.sh one', 'git grep -nO./evil.sh one',
  ])('that only begins like one that reads is refused at once and by the guard: %s', async (command) => {
    const bench = given();
    bench.repository.git('branch', 'other');
    bench.repository.write({ 'new.txt': 'untracked\n' });
    const before = stateOf(bench);
    for (const form of [command, `true && ${command}`]) expect((await bench.call('run', { command: form })).text).toMatch(/was not run: git is read-only here/);
    expect(stateOf(bench)).toEqual(before);
  });

  it('that lists is let through, by the options that are known', async () => {
    const bench = given();
    const forms = ['git grep -n ONE || true', 'git log --oneline -SONE -- .', 'git diff --no-index a.ts a.ts', 'git branch', 'git branch -a -vv', 'git branch --format=%(refname) --sort=refname', 'git branch --list main -v', 'git branch --contains HEAD', 'git tag', 'git tag -l "v*" --sort=refname', 'git remote', 'git remote -v', 'git stash list', 'git worktree list --porcelain', 'git reflog show --oneline HEAD', 'git submodule status --recursive', 'git notes list', 'git config --list', 'git config --file .gitmodules --get-regexp path || true', 'git config -l --name-only'];
    for (const form of forms) {
      const command = form.replace(/--format=\S+/, "'$&'");
      expect(await bench.call('run', { command })).toMatchObject({ ok: true });
      expect(await bench.call('run', { command: `true && ${command}` })).toMatchObject({ ok: true });
    }
  });

  it('in a repository that a test makes for itself works', async () => {
    const bench = given();
    const result = await bench.call('run', { command: 'set -e; d=$(mktemp -d); git init -q "$d/r"; cd "$d/r"; echo x > f; git add f; git config core.pager cat; git -c user.name=T -c user.email=t@example.test commit -qm made; git checkout -qb other; git log --oneline; cd /; rm -rf "$d"' });
    expect(result.text).toMatch(/^exit code 0.*\n[0-9a-f]{7} made/);
  });
});

function given(more: { readonly inherited?: NodeJS.ProcessEnv } = {}): ToolBench {
  const files: FileTree = { 'packages/api/a.ts': 'one\n', 'README.md': 'x\n' };
  const bench = new ToolBench(files, 'packages/api', more.inherited === undefined ? {} : { environment: more.inherited });
  benches.push(bench);
  return bench;
}

/** Everything of the person's checkout that a command must not change. */
function stateOf(bench: ToolBench): unknown {
  const { repository } = bench;
  return {
    refs: repository.git('for-each-ref'), head: repository.git('symbolic-ref', 'HEAD'), index: repository.git('ls-files', '--stage'), stash: repository.git('stash', 'list'),
    config: readFileSync(path.join(repository.folder, '.git/config'), 'utf8'), file: readFileSync(path.join(repository.folder, 'packages/api/a.ts'), 'utf8'), untracked: readFileSync(path.join(repository.folder, 'new.txt'), 'utf8'),
    worktree: repository.git('-C', bench.worktree, 'rev-parse', 'HEAD'), personsSettings: existsSync(path.join(bench.home, '.gitconfig')),
  };
}

async function expectGone(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(1);
  await until(() => !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that ended and was not waited for by its new parent counts as gone.
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 20_000; !holds();) {
    if (performance.now() > end) throw new Error('it did not come to hold within 20 s');
    await sleep(20);
  }
}
