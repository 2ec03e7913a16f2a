import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { GitDoor } from '../../../src/adapters/git/door/door.ts';
import { createLines } from '../../../src/adapters/git/lines/lines.ts';
import type { AbsolutePath, CommitId, RefName } from '../../../src/core/ids.ts';
import type { MoveStep } from '../../../src/runtime/ports/lines.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { MAIN, filesOf, makeLineWorld, moveLine, moveTo, personsThings, staged, status } from './lineWorld.ts';
import type { LineWorld } from './lineWorld.ts';

/** Cases of shared/cases: D2, D11, D14 to D19, D26, and the traps of git-facts that an accept could fall into. */

const FILES: FileTree = {
  'readme.md': 'project\n',
  'api/a.ts': 'a1\n',
  'api/b.ts': 'b1\n',
  'api/old.ts': 'old\n',
  'web/c.ts': 'c1\n',
  '.gitignore': '.env\nbuild/\n',
};
/** Changes, adds, removes and renames. */
const CHANGE: FileTree = { 'api/a.ts': 'a2\n', 'api/old.ts': null, 'api/new/deep.ts': 'new\n', 'run.sh': { content: 'echo\n', mode: 0o755 } };

let world: LineWorld | undefined;
afterEach(async () => {
  await world?.remove();
  world = undefined;
});

/** A folder that no rename reaches from where the repositories of the tests are; null where this machine has none. */
function otherFileSystem(): string | null {
  const here = makeTemporaryFolder('here');
  const { dev } = statSync(here);
  removeFolder(here);
  return statSync(tmpdir()).dev === dev ? null : tmpdir();
}

function start(files: FileTree = FILES): LineWorld {
  world = makeLineWorld(files);
  return world;
}

