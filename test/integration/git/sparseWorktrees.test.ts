import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCandidates } from '../../../src/adapters/git/candidates/candidates.ts';
import { extentFor } from '../../../src/core/world/extent.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { SparseBench } from './sparseBench.ts';
import { commit, episode, folder, isolateGit, openRepository, photograph, preparation } from './support.ts';

const API_ONLY = extentFor({ setting: 'sparse', role: 'executor', folder: folder('packages/api'), needs: null });

let bench: SparseBench;
beforeEach(isolateGit);
afterEach(() => bench.close());

const FILES: FileTree = {
  'README.md': '# Root\n', '.gitignore': '*.log\n',
  'packages/package.json': '{}\n',
  'packages/api/a.ts': 'export const a = 1;\n', 'packages/api/lib/b.ts': 'export const b = 2;\n', 'packages/api/gone.ts': 'needle: gone\n',
  'packages/web/w.ts': 'needle: web\n', 'packages/web/deep/d.ts': 'needle: deep\n', 'packages/web/.gitignore': 'out/\n', 'packages/web/tool.sh': { content: '#!/bin/sh\necho tool\n', mode: 0o755 },
  'tools/t.sh': { content: '#!/bin/sh\n', mode: 0o755 },
  'docs/guide.md': 'needle: guide\n', 'docs/link': { symlink: '../packages/web' }, 'to-docs': { symlink: 'docs/guide.md' },
};
const given = async (options: Parameters<typeof SparseBench.start>[2] = {}, files: FileTree = FILES, at = 'packages/api'): Promise<void> => {
  bench = await SparseBench.start(files, at, options);
};

