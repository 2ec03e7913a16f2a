import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { keepCheckoutIndex } from '../../../src/adapters/git/candidates/warmIndex.ts';
import type { AbsolutePath, FilePath, RefName, TreeId } from '../../../src/core/ids.ts';
import type { Snapshot } from '../../../src/runtime/ports/candidates.ts';
import type { FileTree } from '../../support/temporaryRepository.ts';
import { makeLineWorld } from '../lines/lineWorld.ts';
import type { LineWorld } from '../lines/lineWorld.ts';

/** Cases of shared/cases: A14, B3, B5, B6, B7, B9 to B12, D1, D8 to D10, and the traps of git-facts about snapshots. */

const FILES: FileTree = {
  'package-lock.json': '{}\n',
  'packages/api/package.json': '{"name":"api"}\n',
  'packages/api/a.ts': 'const a = 1;\nconst b = 2;\nconst c = 3;\n',
  'packages/api/tool.sh': { content: '#!/bin/sh\n', mode: 0o644 },
  'packages/api/picture.bin': Buffer.from([0, 1, 2, 3]),
  'packages/web/w.ts': 'web\n',
  'link': { symlink: 'packages/web' },
  '.gitignore': 'node_modules/\n.env\n*.log\n',
};

let world: LineWorld | undefined;
let worktree = '' as AbsolutePath;
afterEach(async () => {
  rmSync(worktree, { recursive: true, force: true });
  await world?.remove();
  world = undefined;
});

function start(files: FileTree = FILES, folder?: string): LineWorld {
  world = makeLineWorld(files);
  worktree = (folder ?? `${world.repository.folder}-agent`) as AbsolutePath;
  world.repository.git('worktree', 'add', '--quiet', '--detach', worktree);
  return world;
}

/** What an agent does: writes into its worktree, by tools or by commands. */
function write(files: FileTree): void {
  world?.repository.write(Object.fromEntries(Object.entries(files).map(([name, spec]) => [path.join(path.relative(world?.repository.folder ?? '', worktree), name), spec])));
}

function take(more: { brought?: string[]; written?: string[]; forced?: string[] } = {}): Promise<Snapshot> {
  if (!world) throw new Error('no world');
  return world.candidates.snapshot({ worktree, base: world.head(), brought: (more.brought ?? []) as FilePath[], written: (more.written ?? []) as FilePath[], forced: (more.forced ?? []) as FilePath[] });
}

function paths(snapshot: Snapshot): string[] {
  return snapshot.changed.map((file) => (file.from === null ? file.path : `${file.from} -> ${file.path}`)).sort();
}

function show(w: LineWorld, tree: TreeId, file: string): string {
  return w.repository.git('show', `${tree}:${file}`);
}

