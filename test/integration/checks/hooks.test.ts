import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/adapters/commands/runCommand.ts';
import { openChecks } from '../../../src/adapters/checks/openChecks.ts';
import type { AbsolutePath, CommitId, TreeId } from '../../../src/core/ids.ts';
import type { Checks, HookResult } from '../../../src/runtime/ports/checks.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { makeLineWorld } from '../lines/lineWorld.ts';
import type { LineWorld } from '../lines/lineWorld.ts';

/** Case D7: the repository's own commit hooks, found as git finds them, run on the merged tree in the check worktree. */

let world: LineWorld | undefined;
let root = '';
afterEach(async () => {
  await world?.remove();
  world = undefined;
  removeFolder(root);
});

function start(files: FileTree = { 'a.txt': 'a\n' }): { w: LineWorld; checks: Checks } {
  const w = makeLineWorld(files);
  world = w;
  root = makeTemporaryFolder('hooks');
  return { w, checks: openChecks(w.door, { root: root as AbsolutePath, temperature: 'warm', run: runCommand }) };
}

function script(text: string): { content: string; mode: number } {
  return { content: `#!/bin/sh\n${text}\n`, mode: 0o755 };
}

function runHooks(w: LineWorld, checks: Checks, candidate: CommitId, allowed = true): Promise<HookResult> {
  return checks.runHooks({
    tip: w.head(), tree: w.repository.git('rev-parse', `${candidate}^{tree}`) as TreeId, message: 'Subject\n\nWorldtree-Episode: e12\n', setup: null,
    signal: new AbortController().signal, progress: () => undefined, mayRun: () => Promise.resolve(allowed),
  });
}