describe('given a branch that is checked out, when a change is accepted', () => {
  it('then branch, index and files hold it, and the person\'s next commit keeps it', async () => {
    const w = start();
    const to = w.repository.git('rev-parse', w.commitElsewhere(CHANGE)) as CommitId;
    const things = personsThings(w);
    const steps: MoveStep[] = [];

    const result = await moveLine(w, moveTo(w, to), { onStep: (step) => { steps.push(step); return Promise.resolve(); } });

    expect(result).toEqual({ kind: 'moved' });
    expect(steps).toEqual(['locked', 'looked', 'files-updated', 'ref-updated']);
    expect(w.head()).toBe(to);
    expect(status(w)).toBe('');
    expect(w.repository.git('write-tree')).toBe(w.repository.git('rev-parse', `${to}^{tree}`));
    expect(readFileSync(path.join(w.repository.folder, 'api/new/deep.ts'), 'utf8')).toBe('new\n');
    expect(personsThings(w)).toEqual(things);
    expect(w.repository.git('reflog', '-1', '--format=%gs', 'main')).toBe('worldtree: accept e12');
    expect(w.repository.git('reflog', '-1', '--format=%gs', 'HEAD')).toBe('worldtree: accept e12');

    const next = w.repository.commit('the person goes on', { 'web/c.ts': 'c2\n' });
    expect(w.repository.git('diff', '--name-only', to, next)).toBe('web/c.ts');
  });

  it('then other staged, changed, untracked and ignored files stay as they are (D2)', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    w.repository.write({ 'web/staged.ts': 'staged\n', 'web/c.ts': 'staged and\n' });
    w.repository.git('add', 'web');
    w.repository.write({ 'web/c.ts': 'staged and changed\n', 'untracked.txt': 'mine\n', '.env': 'SECRET=1\n', 'build/out.o': 'built\n', 'api/notes.txt': 'mine too\n' });
    w.repository.git('rm', '--quiet', '--cached', 'readme.md');
    const before = { files: filesOf(w.repository.folder), status: status(w), things: personsThings(w) };

    expect(await moveLine(w, moveTo(w, to))).toEqual({ kind: 'moved' });

    const touched = ['api/a.ts', 'api/old.ts', 'api/new/deep.ts', 'run.sh'];
    const others = (files: Record<string, string>) => Object.fromEntries(Object.entries(files).filter(([name]) => !touched.includes(name)));
    expect(others(filesOf(w.repository.folder))).toEqual(others(before.files));
    expect(status(w)).toBe(before.status);
    expect(personsThings(w)).toEqual(before.things);
    expect(w.repository.git('show', ':web/c.ts')).toBe('staged and');
  });

  it('then a file that was only touched does not count as changed', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    w.repository.write({ 'api/a.ts': 'a1\n' });
    expect(await moveLine(w, moveTo(w, to))).toEqual({ kind: 'moved' });
  });

  it('then hooks and configured automatisms of the repository do nothing (D17)', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    w.repository.git('branch', 'other');
    for (const hook of ['reference-transaction', 'post-checkout', 'post-merge', 'post-index-change']) {
      w.repository.write({ [`.git/hooks/${hook}`]: { content: '#!/bin/sh\necho ran >> ran-a-hook\nexit 1\n', mode: 0o755 } });
    }
    for (const setting of ['merge.autoStash', 'rebase.autoStash', 'pull.rebase', 'merge.ff']) w.repository.git('config', setting, 'true');
    w.repository.git('config', 'core.fsmonitor', 'touch ran-fsmonitor; false');
    w.repository.write({ 'web/c.ts': 'dirty\n' });
    const things = personsThings(w);
    const move = moveTo(w, to);
    const traces = ['ran-a-hook', 'ran-fsmonitor'].map((name) => path.join(w.repository.folder, name));
    // The test's own calls of git may have left them: only the move's count.
    for (const trace of traces) rmSync(trace, { force: true });

    const result = await moveLine(w, move);

    expect(traces.filter((trace) => existsSync(trace))).toEqual([]);
    expect(result).toEqual({ kind: 'moved' });
    expect(personsThings(w)).toEqual(things);
    expect(readFileSync(path.join(w.repository.folder, 'web/c.ts'), 'utf8')).toBe('dirty\n');
  });

  it('then a split index with an untracked cache stays valid', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    w.repository.git('config', 'core.splitIndex', 'true');
    w.repository.git('config', 'core.untrackedCache', 'true');
    w.repository.git('update-index', '--split-index', '--untracked-cache');
    expect(await moveLine(w, moveTo(w, to))).toEqual({ kind: 'moved' });
    expect(status(w)).toBe('');
    expect(w.repository.git('fsck', '--no-dangling')).toBe('');
  });

  it('then a sparse checkout stays sparse', async () => {
    const w = start();
    const to = w.commitElsewhere({ ...CHANGE, 'web/c.ts': 'c2\n', 'web/d.ts': 'd\n' });
    w.repository.git('sparse-checkout', 'set', '--cone', 'api');
    expect(existsSync(path.join(w.repository.folder, 'web/c.ts'))).toBe(false);
    expect(await moveLine(w, moveTo(w, to))).toEqual({ kind: 'moved' });
    expect(existsSync(path.join(w.repository.folder, 'web'))).toBe(false);
    expect(status(w)).toBe('');
    expect(readFileSync(path.join(w.repository.folder, 'api/a.ts'), 'utf8')).toBe('a2\n');
  });

  it('then line endings follow the person\'s config', async () => {
    const w = start();
    w.repository.git('config', 'core.autocrlf', 'true');
    const to = w.commitElsewhere(CHANGE);
    rmSync(path.join(w.repository.folder, 'api/a.ts'));
    w.repository.git('checkout', '--', 'api/a.ts');
    expect(await moveLine(w, moveTo(w, to))).toEqual({ kind: 'moved' });
    expect(readFileSync(path.join(w.repository.folder, 'api/a.ts'), 'utf8')).toBe('a2\r\n');
    expect(status(w)).toBe('');
  });

  it('then a file may become a folder and a folder a file', async () => {
    const w = start({ 'thing': 'file\n', 'box/one.txt': '1\n', 'keep': 'k\n' });
    const to = w.commitElsewhere({ 'thing': null, 'box/one.txt': null });
    const further = w.commitElsewhere({ 'thing/inner.txt': 'in\n', 'box': 'now a file\n' }, to);
    const tree = w.repository.git('rev-parse', `${further}^{tree}`);
    const one = w.repository.git('-c', 'user.name=w', '-c', 'user.email=w', 'commit-tree', tree, '-p', 'HEAD', '-m', 'x') as CommitId;
    expect(await moveLine(w, moveTo(w, one))).toEqual({ kind: 'moved' });
    expect(status(w)).toBe('');
    expect(w.repository.git('write-tree')).toBe(tree);
  });
});