describe('given a worktree, when a snapshot is taken', () => {
  it('then an untouched one gives the base\'s own tree', async () => {
    const w = start();
    const snapshot = await take();
    expect(snapshot).toEqual({ tree: w.repository.git('rev-parse', 'HEAD^{tree}'), changed: [], ignored: [], nestedRepositories: [], insideSubmodules: [] });
  });

  it('then every kind of change is listed as what it is (D1)', async () => {
    const w = start();
    renameSync(path.join(worktree, 'packages/api/a.ts'), path.join(worktree, 'packages/api/renamed.ts'));
    unlinkSync(path.join(worktree, 'link'));
    write({ 'packages/api/tool.sh': { content: '#!/bin/sh\n', mode: 0o755 }, 'packages/api/picture.bin': Buffer.from([0, 9, 9]), 'empty': '', 'packages/web/w.ts': null, 'link': 'now a file\n' });
    const snapshot = await take();
    const kinds = Object.fromEntries(snapshot.changed.map((file) => [file.path, file.kind]));
    expect(kinds).toEqual({ 'packages/api/renamed.ts': 'renamed', 'packages/api/tool.sh': 'mode', 'packages/api/picture.bin': 'modified', 'empty': 'added', 'packages/web/w.ts': 'deleted', 'link': 'type' });
    expect(snapshot.changed.find((file) => file.path === 'packages/api/picture.bin')?.lines).toBeNull();
    expect(w.repository.git('status', '--porcelain')).toBe('');
  });

  it('then a link that leaves its folder shows as a link, and what it leads to stays out (B3)', async () => {
    start();
    symlinkSync('../../../outside', path.join(worktree, 'packages/api/leaves'));
    symlinkSync('/etc', path.join(worktree, 'packages/api/absolute'));
    const snapshot = await take();
    expect(snapshot.changed.map((file) => [file.path, file.newMode])).toEqual([['packages/api/absolute', '120000'], ['packages/api/leaves', '120000']]);
  });

  it('then changes anywhere in the worktree count, both sides of a rename too (B5, B6, B7, B12)', async () => {
    start();
    renameSync(path.join(worktree, 'packages/api/a.ts'), path.join(worktree, 'packages/web/a.ts'));
    write({ '.vscode/settings.json': '{"a":1}\n', 'genesis.toml': '[limits]\n', 'package-lock.json': '{}\n\n' });
    expect(paths(await take())).toEqual(['.vscode/settings.json', 'genesis.toml', 'package-lock.json', 'packages/api/a.ts -> packages/web/a.ts']);
  });

  it('then bits that an agent set in the worktree\'s index hide nothing', async () => {
    const w = start();
    await keepCheckoutIndex(w.place.commonDir, worktree, w.head());
    w.repository.git('-C', worktree, 'update-index', '--skip-worktree', 'packages/web/w.ts');
    w.repository.git('-C', worktree, 'update-index', '--assume-unchanged', 'package-lock.json');
    write({ 'packages/web/w.ts': 'hidden\n', 'package-lock.json': 'hidden\n' });
    expect(paths(await take())).toEqual(['package-lock.json', 'packages/web/w.ts']);
    // And again, from the index that the first one kept.
    write({ 'packages/web/w.ts': 'web\n' });
    expect(paths(await take())).toEqual(['package-lock.json']);
  });

  it('then a kept index that is torn or names lost objects only costs time', async () => {
    const w = start();
    await keepCheckoutIndex(w.place.commonDir, worktree, w.head());
    const admin = w.repository.git('-C', worktree, 'rev-parse', '--absolute-git-dir');
    write({ 'packages/web/w.ts': 'changed\n' });
    w.repository.write({ [path.join(path.relative(w.repository.folder, admin), `worldtree-index-${w.head()}`)]: 'not an index' });
    expect(paths(await take())).toEqual(['packages/web/w.ts']);
  });

  it('then what was copied in or made by setup stays out, whatever the agent does to ignore files (B10)', async () => {
    const w = start();
    write({ '.env': 'SECRET=1\n', 'node_modules/dep/index.js': 'dep\n', 'made/by/setup.txt': 's\n', '.gitignore': '!.env\n!node_modules\n', 'packages/api/new.ts': 'new\n' });
    const snapshot = await take({ brought: ['.env', 'node_modules', 'made/by/setup.txt'], forced: ['.env', 'node_modules/dep/index.js'], written: ['.env'] });
    expect(paths(snapshot)).toEqual(['.gitignore', 'packages/api/new.ts']);
    expect(snapshot.ignored).toEqual(['.env']);
    expect(w.repository.git('ls-tree', '-r', '--name-only', snapshot.tree)).not.toContain('node_modules');
  });

  it('then ignored files that the agent wrote are named, and one that it forces gets in (B11)', async () => {
    start();
    write({ 'packages/api/out.log': 'log\n', 'packages/api/kept.log': 'keep\n', 'packages/api/plain.ts': 'p\n' });
    const snapshot = await take({ written: ['packages/api/out.log', 'packages/api/kept.log', 'packages/api/plain.ts', 'packages/api/gone.ts'], forced: ['packages/api/kept.log'] });
    expect(snapshot.ignored).toEqual(['packages/api/out.log']);
    expect(paths(snapshot)).toEqual(['packages/api/kept.log', 'packages/api/plain.ts']);
  });

  it('then a replaced .git and nested repositories run nothing, are told, and make no links (B9)', async () => {
    const w = start();
    const trap = `touch ${w.repository.folder}/trapped`;
    const config = `[core]\n\tfsmonitor = ${trap}\n\thooksPath = .\n[filter "x"]\n\tclean = ${trap}\n`;
    const hostile = (folder: string): FileTree => ({ [`${folder}/.git/config`]: config, [`${folder}/.git/HEAD`]: 'ref: refs/heads/main\n', [`${folder}/.git/objects/x`]: '', [`${folder}/.git/refs/heads/main`]: `${w.head()}\n` });
    rmSync(path.join(worktree, '.git'));
    write({ '.git/config': config, '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/heads/main': `${w.head()}\n` });
    write({ ...hostile('packages/api'), ...hostile('packages/nested'), 'packages/nested/file.ts': 'inside\n', 'packages/api/a.ts': 'changed\n', 'odd/.GIT/config': config, 'fake/.git': 'gitdir: /nowhere\n', 'fake/real.ts': 'r\n' });
    rmSync(path.join(worktree, 'package-lock.json'));
    write(hostile('package-lock.json'));
    const snapshot = await take();
    expect(existsSync(path.join(w.repository.folder, 'trapped'))).toBe(false);
    expect(snapshot.nestedRepositories).toEqual(['fake', 'odd/.GIT', 'package-lock.json', 'packages/api', 'packages/nested']);
    expect(w.repository.git('ls-tree', '-r', snapshot.tree)).not.toMatch(/^160000/m);
    expect(paths(snapshot)).toEqual(['fake/real.ts', 'package-lock.json', 'packages/api/a.ts']);
  });

  it('then a submodule\'s new commit shows as a submodule, and nothing of its git runs', async () => {
    const w = start();
    const library = makeLineWorld({ 'lib.txt': '1\n' });
    try {
      w.repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.repository.folder, 'vendor/lib');
      w.repository.commit('with a submodule');
      w.repository.git('-C', worktree, 'checkout', '--quiet', '--detach', 'main');
      expect(await take()).toMatchObject({ changed: [], insideSubmodules: [] });
      w.repository.git('-C', worktree, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
      w.repository.git('-C', `${worktree}/vendor/lib`, '-c', 'user.name=x', '-c', 'user.email=x', 'commit', '--quiet', '--allow-empty', '-m', 'on');
      w.repository.git('-C', `${worktree}/vendor/lib`, 'config', 'core.fsmonitor', `touch ${w.repository.folder}/trapped`);
      const snapshot = await take();
      expect(snapshot.changed.map((file) => [file.path, file.kind])).toEqual([['vendor/lib', 'submodule']]);
      expect(snapshot.nestedRepositories).toEqual([]);
      expect(snapshot.insideSubmodules).toEqual(['vendor/lib']);
      expect((await take({ brought: ['vendor/lib'] })).insideSubmodules).toEqual([]);
      expect(existsSync(path.join(w.repository.folder, 'trapped'))).toBe(false);
    } finally {
      await library.remove();
    }
  });

  it('then a file that a killed window had half written stays out', async () => {
    start();
    write({ 'packages/api/.0123456789ab.worldtree-half': 'const a', 'packages/api/notes.worldtree-half': 'an agent’s own\n' });
    expect(paths(await take())).toEqual(['packages/api/notes.worldtree-half']);
  });

  it('then files in the folder of a submodule that is not checked out are named, since git looks past them (A6)', async () => {
    const w = start();
    w.repository.git('update-index', '--add', '--cacheinfo', `160000,${w.head()},vendor/lib`);
    w.repository.git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '--quiet', '-m', 'with a submodule');
    w.repository.git('-C', worktree, 'checkout', '--quiet', '--detach', 'main');
    write({ 'vendor/lib/made.txt': 'by a command\n', 'vendor/lib/deep/er.txt': 'too\n', 'packages/web/w.ts': 'changed\n' });
    const snapshot = await take();
    expect(snapshot.insideSubmodules).toEqual(['vendor/lib/deep/er.txt', 'vendor/lib/made.txt']);
    expect(paths(snapshot)).toEqual(['packages/web/w.ts']);
  });

  it('then the place of the worktree does not matter to ignore rules (A14)', async () => {
    const w = makeLineWorld(FILES);
    await w.remove();
    start(FILES);
    const inside = path.join(world?.repository.folder ?? '', 'node_modules/.cache/agent') as AbsolutePath;
    world?.repository.git('worktree', 'add', '--quiet', '--detach', inside);
    rmSync(worktree, { recursive: true });
    worktree = inside;
    write({ 'packages/api/new.ts': 'new\n' });
    expect(paths(await take())).toEqual(['packages/api/new.ts']);
  });

  it('then a file may become a folder and a folder a file, and what is no file counts as gone', async () => {
    start();
    rmSync(path.join(worktree, 'package-lock.json'));
    rmSync(path.join(worktree, 'packages/web'), { recursive: true });
    write({ 'package-lock.json/inner': 'i\n', 'packages/web': 'file\n' });
    expect(paths(await take())).toEqual(['package-lock.json', 'package-lock.json/inner', 'packages/web', 'packages/web/w.ts']);
  });

  it('then names of all kinds, NUL bytes and 50 MB come through unharmed (A17, D10)', async () => {
    const w = start();
    const names = ['sp ace', 'ümläut', '漢字', 'emo🌳ji', 'quo"te\'s', '-dash', 'new\nline', '*star[1]', 'back\\slash', ':(top)magic'];
    const large = Buffer.alloc(50 * 1024 * 1024, 'abc\0');
    write({ ...Object.fromEntries(names.map((name) => [`packages/${name}/${name}`, `${name}\n`])), 'large.bin': large });
    const snapshot = await take();
    expect(new Set(paths(snapshot))).toEqual(new Set([...names.map((name) => `packages/${name}/${name}`), 'large.bin']));
    expect(w.repository.git('cat-file', '-s', `${snapshot.tree}:large.bin`)).toBe(String(large.length));
  });

  it('then line endings are converted as the person\'s checkout does', async () => {
    const w = start();
    w.repository.git('config', 'core.autocrlf', 'true');
    w.repository.git('config', 'core.safecrlf', 'true');
    write({ 'packages/web/w.ts': 'web\r\nmore\r\n', 'packages/web/mixed.ts': 'a\r\nb\n' });
    const snapshot = await take();
    expect(paths(snapshot)).toEqual(['packages/web/mixed.ts', 'packages/web/w.ts']);
    expect(show(w, snapshot.tree, 'packages/web/w.ts')).toBe('web\nmore');
  });

  it('then a clean filter of the person\'s config works, and one that is missing is named', async () => {
    const w = start({ ...FILES, '.gitattributes': '*.big filter=big\n' });
    w.repository.git('config', 'filter.big.clean', 'sed s/large/pointer/');
    w.repository.git('config', 'filter.big.required', 'true');
    write({ 'a.big': 'large content\n' });
    const snapshot = await take();
    expect(show(w, snapshot.tree, 'a.big')).toBe('pointer content');
    w.repository.git('config', 'filter.big.clean', 'no-such-program-here');
    write({ 'a.big': 'other\n' });
    await expect(take()).rejects.toMatchObject({ refusal: { reason: 'filter-missing' } });
  });

  it('then a sparse checkout and an odd index of the person change nothing', async () => {
    const w = start();
    w.repository.git('sparse-checkout', 'set', '--cone', 'packages/web');
    w.repository.git('config', 'core.splitIndex', 'true');
    w.repository.git('config', 'core.untrackedCache', 'true');
    write({ 'packages/api/a.ts': 'changed\n' });
    expect(paths(await take())).toEqual(['packages/api/a.ts']);
    expect(existsSync(path.join(w.repository.folder, 'packages/api'))).toBe(false);
  });
});