describe('given commit hooks of a repository, when a change is about to be accepted', () => {
  it('then without hooks, or with one that is not executable, there is nothing to run', async () => {
    const { w, checks } = start();
    w.repository.write({ '.git/hooks/pre-commit': { content: '#!/bin/sh\nexit 1\n', mode: 0o644 } });
    expect(await checks.hooks()).toEqual([]);
    expect(await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'b\n' }))).toEqual({ kind: 'passed', message: 'Subject\n\nWorldtree-Episode: e12\n' });
  });

  it('then they see the change staged on top of the tip, and nothing of the checkout', async () => {
    const { w, checks } = start();
    w.repository.write({ '.git/hooks/pre-commit': script(`git diff --cached --name-only > ${w.repository.folder}/.git/seen; git rev-parse HEAD >> ${w.repository.folder}/.git/seen; test -f b.txt && grep -q staged b.txt`), 'a.txt': 'dirty\n' });
    expect(await checks.hooks()).toEqual(['pre-commit']);
    expect(await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'staged\n' }))).toMatchObject({ kind: 'passed' });
    expect(readFileSync(path.join(w.repository.folder, '.git/seen'), 'utf8')).toBe(`b.txt\n${w.head()}\n`);
    expect(w.repository.git('status', '--porcelain')).toBe(' M a.txt');
  });

  it('then a failure is shown as what it is, with its output', async () => {
    const { w, checks } = start();
    w.repository.write({ '.git/hooks/pre-commit': script('echo "lint: 3 problems" >&2; exit 1') });
    const result = await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'b\n' }));
    expect(result).toMatchObject({ kind: 'failed', hook: 'pre-commit' });
    if (result.kind === 'failed') expect(result.output).toContain('lint: 3 problems');
  });

  it('then a hook that changes what is staged gives the tree that it made', async () => {
    const { w, checks } = start();
    w.repository.write({ '.git/hooks/pre-commit': script('echo formatted > b.txt; git add b.txt') });
    const result = await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'b\n' }));
    expect(result).toMatchObject({ kind: 'changed-tree', hook: 'pre-commit' });
    if (result.kind === 'changed-tree') expect(w.repository.git('show', `${result.tree}:b.txt`)).toBe('formatted');
  });

  it('then what it does to refs, stash and config stays in a git folder of its own', async () => {
    const { w, checks } = start();
    w.repository.write({ '.git/hooks/pre-commit': script('set -e; echo more >> b.txt; git stash -q; git stash pop -q; git branch made; git config core.fsmonitor false; git add b.txt; git commit -q --no-verify -m mine; git reset -q --soft HEAD~1') });
    const result = await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'b\n' }));
    expect(result).toMatchObject({ kind: 'changed-tree' });
    if (result.kind === 'changed-tree') expect(w.repository.git('show', `${result.tree}:b.txt`)).toBe('b\nmore');
    expect(w.repository.git('for-each-ref', 'refs/heads/made', 'refs/stash')).toBe('');
    expect(w.repository.git('config', '--get', '--default', 'unset', 'core.fsmonitor')).toBe('unset');
  });

  it('then a message that a hook replaced by a link is not read through it', async () => {
    const { w, checks } = start();
    w.repository.write({ '.git/hooks/commit-msg': script('ln -sf /etc/hostname "$1"') });
    expect(await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'b\n' }))).toEqual({ kind: 'failed', hook: 'commit-msg', output: 'It left no message that can be read.' });
  });

  it('then commit-msg may change the message or refuse it', async () => {
    const { w, checks } = start();
    w.repository.write({ '.git/hooks/commit-msg': script('echo "Change-Id: I1" >> "$1"; grep -q Subject "$1"') });
    expect(await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'b\n' }))).toEqual({ kind: 'passed', message: 'Subject\n\nWorldtree-Episode: e12\nChange-Id: I1\n' });
    w.repository.write({ '.git/hooks/commit-msg': script('echo "no ticket"; exit 1') });
    expect(await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'b\n' }))).toMatchObject({ kind: 'failed', hook: 'commit-msg' });
  });

  it('then a relative hooks folder runs in the tip\'s version, not the candidate\'s (rule 5)', async () => {
    const { w, checks } = start({ 'a.txt': 'a\n', '.githooks/pre-commit': script('. ./.githooks/rule; exit 0'), '.githooks/rule': 'echo "rule of the tip"; exit 4\n' });
    w.repository.git('config', 'core.hooksPath', '.githooks');
    expect(await checks.hooks()).toEqual(['pre-commit']);
    const loosened = w.commitElsewhere({ '.githooks/pre-commit': script('exit 0'), '.githooks/rule': null, '.githooks/commit-msg': script(`touch ${w.repository.folder}/trapped`) });
    const result = await runHooks(w, checks, loosened);
    expect(result).toMatchObject({ kind: 'failed', hook: 'pre-commit' });
    if (result.kind === 'failed') expect(result.output).toContain('rule of the tip');
    expect(existsSync(path.join(w.repository.folder, 'trapped'))).toBe(false);
  });

  it('then husky works: its generated folder is ignored and comes from the checkout', async () => {
    const { w, checks } = start({ 'a.txt': 'a\n', '.husky/pre-commit': 'test -f b.txt || exit 1\necho husky ran the tip\n! grep -q bad b.txt\n', '.gitignore': '.husky/_\n' });
    w.repository.write({ '.husky/_/h': 'sh -e "$(dirname "$(dirname "$0")")/$(basename "$0")"\n', '.husky/_/pre-commit': { content: '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n', mode: 0o755 } });
    w.repository.git('config', 'core.hooksPath', '.husky/_');
    expect(await checks.hooks()).toEqual(['pre-commit']);
    expect(await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'good\n' }))).toMatchObject({ kind: 'passed' });
    expect(await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'bad\n', '.husky/pre-commit': 'exit 0\n' }))).toMatchObject({ kind: 'failed', hook: 'pre-commit' });
  });

  it('then a person who does not allow it is told that it did not run', async () => {
    const { w, checks } = start();
    w.repository.write({ '.git/hooks/pre-commit': script(`touch ${w.repository.folder}/ran`) });
    expect(await runHooks(w, checks, w.commitElsewhere({ 'b.txt': 'b\n' }), false)).toMatchObject({ kind: 'failed', hook: 'pre-commit' });
    expect(existsSync(path.join(w.repository.folder, 'ran'))).toBe(false);
  });
});