describe('given work in the way, when a change is accepted, then it is refused, named and nothing is changed:', () => {
  async function expectRefusal(w: LineWorld, to: CommitId, reason: string, files?: readonly string[], extras: Parameters<typeof moveLine>[2] = {}): Promise<void> {
    const before = { files: filesOf(w.repository.folder), staged: staged(w), head: w.head(), things: personsThings(w) };
    const result = await moveLine(w, moveTo(w, to), extras);
    expect(result).toMatchObject({ kind: 'refused', refusal: { reason } });
    if (result.kind === 'refused' && files) expect([...(result.refusal.files ?? [])].sort()).toEqual([...files].sort());
    expect({ files: filesOf(w.repository.folder), staged: staged(w), head: w.head(), things: personsThings(w) }).toEqual(before);
  }

  it('every file with uncommitted changes, whether staged or not (D2)', async () => {
    const w = start();
    const to = w.commitElsewhere({ ...CHANGE, 'api/b.ts': 'b2\n' });
    w.repository.write({ 'api/a.ts': 'mine\n', 'api/b.ts': 'mine\n', 'web/c.ts': 'elsewhere\n' });
    w.repository.git('add', 'api/b.ts');
    await expectRefusal(w, to, 'dirty-files', ['api/a.ts', 'api/b.ts']);
  });

  it('a file that the person removed, which must not come back', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    rmSync(path.join(w.repository.folder, 'api/a.ts'));
    await expectRefusal(w, to, 'dirty-files', ['api/a.ts']);
  });

  it('an edit that an assume-unchanged bit hides', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    w.repository.git('update-index', '--assume-unchanged', 'api/a.ts');
    w.repository.write({ 'api/a.ts': 'hidden and precious\n' });
    await expectRefusal(w, to, 'dirty-files', ['api/a.ts']);
  });

  it('an ignored file that the change adds (D16)', async () => {
    const w = start();
    const to = w.commitElsewhere({ '.env': 'SECRET=agent\n' });
    w.repository.write({ '.env': 'SECRET=person\n' });
    await expectRefusal(w, to, 'untracked-files', ['.env']);
  });

  it('an ignored folder, a file or a link where the change needs a folder, a folder with ignored files where it needs a file (D16)', async () => {
    const w = start();
    const to = w.commitElsewhere({ 'build/made.txt': 'x\n', 'tools/one/deep.txt': 'x\n', 'linked/x.txt': 'x\n', 'cache': 'file\n' });
    w.repository.write({ 'build/made.txt': 'ignored\n', 'tools/one': 'a file of mine\n', 'linked': { symlink: 'web' }, 'cache/build/x.o': 'ignored\n' });
    await expectRefusal(w, to, 'untracked-files', ['build/made.txt', 'tools/one', 'linked', 'cache/build/x.o']);
  });

  it('a path that the person has added to the index themselves', async () => {
    const w = start();
    const to = w.commitElsewhere({ 'fresh.ts': 'theirs\n' });
    w.repository.write({ 'fresh.ts': 'mine\n' });
    w.repository.git('add', 'fresh.ts');
    await expectRefusal(w, to, 'dirty-files', ['fresh.ts']);
  });

  it('a file that is open with unsaved edits (D15)', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const unsaved = [path.join(w.repository.folder, 'web/c.ts'), path.join(w.repository.folder, 'api/a.ts')] as AbsolutePath[];
    await expectRefusal(w, to, 'unsaved-files', ['api/a.ts'], { unsaved });
  });

  it('a merge, rebase, cherry-pick, revert or bisect under way (D18)', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    for (const marker of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG', 'rebase-merge/git-rebase-todo', 'rebase-apply/next']) {
      w.repository.write({ [`.git/${marker}`]: `${w.head()}\n` });
      await expectRefusal(w, to, 'operation-in-progress');
      rmSync(path.join(w.repository.folder, '.git', marker.split('/')[0] ?? ''), { recursive: true });
    }
  });

  it('a rebase of the branch that is under way in another worktree', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const move = moveTo(w, to, { checkouts: [] });
    w.repository.git('checkout', '--quiet', '-b', 'side');
    const linked = `${w.repository.folder}-linked`;
    w.repository.git('worktree', 'add', '--quiet', linked, 'main');
    w.repository.git('-C', linked, '-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '--quiet', '-i', '--root');
    expect(await moveLine(w, move)).toMatchObject({ kind: 'refused', refusal: { reason: 'operation-in-progress' } });
    expect(w.repository.git('rev-parse', 'main')).not.toBe(to);
    rmSync(linked, { recursive: true });
  });

  it('a branch that moved since the merge was made', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const move = moveTo(w, to);
    w.repository.commit('meanwhile', { 'web/c.ts': 'c2\n' });
    const before = w.head();
    expect(await moveLine(w, move)).toMatchObject({ kind: 'refused', refusal: { reason: 'branch-moved' } });
    expect(w.head()).toBe(before);
    expect(status(w)).toBe('');
  });

  it('another git that holds the index, and the person\'s lock stays', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    w.repository.write({ '.git/index.lock': '' });
    await expectRefusal(w, to, 'git-failed');
    expect(existsSync(path.join(w.repository.folder, '.git/index.lock'))).toBe(true);
  });

  it.each(['locked', 'looked', 'files-updated'] as const)('the person who cancels at the step "%s"', async (step) => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    w.repository.write({ 'web/staged.ts': 'staged\n' });
    w.repository.git('add', 'web');
    const cancel = new AbortController();
    await expectRefusal(w, to, 'cancelled', undefined, { signal: cancel.signal, onStep: (at) => { if (at === step) cancel.abort(); return Promise.resolve(); } });
    expect(status(w)).toBe('A  web/staged.ts');
  });

  it('a filter that fails half-way: what was written already is taken back', async () => {
    const w = start({ ...FILES, '.gitattributes': '*.big filter=broken\n' });
    const to = w.commitElsewhere({ ...CHANGE, 'z.big': 'large\n' });
    w.repository.git('config', 'filter.broken.smudge', 'false');
    w.repository.git('config', 'filter.broken.required', 'true');
    await expectRefusal(w, to, 'filter-missing');
  });
});