describe('given trees, when candidates are made of them', () => {
  const ref = 'refs/worldtree/episodes/e1-abcd/candidate/1' as RefName;

  it('then a commit has its ref at once, is unsigned, and needs no identity (rule 4, D8, D9)', async () => {
    const w = start();
    w.repository.git('config', '--unset', 'user.name');
    w.repository.git('config', '--unset', 'user.email');
    w.repository.git('config', 'commit.gpgsign', 'true');
    w.repository.git('config', 'gpg.program', 'sleep 600; false');
    const base = w.head();
    write({ 'packages/api/a.ts': 'changed\n' });
    const { tree } = await take();
    const commit = await w.candidates.commit({ tree, parent: base, message: 'Subject ü\n\nBody\n\nWorldtree-Episode: e1\n', ref });
    expect(w.repository.git('rev-parse', ref)).toBe(commit);
    expect(w.repository.git('rev-parse', `${commit}^{tree}`, `${commit}^`)).toBe(`${tree}\n${base}`);
    expect(w.repository.git('show', '-s', '--format=%an <%ae> %cn%n%B%(trailers:key=Worldtree-Episode,valueonly)', commit)).toContain('Subject ü');
    expect(w.repository.git('cat-file', 'commit', commit)).not.toContain('gpgsig');
    w.repository.git('gc', '--quiet', '--prune=now');
    expect(w.repository.git('cat-file', '-t', commit)).toBe('commit');
  });

  it('then a ref outside of ours is refused', async () => {
    const w = start();
    await expect(w.candidates.commit({ tree: w.repository.git('rev-parse', 'HEAD^{tree}') as TreeId, parent: w.head(), message: 'm', ref: 'refs/heads/main' as RefName })).rejects.toThrow('rule 3');
  });

  it('then picking paths leaves the others as in the base (B5, D4)', async () => {
    const w = start();
    write({ 'packages/api/a.ts': 'changed\n', 'packages/api/new.ts': 'new\n', 'packages/web/w.ts': null, 'package-lock.json': 'outside\n' });
    const { tree } = await take();
    const picked = await w.candidates.pick(w.head(), tree, ['packages/api/a.ts', 'packages/web/w.ts'] as FilePath[]);
    expect(w.repository.git('diff', '--name-status', 'HEAD', picked)).toBe('M\tpackages/api/a.ts\nD\tpackages/web/w.ts');
  });

  it('then an edit keeps every byte and the mode, adds, and removes (D5)', async () => {
    const w = start();
    write({ 'packages/api/tool.sh': { content: '#!/bin/sh\n', mode: 0o755 } });
    const { tree } = await take();
    const bytes = Buffer.from('\ufeffline\r\nno newline at the end');
    const edited = await w.candidates.withFile(tree, 'packages/api/tool.sh' as FilePath, bytes);
    expect(Buffer.from(await w.reading.read(edited, 'packages/api/tool.sh' as FilePath) ?? [])).toEqual(bytes);
    expect(w.repository.git('ls-tree', edited, 'packages/api/tool.sh')).toMatch(/^100755 /);
    const added = await w.candidates.withFile(edited, 'packages/api/deep/new.ts' as FilePath, Buffer.from('n\n'));
    expect(w.repository.git('ls-tree', '-r', added, 'packages/api/deep')).toMatch(/^100644 blob \S+\tpackages\/api\/deep\/new.ts$/);
    const removed = await w.candidates.withFile(added, 'packages/api/deep/new.ts' as FilePath, null);
    expect(removed).toBe(edited);
    await expect(w.candidates.withFile(tree, 'x/.git/config' as FilePath, bytes)).rejects.toMatchObject({ refusal: { reason: 'outside-scope' } });
  });

  it('then nothing of the person\'s checkout or of the worktree is written', async () => {
    const w = start();
    mkdirSync(path.join(worktree, 'empty folder'));
    write({ 'packages/api/a.ts': 'changed\n' });
    const index = readFileSync(path.join(w.repository.folder, '.git/index'));
    const agents = readFileSync(path.join(w.repository.git('-C', worktree, 'rev-parse', '--absolute-git-dir'), 'index'));
    await take();
    expect(readFileSync(path.join(w.repository.folder, '.git/index')).equals(index)).toBe(true);
    expect(readFileSync(path.join(w.repository.git('-C', worktree, 'rev-parse', '--absolute-git-dir'), 'index')).equals(agents)).toBe(true);
  });
});