describe('a sparse worktree', () => {
  it('has its folder, what is needed and what lies directly above on disk, with the rules of git from everywhere', async () => {
    await given({ needs: ['tools', 'packages/gone'] });
    expect(bench.onDisk()).toEqual(['.gitignore', 'README.md', 'packages/api/a.ts', 'packages/api/gone.ts', 'packages/api/lib/b.ts', 'packages/package.json', 'packages/web/.gitignore', 'to-docs', 'tools/t.sh']);
    expect(bench.made.notes).toEqual([
      expect.stringMatching(/^Only these folders are checked out: packages\/api, tools; besides them the files directly in the root, packages\. read_file, list_files and search see the whole repository all the same/),
      `genesis.toml says that a worktree needs packages/gone, which commit ${bench.head.slice(0, 7)} does not have.`,
    ]);
    expect(bench.temporary.git('-C', bench.made.path, 'status', '--porcelain')).toBe('');
    expect(await bench.changes()).toEqual({});
  });

  it('has no folder on disk for who only reads', async () => {
    await given({ role: 'surveyor' }, FILES, '');
    expect(bench.onDisk()).toEqual(['.gitignore', 'README.md', 'packages/web/.gitignore', 'to-docs']);
    expect(bench.made.notes[0]).toMatch(/^No folder is checked out, only the files directly in the root\./);
    expect(bench.made.notes[0]).not.toContain('Commands');
    expect(await bench.changes()).toEqual({});
  });

  it('leaves the person\'s config and own sparse checkout as they were, whatever it is for (A8)', async () => {
    const shoot = (): Record<string, string> => Object.fromEntries(Object.entries(photograph(bench.temporary.folder)).filter(([name]) => !/^\.git\/(worktrees|objects|refs\/worldtree)\//.test(name)));
    let before: Record<string, string> = {};
    await given({ change: (temporary) => {
      temporary.git('sparse-checkout', 'set', '--cone', 'docs');
      before = Object.fromEntries(Object.entries(photograph(temporary.folder)).filter(([name]) => !/^\.git\/(worktrees|objects|refs\/worldtree)\//.test(name)));
    } });
    expect(bench.onDisk()).toContain('packages/api/lib/b.ts');
    expect(bench.onDisk()).not.toContain('docs/guide.md');
    expect((await bench.call('edit_file', { path: 'packages/web/w.ts', old_text: 'web', new_text: 'net', outside: true })).ok).toBe(true);
    const candidate = await bench.candidate();
    await bench.opened.worktrees.reset(bench.made.path, candidate, bench.head);
    expect(shoot()).toEqual(before);
  });

  it('holds folders with odd names, each just as it is', async () => {
    const odd = ['with space', 'ümläut', '漢字', '-dash', '!bang', '#hash', '*', 'a[b]c', 'que?', 'back\\slash', 'trailing '];
    for (const name of odd) {
      await given({}, { 'root.txt': 'r', ...Object.fromEntries(odd.flatMap((o) => [[`in/${o}/x/file`, o], [`in/${o}/own`, o]])) }, `in/${name}/x`);
      expect(bench.onDisk(), name).toEqual([`in/${name}/own`, `in/${name}/x/file`, 'root.txt'].sort());
      expect(await bench.changes(), name).toEqual({});
      if (name !== odd.at(-1)) await bench.close();
    }
  });

  it('holds names that git\'s patterns cannot say', async () => {
    await given({}, { 'new\nline/in/file': 'n', 'new\nline/own': 'o', 'own\nfile': 'f', 'return\r': 'r', 'space ': 's', 'other/file': 'o' }, 'new\nline/in');
    expect(bench.onDisk()).toEqual(['new\nline/in/file', 'new\nline/own', 'own\nfile', 'return\r', 'space ']);
    expect(await bench.changes()).toEqual({});
    bench.write({ 'own\nsecond': 'new' });
    const candidate = await bench.candidate();
    await bench.opened.worktrees.reset(bench.made.path, candidate, bench.head);
    expect(await bench.changes()).toEqual({ 'own\nsecond': 'added' });
  });

  it('is made in a repository with names of 64 digits', async () => {
    await given();
    const sha256 = `${bench.temporary.folder}-sha256`;
    bench.temporary.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main', sha256);
    for (const [file, text] of [['a/x', 'x\n'], ['b/y', 'y\n']] as const) {
      mkdirSync(path.join(sha256, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(sha256, file), text);
    }
    bench.temporary.git('-C', sha256, 'add', '-A');
    bench.temporary.git('-C', sha256, '-c', 'user.name=P', '-c', 'user.email=p@example.test', 'commit', '-qm', 'First');
    const opened = await openRepository(sha256);
    const made = await opened.worktrees.prepare(preparation('e1-abcd', bench.temporary.git('-C', sha256, 'rev-parse', 'HEAD'), { extent: extentFor({ setting: 'sparse', role: 'executor', folder: folder('a'), needs: null }) }));
    expect(Object.keys(photograph(made.path)).filter((name) => name !== '.git')).toEqual(['a/x']);
    await opened.close();
  });

  it('is made around submodules, wherever they lie', async () => {
    const gitlinks = ['module', 'docs/module', 'packages/api/module', 'packages/module'];
    await given({ change: (temporary) => {
      const target = temporary.git('rev-parse', 'HEAD');
      for (const at of gitlinks) temporary.git('update-index', '--add', '--cacheinfo', `160000,${target},${at}`);
      temporary.git('-c', 'user.name=P', '-c', 'user.email=p@example.test', 'commit', '--quiet', '-m', 'Submodules');
    } });
    const withModules = commit(bench.temporary.git('rev-parse', 'HEAD'));
    const made = await bench.opened.worktrees.prepare(preparation('e2-abcd', withModules, { extent: API_ONLY }));
    expect(made.notes).toContain(`Submodules are not checked out here, their folders are empty: ${gitlinks.toSorted().join(', ')}.`);
    expect(await createCandidates(bench.opened.door, bench.opened.repository).snapshot({ worktree: made.path, base: withModules, brought: [], written: [], forced: [] })).toMatchObject({ changed: [], nestedRepositories: [], insideSubmodules: [] });
  });

  it('is made where what is needed is a submodule itself', async () => {
    await given({ change: (temporary) => {
      temporary.git('update-index', '--add', '--cacheinfo', `160000,${temporary.git('rev-parse', 'HEAD')},docs/module`);
      temporary.git('-c', 'user.name=P', '-c', 'user.email=p@example.test', 'commit', '--quiet', '-m', 'Submodule');
    } });
    const extent = extentFor({ setting: 'sparse', role: 'executor', folder: folder('packages/api'), needs: [folder('docs/module')] });
    const made = await bench.opened.worktrees.prepare(preparation('e2-abcd', bench.temporary.git('rev-parse', 'HEAD'), { extent }));
    expect(made.notes).toContain('Submodules are not checked out here, their folders are empty: docs/module.');
    expect(statSync(path.join(made.path, 'docs/module')).isDirectory()).toBe(true);
  });

  it('copies in nothing that the commit has in a place that is not checked out', async () => {
    await given({ change: (temporary) => {
      // The person's branch has gone on: the file is no longer tracked there, and ignored.
      temporary.git('rm', '--quiet', '--cached', 'docs/guide.md');
      temporary.commit('Ignored now', { '.gitignore': '*.log\nguide.md\n.env\n', 'docs/guide.md': 'mine\n', 'packages/web/.env': 'SECRET=1\n' });
    }, more: { setup: { include: 'guide.md\n.env\n', script: null } } });
    expect(bench.made.brought).toEqual(['packages/web/.env']);
    expect(bench.made.notes).toContain('Not copied in, since the commit has a file of that name: docs/guide.md.');
    expect(await bench.changes()).toEqual({});
  });

  it('sets back what setup did to files that are not checked out', async () => {
    await given({ more: { setup: { include: null, script: { run: 'mkdir -p docs && echo other > docs/guide.md && echo made > docs/made.log && echo changed > packages/api/a.ts', timeoutMs: 20_000 } } } });
    expect(existsSync(path.join(bench.made.path, 'docs/guide.md'))).toBe(false);
    expect(bench.read('packages/api/a.ts')).toBe('export const a = 1;\n');
    expect(bench.made.notes.at(-1)).toMatch(/^The setup script changed files of the commit; they were set back: docs\/guide\.md/);
    expect(await bench.changes()).toEqual({});
  });
});

describe('a candidate of a sparse worktree', () => {
  it('has a file that was removed or changed where it was checked out, and nothing of what was not', async () => {
    await given();
    bench.write({ 'packages/api/gone.ts': null, 'packages/api/a.ts': 'changed\n', 'packages/api/new.ts': 'new\n', 'README.md': null });
    expect(await bench.changes()).toEqual({ 'packages/api/gone.ts': 'deleted', 'packages/api/a.ts': 'modified', 'packages/api/new.ts': 'added', 'README.md': 'deleted' });
    expect(bench.temporary.git('ls-tree', '-r', '--name-only', (await bench.snapshot()).tree, 'docs')).toBe('docs/guide.md\ndocs/link');
  });

  it('has what a command wrote where nothing was checked out: over a file, beside one, in place of one or of a folder', async () => {
    await given();
    bench.write({ 'packages/web/w.ts': 'by a command\n', 'packages/web/deep/new.ts': 'new\n', 'packages/web/tool.sh/inside': 'a folder now\n', 'docs': 'a file now\n', 'packages/web/out/built.js': 'ignored\n' });
    expect(await bench.changes()).toEqual({
      'packages/web/w.ts': 'modified', 'packages/web/deep/new.ts': 'added', 'packages/web/tool.sh': 'deleted', 'packages/web/tool.sh/inside': 'added', 'docs': 'added', 'docs/guide.md': 'deleted', 'docs/link': 'deleted',
    });
  });

  it('has a file that an index of the agent\'s hides', async () => {
    await given();
    bench.write({ 'packages/web/w.ts': 'hidden\n', 'packages/api/a.ts': 'hidden\n' });
    bench.temporary.git('-C', bench.made.path, 'update-index', '--skip-worktree', 'packages/web/w.ts', 'packages/api/a.ts');
    expect(await bench.changes()).toEqual({ 'packages/web/w.ts': 'modified', 'packages/api/a.ts': 'modified' });
  });

  it('has the deletion of a file that was brought in before', async () => {
    await given();
    await bench.call('edit_file', { path: 'packages/web/w.ts', old_text: 'web', new_text: 'net', outside: true });
    expect(await bench.changes()).toEqual({ 'packages/web/w.ts': 'modified' });
    bench.write({ 'packages/web/w.ts': null });
    expect(await bench.changes()).toEqual({ 'packages/web/w.ts': 'deleted' });
    expect((await bench.call('read_file', { path: 'packages/web/w.ts' })).ok).toBe(false);
    expect((await bench.call('list_files', { folder: 'packages/web' })).text).not.toContain('w.ts');
  });

  it('is the same in the worktree of the next window, which knows what was brought in', async () => {
    await given();
    await bench.call('write_file', { path: 'docs/guide.md', content: 'written\n', outside: true });
    await bench.opened.worktrees.close();
    const next = await openRepository(bench.temporary.folder, path.dirname(path.dirname(bench.made.path)));
    expect(await next.worktrees.adopt(episode('e1-abcd'), bench.made.path)).toEqual({ kind: 'ready' });
    bench.write({ 'docs/guide.md': null });
    expect(await bench.changes()).toEqual({ 'docs/guide.md': 'deleted' });
    await next.close();
  });

  it('is not made where it is not known any more what was checked out', async () => {
    await given();
    bench.forgetMemory();
    expect(await bench.opened.worktrees.adopt(episode('e1-abcd'), bench.made.path)).toMatchObject({ kind: 'damaged' });
    await expect(bench.snapshot()).rejects.toMatchObject({ refusal: { reason: 'worktree-failed' } });
  });

  it('is kept as the files that are there, when its worktree goes and it is not known any more what was checked out', async () => {
    await given();
    bench.write({ 'packages/api/new.ts': 'new\n' });
    bench.forgetMemory();
    await bench.opened.worktrees.giveBack(episode('e1-abcd'), bench.made.path);
    const kept = bench.temporary.git('ls-tree', '-r', '--name-only', 'refs/worldtree/episodes/e1-abcd/saved').split('\n');
    expect(kept).toContain('packages/api/new.ts');
    expect(bench.temporary.git('rev-list', '--count', 'refs/worldtree/episodes/e1-abcd/saved')).toBe('1');
  });
});

describe('a sparse worktree that is set to a candidate', () => {
  async function changed(): Promise<ReturnType<typeof commit>> {
    await given();
    await bench.call('edit_file', { path: 'packages/web/w.ts', old_text: 'web', new_text: 'net', outside: true });
    await bench.call('edit_file', { path: 'docs/guide.md', old_text: 'guide', new_text: 'way', outside: true });
    bench.write({ 'docs/guide.md': null, 'packages/api/gone.ts': null, 'docs/new.md': 'new\n', 'packages/web/tool.sh': { content: 'other\n', mode: 0o755 } });
    return bench.candidate();
  }
  const CHANGES = { 'packages/web/w.ts': 'modified', 'docs/guide.md': 'deleted', 'docs/new.md': 'added', 'packages/api/gone.ts': 'deleted', 'packages/web/tool.sh': 'modified' };

  it('has its changes on disk in a fresh worktree, and the next candidate has them too', async () => {
    const candidate = await changed();
    await bench.opened.worktrees.giveBack(episode('e1-abcd'), bench.made.path);
    expect(existsSync(bench.made.path)).toBe(false);
    await bench.opened.worktrees.prepare(preparation('e1-abcd', bench.head, { extent: API_ONLY }));
    await bench.opened.worktrees.reset(bench.made.path, candidate, bench.head);
    expect(bench.read('packages/web/w.ts')).toBe('needle: net\n');
    expect(bench.read('docs/new.md')).toBe('new\n');
    expect(statSync(path.join(bench.made.path, 'packages/web/tool.sh')).mode & 0o111).not.toBe(0);
    expect(bench.onDisk()).not.toContain('packages/web/deep/d.ts');
    expect(await bench.changes()).toEqual(CHANGES);
    expect((await bench.call('read_file', { path: 'docs/guide.md' })).ok).toBe(false);
    bench.write({ 'packages/web/w.ts': null });
    expect(await bench.changes()).toEqual({ ...CHANGES, 'packages/web/w.ts': 'deleted' });
  });

  it.each(['full', 'sparse'] as const)('has a folder where a file was, and a file where a folder was, also where everything is checked out: %s', async (setting) => {
    const extent = extentFor({ setting, role: 'executor', folder: folder('packages/api'), needs: null });
    await given({ more: { extent } });
    bench.write({ 'packages/web/w.ts': null });
    bench.write({ docs: null });
    bench.write({ 'packages/web/w.ts/inside': 'in\n', 'packages/api/a.ts': null, 'docs': 'a file\n' });
    bench.write({ 'packages/api/a.ts/inside': 'in\n' });
    const before = await bench.changes();
    const candidate = await bench.candidate();
    await bench.opened.worktrees.giveBack(episode('e1-abcd'), bench.made.path);
    await bench.opened.worktrees.prepare(preparation('e1-abcd', bench.head, { extent }));
    await bench.opened.worktrees.reset(bench.made.path, candidate, bench.head);
    expect(await bench.changes()).toEqual(before);
  });

  it('loses what was written since, also where nothing is checked out', async () => {
    const candidate = await changed();
    bench.write({ 'packages/web/deep/d.ts': 'since\n', 'packages/web/w.ts': 'since\n', 'packages/api/since.ts': 'since\n' });
    await bench.opened.worktrees.reset(bench.made.path, candidate, bench.head);
    expect(bench.onDisk()).not.toContain('packages/web/deep/d.ts');
    expect(await bench.changes()).toEqual(CHANGES);
  });

  it('reads what is not on disk from a candidate that stands on a newer tip', async () => {
    await changed();
    bench.temporary.git('reset', '--quiet', '--hard');
    const tip = commit(bench.temporary.commit('Meanwhile', { 'packages/web/deep/d.ts': 'needle: newer\n' }));
    await bench.opened.worktrees.reset(bench.made.path, tip, tip);
    expect((await bench.call('read_file', { path: 'packages/web/deep/d.ts' })).text).toContain('needle: newer');
    expect(await bench.changes(tip)).toEqual({});
  });
});

describe('what is saved of a sparse worktree before it goes', () => {
  it('is what was changed in it, and not that the rest was deleted', async () => {
    await given();
    await bench.call('edit_file', { path: 'packages/web/w.ts', old_text: 'web', new_text: 'net', outside: true });
    bench.write({ 'docs/new.md': 'new\n', 'packages/api/gone.ts': null, 'packages/web/deep/d.ts': 'by a command\n' });
    await bench.opened.worktrees.giveBack(episode('e1-abcd'), bench.made.path);
    expect(bench.temporary.git('diff-tree', '-r', '--name-status', bench.head, 'refs/worldtree/episodes/e1-abcd/saved').split('\n').sort()).toEqual(['A\tdocs/new.md', 'D\tpackages/api/gone.ts', 'M\tpackages/web/deep/d.ts', 'M\tpackages/web/w.ts']);
  });

  it('is nothing where nothing was changed, also after it was set to a candidate', async () => {
    await given();
    await bench.opened.worktrees.giveBack(episode('e1-abcd'), bench.made.path);
    await bench.opened.worktrees.prepare(preparation('e1-abcd', bench.head, { extent: API_ONLY }));
    await bench.call('edit_file', { path: 'packages/web/w.ts', old_text: 'web', new_text: 'net', outside: true });
    const candidate = await bench.candidate();
    await bench.opened.worktrees.reset(bench.made.path, candidate, bench.head);
    await bench.opened.worktrees.giveBack(episode('e1-abcd'), bench.made.path);
    expect(bench.temporary.git('for-each-ref', '--format=%(refname)', 'refs/worldtree')).toBe('refs/worldtree/episodes/e1-abcd/candidate/1');
  });
});

describe('the tools in a sparse worktree', () => {
  const from = (): string => `from commit ${bench.head.slice(0, 7)}`;

  it('read a file that is not checked out, and say so', async () => {
    await given();
    expect((await bench.call('read_file', { path: 'packages/web/w.ts' })).text).toBe(`packages/web/w.ts, lines 1 to 1 of 1. It is not checked out; this is ${from()}.\n1\tneedle: web`);
    expect((await bench.call('read_file', { path: 'packages/api/a.ts' })).text).toBe('packages/api/a.ts, lines 1 to 1 of 1.\n1\texport const a = 1;');
    expect((await bench.call('read_file', { path: 'docs' })).text).toBe('docs is a folder. Use list_files.');
    expect((await bench.call('read_file', { path: 'docs/guide.txt' })).text).toContain('There is guide.md.');
  });

  it('follow links to what is not checked out, and links that are not themselves', async () => {
    await given();
    expect((await bench.call('read_file', { path: 'to-docs' })).text).toMatch(/^docs\/guide\.md, lines 1 to 1 of 1\. It is not checked out/);
    expect((await bench.call('read_file', { path: 'docs/link/w.ts' })).text).toMatch(/^packages\/web\/w\.ts, lines 1 to 1 of 1\. It is not checked out/);
    expect((await bench.call('edit_file', { path: 'docs/link/w.ts', old_text: 'web', new_text: 'net', outside: true })).text).toContain('leads through a link to packages/web/w.ts');
    expect(await bench.changes()).toEqual({});
  });

  it('list and search as in a worktree with everything', async () => {
    const listed = async (): Promise<string[]> => Promise.all([{ folder: '', depth: 9 }, { folder: '', depth: 2 }, { folder: 'packages/web' }, { folder: 'docs' }].map(async (args) => (await bench.call('list_files', args)).text));
    const found = async (): Promise<string[]> => Promise.all([{ pattern: 'needle' }, { pattern: 'needle', folder: 'docs' }, { pattern: 'needle', glob: '**/w.ts' }, { pattern: 'needle', folder: 'packages/web/w.ts' }].map(async (args) => (await bench.call('search', args)).text));
    await given({ more: { extent: { kind: 'everything' } } });
    const full = [...await listed(), ...await found()];
    await bench.close();
    await given();
    const note = `\nWhat is not checked out is as commit ${bench.head.slice(0, 7)} has it.`;
    const sparse = [...await listed(), ...await found()];
    expect(sparse.map((text) => text.replace(note, ''))).toEqual(full);
    expect(sparse.filter((text) => !text.includes(note))).toEqual([]);
  });

  it('show a file that was removed where it was checked out no more', async () => {
    await given();
    bench.write({ 'packages/api/gone.ts': null, 'packages/api/lib/b.ts': null });
    rmSync(path.join(bench.made.path, 'packages/api/lib'), { recursive: true });
    expect((await bench.call('read_file', { path: 'packages/api/gone.ts' })).ok).toBe(false);
    expect((await bench.call('list_files', { folder: 'packages/api' })).text).toBe('Below packages/api:\npackages/api/a.ts');
    expect((await bench.call('search', { pattern: 'needle: gone' })).text).toMatch(/^No line matches/);
  });

  it('bring a file in as a checkout writes it before they change it: filters, line ends, mode', async () => {
    await given({ change: (temporary) => temporary.git('config', 'filter.shout.smudge', 'tr a-z A-Z') }, {
      'api/a.ts': 'a\n', 'docs/.gitattributes': '*.txt eol=crlf\n*.loud filter=shout\n', 'docs/lines.txt': 'one\ntwo\n', 'docs/x.loud': 'quiet\n', 'docs/run.sh': { content: 'echo 1\n', mode: 0o755 },
    }, 'api');
    for (const [file, old] of [['docs/lines.txt', 'two'], ['docs/x.loud', 'QUIET'], ['docs/run.sh', '1']] as const) expect((await bench.call('edit_file', { path: file, old_text: old, new_text: 'NEW', outside: true })).text, file).toContain('Replaced');
    expect(bench.read('docs/lines.txt')).toBe('one\r\nNEW\r\n');
    expect(bench.read('docs/x.loud')).toBe('NEW\n');
    expect(lstatSync(path.join(bench.made.path, 'docs/run.sh')).mode & 0o111).not.toBe(0);
    const { tree, changed } = await bench.snapshot();
    expect(changed.map((file) => file.kind)).toEqual(['modified', 'modified', 'modified']);
    expect(bench.show(tree, 'docs/lines.txt')).toBe('one\nNEW');
    expect(bench.temporary.git('-C', bench.made.path, 'diff', '--name-only')).toBe('docs/lines.txt\ndocs/run.sh\ndocs/x.loud');
  });

  it('bring in files with odd names', async () => {
    const odd = ['with space', 'ümläut', '-dash', '!bang', '*', 'a[b]', 'new\nline', ':(top)x'];
    await given({}, { 'api/a': 'a\n', ...Object.fromEntries(odd.map((name) => [`other/${name}`, 'old\n'])) }, 'api');
    for (const name of odd) expect((await bench.call('edit_file', { path: `other/${name}`, old_text: 'old', new_text: 'new', outside: true })).ok, name).toBe(true);
    const candidate = await bench.candidate();
    await bench.opened.worktrees.reset(bench.made.path, candidate, bench.head);
    expect(Object.keys(await bench.changes()).sort()).toEqual(odd.map((name) => `other/${name}`).sort());
  });

  it('know of a file that a killed window or a command left where nothing was checked out that it is there, once they wrote it', async () => {
    await given();
    bench.write({ 'packages/web/w.ts': 'needle: web\n' });
    await bench.call('edit_file', { path: 'packages/web/w.ts', old_text: 'web', new_text: 'net', outside: true });
    bench.write({ 'packages/web/w.ts': null });
    expect(await bench.changes()).toEqual({ 'packages/web/w.ts': 'deleted' });
  });

  it('show nothing of a folder that is not checked out once a file stands in its place', async () => {
    await given();
    bench.write({ 'packages/web': null });
    bench.write({ 'packages/web': 'a file now\n' });
    expect((await bench.call('read_file', { path: 'packages/web/w.ts' })).text).toMatch(/^packages\/web\/w\.ts cannot be read/);
    expect((await bench.call('list_files', { folder: 'packages/web/deep' })).text).toMatch(/^packages\/web\/deep cannot be listed/);
    expect((await bench.call('search', { pattern: 'needle', folder: 'packages/web/deep' })).text).toMatch(/^packages\/web\/deep cannot be searched/);
  });

  it('replace a whole file that is not checked out with its mode kept, and refuse what could not be in a full one either', async () => {
    await given();
    expect((await bench.call('write_file', { path: 'packages/web/tool.sh', content: 'new\n', outside: true })).text).toContain('packages/web/tool.sh: replaced, 1 line.');
    expect((await bench.call('write_file', { path: 'packages/web/w.ts/below', content: 'x', outside: true })).text).toBe('packages/web/w.ts/below was not written: a part of its path is a file, not a folder.');
    expect((await bench.call('write_file', { path: 'docs', content: 'x', outside: true })).text).toBe('docs was not written: it is a folder.');
    expect((await bench.call('edit_file', { path: 'packages/web/deep/d.ts', old_text: 'x', new_text: 'y' })).text).toContain('outside your folder');
    const { changed } = await bench.snapshot();
    expect(changed.map((file) => [file.path, file.oldMode, file.newMode])).toEqual([['packages/web/tool.sh', '100755', '100755']]);
  });

  it('say of an ignored file in a folder that is not checked out what they say in a full one', async () => {
    await given();
    expect((await bench.call('write_file', { path: 'packages/web/out/x.js', content: 'x', outside: true })).text).toContain('It matches the rule "out/" of packages/web/.gitignore');
    expect(await bench.changes()).toEqual({});
  });

  it('do not write through a link that a command put in the place of a folder', async () => {
    await given();
    mkdirSync(path.join(bench.temporary.folder, '../elsewhere'));
    symlinkSync(path.join(bench.temporary.folder, '../elsewhere'), path.join(bench.made.path, 'docs'));
    expect((await bench.call('edit_file', { path: 'docs/guide.md', old_text: 'guide', new_text: 'way', outside: true })).ok).toBe(false);
    expect(existsSync(path.join(bench.temporary.folder, '../elsewhere/guide.md'))).toBe(false);
    expect(readFileSync(path.join(bench.temporary.folder, 'docs/guide.md'), 'utf8')).toBe('needle: guide\n');
  });
});