describe('given other places than the opened branch, when a change is accepted', () => {
  it('then a branch that is checked out nowhere moves alone (D19)', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const old = w.head();
    w.repository.git('checkout', '--quiet', '-b', 'other');
    w.repository.write({ 'api/a.ts': 'dirty on other\n' });
    expect(await w.lines.checkoutsOf(MAIN)).toEqual([]);
    expect(await moveLine(w, moveTo(w, to, { old, checkouts: [] }))).toEqual({ kind: 'moved' });
    expect(w.repository.git('rev-parse', 'main')).toBe(to);
    expect(w.repository.git('rev-parse', 'other')).toBe(old);
    expect(status(w)).toBe(' M api/a.ts');
  });

  it('then a linked worktree that has it checked out follows (D26)', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const old = w.head();
    w.repository.git('checkout', '--quiet', '-b', 'other');
    const linked = `${w.repository.folder}-linked with ümlaut`;
    w.repository.git('worktree', 'add', '--quiet', linked, 'main');
    const checkouts = [...await w.lines.checkoutsOf(MAIN)];
    expect(checkouts).toEqual([linked]);
    expect(await moveLine(w, moveTo(w, to, { old, checkouts }))).toEqual({ kind: 'moved' });
    expect(status(w, linked)).toBe('');
    expect(w.repository.git('-C', linked, 'rev-parse', 'HEAD')).toBe(to);
    expect(w.repository.git('-C', linked, 'reflog', '-1', '--format=%gs')).toBe('worldtree: accept e12');
    expect(status(w)).toBe('');
    rmSync(linked, { recursive: true });
  });

  it.skipIf(otherFileSystem() === null)('then one whose git folder lies on another file system follows too (D26)', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const old = w.head();
    w.repository.git('checkout', '--quiet', '-b', 'other');
    const linked = `${w.repository.folder}-linked`;
    w.repository.git('worktree', 'add', '--quiet', linked, 'main');
    const elsewhere = mkdtempSync(path.join(otherFileSystem() ?? '', 'worktrees-'));
    const worktrees = path.join(w.repository.folder, '.git/worktrees');
    try {
      cpSync(worktrees, elsewhere, { recursive: true });
      // Git writes `../..`, which leads elsewhere from there.
      writeFileSync(path.join(elsewhere, path.basename(linked), 'commondir'), `${w.place.commonDir}\n`);
      rmSync(worktrees, { recursive: true });
      symlinkSync(elsewhere, worktrees);
      expect(await moveLine(w, moveTo(w, to, { old, checkouts: [...await w.lines.checkoutsOf(MAIN)] }))).toEqual({ kind: 'moved' });
      expect([status(w, linked), w.repository.git('-C', linked, 'rev-parse', 'HEAD')]).toEqual(['', to]);
      expect(readdirSync(path.join(worktrees, path.basename(linked))).filter((name) => name.startsWith('index'))).toEqual(['index']);
    } finally {
      rmSync(elsewhere, { recursive: true });
      rmSync(linked, { recursive: true });
    }
  });

  it('then one that cannot be reached refuses, rather than hold the reverse later (D26)', async () => {
    const w = start();
    w.repository.git('checkout', '--quiet', '-b', 'other');
    const linked = `${w.repository.folder}-linked`;
    w.repository.git('worktree', 'add', '--quiet', linked, 'main');
    rmSync(linked, { recursive: true });
    await expect(w.lines.checkoutsOf(MAIN)).rejects.toMatchObject({ refusal: { reason: 'checkout-unreachable' } });
  });

  it('then of two checkouts of one branch, either both follow or none', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const linked = `${w.repository.folder}-twice`;
    w.repository.git('worktree', 'add', '--quiet', '--force', linked, 'main');
    const checkouts = [...await w.lines.checkoutsOf(MAIN)];
    expect(checkouts).toHaveLength(2);
    w.repository.write({ [`../${path.basename(linked)}/api/a.ts`]: 'in the way\n' });
    expect(await moveLine(w, moveTo(w, to, { checkouts }))).toMatchObject({ kind: 'refused', refusal: { reason: 'dirty-files' } });
    expect(status(w)).toBe('');
    w.repository.git('-C', linked, 'checkout', '--', 'api/a.ts');
    expect(await moveLine(w, moveTo(w, to, { checkouts }))).toEqual({ kind: 'moved' });
    expect([status(w), status(w, linked)]).toEqual(['', '']);
    rmSync(linked, { recursive: true });
  });

  it('then the opened folder may itself be a linked worktree (A7)', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const linked = `${w.repository.folder}-opened` as AbsolutePath;
    w.repository.git('worktree', 'add', '--quiet', '-b', 'side', linked);
    const lines = createLines(new GitDoor({ checkout: linked, gitDir: w.repository.git('-C', linked, 'rev-parse', '--absolute-git-dir') as AbsolutePath, commonDir: w.place.commonDir }));
    const side = 'refs/heads/side' as RefName;
    expect(await lines.checkoutsOf(side)).toEqual([linked]);
    expect(await lines.checkoutsOf(MAIN)).toEqual([w.repository.folder]);
    const move = moveTo(w, to, { ref: side, target: { kind: 'branch', ref: side }, checkouts: [linked] });
    expect(await lines.move(move, { unsaved: () => Promise.resolve([]), signal: new AbortController().signal })).toEqual({ kind: 'moved' });
    expect([status(w, linked), w.repository.git('rev-parse', 'side'), status(w)]).toEqual(['', to, '']);
    rmSync(linked, { recursive: true });
  });

  it('then the opened folder may be a submodule, whose git folder lies elsewhere (A7)', async () => {
    const w = start();
    const outer = makeLineWorld({ 'outer.txt': 'o\n' });
    try {
      outer.repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', w.repository.folder, 'sub');
      const checkout = path.join(outer.repository.folder, 'sub') as AbsolutePath;
      const gitDir = outer.repository.git('-C', checkout, 'rev-parse', '--absolute-git-dir') as AbsolutePath;
      const to = w.commitElsewhere(CHANGE);
      outer.repository.git('-C', checkout, '-c', 'protocol.file.allow=always', 'fetch', '--quiet', w.repository.folder, to);
      const lines = createLines(new GitDoor({ checkout, gitDir, commonDir: gitDir }));
      expect(await lines.checkoutsOf(MAIN)).toEqual([checkout]);
      expect(await lines.move(moveTo(w, to, { checkouts: [checkout] }), { unsaved: () => Promise.resolve([]), signal: new AbortController().signal })).toEqual({ kind: 'moved' });
      expect(status(outer, checkout)).toBe('');
    } finally {
      await outer.remove();
    }
  });

  it('then a new branch is made, and one that exists is not touched', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const old = w.head();
    const ref = 'refs/heads/agent/work' as RefName;
    const move = moveTo(w, to, { old: null, ref, checkouts: [] });
    expect(await moveLine(w, move)).toEqual({ kind: 'moved' });
    expect(w.repository.git('rev-parse', 'agent/work')).toBe(to);
    expect([w.head(), status(w)]).toEqual([old, '']);
    expect(await moveLine(w, move)).toMatchObject({ kind: 'refused', refusal: { reason: 'branch-moved' } });
  });

  it('then a detached HEAD advances, and a branch that was checked out since does not', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    const old = w.head();
    w.repository.git('checkout', '--quiet', '--detach');
    const move = moveTo(w, to, { ref: 'HEAD', target: { kind: 'detached' }, checkouts: [...await w.lines.checkoutsOf('HEAD')] });
    expect(await moveLine(w, move)).toEqual({ kind: 'moved' });
    expect([w.head(), status(w), w.repository.git('rev-parse', 'main')]).toEqual([to, '', old]);
    w.repository.git('checkout', '--quiet', 'main');
    expect(await moveLine(w, { ...move })).toMatchObject({ kind: 'refused', refusal: { reason: 'branch-moved' } });
    expect(w.head()).toBe(old);
  });

  it('then a checkout that appeared since the accept was prepared refuses', async () => {
    const w = start();
    const to = w.commitElsewhere(CHANGE);
    expect(await moveLine(w, moveTo(w, to, { checkouts: [] }))).toMatchObject({ kind: 'refused', refusal: { reason: 'branch-moved' } });
    expect(status(w)).toBe('');
  });
});
