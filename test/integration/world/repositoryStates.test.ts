import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AbsolutePath, FolderPath } from '../../../src/core/ids.ts';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';
import { isolateGit } from '../git/support.ts';

/** States in which a repository can be when a person delegates a folder of it: from the delegation to the accept. */

const FILES: FileTree = { 'README.md': '# Sample\n', 'api/server.ts': 'export const port = 80;\n', 'web/page.ts': 'page\n' };
const WRITE: ScriptedAnswer = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

const cleanups: (() => Promise<void> | void)[] = [];
beforeEach(isolateGit);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function repositoryWith(files: FileTree = FILES): TemporaryRepository {
  const repository = makeTemporaryRepository(files);
  repository.git('config', 'user.name', 'Test Person');
  repository.git('config', 'user.email', 'person@example.test');
  cleanups.push(() => repository.remove());
  return repository;
}

async function opened(checkout: string, script: readonly ScriptedAnswer[] = [WRITE, FINISH]): Promise<{ world: TestWorld; model: ScriptedModel }> {
  const model = await ScriptedModel.start({ script });
  const world = await TestWorld.open(checkout, { baseUrl: model.baseUrl });
  cleanups.push(() => model.stop(), () => world.forget(), () => world.close());
  return { world, model };
}

const first = (model: ScriptedModel): string => JSON.stringify(model.requests[0]?.body.messages);

describe('given HEAD is detached (A2)', () => {
  it('then an agent works from the commit, and the accept advances HEAD and no branch', async () => {
    const repository = repositoryWith();
    repository.git('checkout', '--quiet', '--detach');
    const { world } = await opened(repository.folder);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    const accepted = value(await world.accept(id));
    expect(accepted.target).toEqual({ kind: 'detached' });
    expect(repository.git('rev-parse', 'HEAD')).toBe(accepted.commit);
    expect(repository.git('rev-parse', 'main')).toBe(repository.git('rev-parse', 'HEAD^'));
    expect(readFileSync(path.join(repository.folder, 'api/server.ts'), 'utf8')).toBe('export const port = 8080;\n');
  });
});

describe('given uncommitted files (A4)', () => {
  it('then those under the folder are named, the others counted, and the agent starts from the commit', async () => {
    const repository = repositoryWith();
    repository.write({ 'api/server.ts': 'export const port = 81;\n', ...Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`notes/${i}.md`, 'draft\n'])) });
    const { world } = await opened(repository.folder);
    expect(value(await world.world.prepareDelegation('api' as FolderPath))).toMatchObject({ uncommittedInside: ['api/server.ts'], uncommittedElsewhere: 25 });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(world.episode(id).candidates.at(-1)?.inside.map((file) => file.lines)).toEqual([{ added: 1, removed: 1 }]);
    expect(readFileSync(path.join(repository.folder, 'api/server.ts'), 'utf8')).toBe('export const port = 81;\n');
  });
});

describe('given submodules (A6)', () => {
  it('then delegating inside one is refused, the agent is told of those that are not there, and what it leaves in one is said', async () => {
    const library = makeTemporaryRepository({ 'lib.c': 'int x;\n' });
    cleanups.push(() => library.remove());
    const repository = repositoryWith();
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.folder, 'api/vendor/lib');
    repository.commit('Take a library');
    const { world, model } = await opened(repository.folder, [WRITE, { calls: [call('run', { command: 'echo "int y;" > vendor/lib/patch.c' })] }, FINISH, FINISH]);
    const inside = await world.world.prepareDelegation('api/vendor/lib' as FolderPath);
    expect(inside.ok ? null : inside.refusal).toMatchObject({ reason: 'inside-submodule', message: expect.stringContaining('api/vendor/lib') as unknown });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'asking');
    value(await world.world.answer(id, { choice: 'run', words: '' }));
    await world.reaches(id, 'waiting');
    expect(first(model)).toContain('Submodules are not checked out here, their folders are empty: api/vendor/lib.');
    expect(JSON.stringify(model.requests[3]?.body.messages)).toContain('these lie in submodules');
    expect(world.episode(id).candidates.at(-1)).toMatchObject({ flags: [{ kind: 'inside-submodule', files: ['api/vendor/lib/patch.c'] }] });
  });
});

describe('given the opened folder is a linked worktree (A7, A11)', () => {
  it.each([['its own branch', ['-b', 'feature']], ['no branch', ['--detach']]])('then an agent works as anywhere, and the accept moves %s there and nothing in the main checkout', async (_name, how) => {
    const repository = repositoryWith();
    const linked = `${repository.folder}-linked`;
    repository.git('worktree', 'add', '--quiet', ...how, linked);
    const { world } = await opened(linked);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    value(await world.accept(id));
    expect(readFileSync(path.join(linked, 'api/server.ts'), 'utf8')).toBe('export const port = 8080;\n');
    expect(repository.git('-C', linked, 'status', '--porcelain')).toBe('');
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.git('show', 'main:api/server.ts')).toBe('export const port = 80;');
  });
});

describe('given a linked worktree besides the folder that was opened (A7)', () => {
  it.each([['main', (main: string, linked: string) => [main, linked]], ['linked', (main: string, linked: string) => [linked, main]]])('then an agent that is delegated from it starts from its commit, and the accept moves its branch there, opened first was the %s one', async (_name, order) => {
    const repository = repositoryWith();
    const linked = `${repository.folder}-linked`;
    repository.git('worktree', 'add', '--quiet', '-b', 'feature', linked);
    repository.git('-C', linked, '-c', 'user.name=P', '-c', 'user.email=p@example.test', 'commit', '--quiet', '--allow-empty', '-m', 'Only there');
    writeFileSync(path.join(linked, 'api/notes.md'), 'not committed\n');
    const [here = '', other = ''] = order(repository.folder, linked);
    const { world } = await opened(here);
    const git = (...args: string[]): string => repository.git('-C', other, ...args);
    const [stays, moves] = [repository.git('-C', here, 'rev-parse', 'HEAD'), git('rev-parse', 'HEAD')];
    const plan = value(await world.world.prepareDelegation('api' as FolderPath, other as AbsolutePath));
    expect(plan).toMatchObject({ commit: moves, head: { kind: 'branch', ref: git('symbolic-ref', 'HEAD') }, uncommittedInside: other === linked ? ['api/notes.md'] : [] });
    const id = await world.delegate('api', 'Listen on 8080', {}, other);
    await world.reaches(id, 'waiting');
    expect(value(await world.world.planAccept(id, null)).checkedOutIn).toEqual([other]);
    value(await world.accept(id));
    expect([git('rev-parse', 'HEAD^'), git('status', '--porcelain', '--untracked-files=no'), repository.git('-C', here, 'rev-parse', 'HEAD')]).toEqual([moves, '', stays]);
    expect([readFileSync(path.join(other, 'api/server.ts'), 'utf8'), readFileSync(path.join(here, 'api/server.ts'), 'utf8')]).toEqual(['export const port = 8080;\n', 'export const port = 80;\n']);
  });

  it('then one without a branch is not delegated from, since its HEAD is not the one that would move', async () => {
    const repository = repositoryWith();
    const linked = `${repository.folder}-linked`;
    repository.git('worktree', 'add', '--quiet', '--detach', linked);
    const { world } = await opened(repository.folder);
    const refused = await world.world.prepareDelegation('api' as FolderPath, linked as AbsolutePath);
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'branch-missing', message: expect.stringContaining(linked) as unknown, next: expect.stringContaining('window of its own') as unknown });
  });
});

describe('given a sparse checkout (A8)', () => {
  it('then the delegated folder is really there for the agent, and after the accept the checkout is as sparse as before', async () => {
    const repository = repositoryWith();
    repository.git('sparse-checkout', 'set', 'web');
    expect(existsSync(path.join(repository.folder, 'api'))).toBe(false);
    const { world } = await opened(repository.folder);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(world.episode(id).candidates.at(-1)).toMatchObject({ inside: [{ path: 'api/server.ts' }], outside: [] });
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 8080;');
    expect(repository.git('sparse-checkout', 'list')).toBe('web');
    expect(repository.git('status', '--porcelain')).toBe('');
  });
});

describe('given a hook after the checkout that fails (A10)', () => {
  it('then it does not run, for the worktree or for anything else of ours', async () => {
    const repository = repositoryWith();
    const trapped = path.join(repository.folder, '.git/trapped');
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) repository.write({ [`.git/hooks/${hook}`]: { content: `#!/bin/sh\ntouch '${trapped}'\nexit 1\n`, mode: 0o755 } });
    const { world } = await opened(repository.folder);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(existsSync(trapped)).toBe(false);
  });
});

describe('given repositories inside the repository (A13)', () => {
  it('then those under the folder are named as out of reach, and the agent does not see them', async () => {
    const repository = repositoryWith();
    for (const inner of ['api/inner', 'web/inner']) {
      mkdirSync(path.join(repository.folder, inner));
      execFileSync('git', ['init', '--quiet', path.join(repository.folder, inner)]);
      writeFileSync(path.join(repository.folder, inner, 'own.txt'), 'own\n');
    }
    const { world } = await opened(repository.folder);
    expect(value(await world.world.prepareDelegation('api' as FolderPath))).toMatchObject({ nestedRepositories: ['api/inner'], uncommittedInside: [], uncommittedElsewhere: 0 });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(existsSync(path.join(world.episode(id).worktree ?? '', 'api/inner'))).toBe(false);
  });
});

describe('given names of all kinds (A17)', () => {
  it.each(['with space', 'ümlaut', '漢字', '🌱', 'quo"te', "quo'te", '-dash', 'new\nline'])('then a folder %j is delegated, changed and accepted under its own name', async (name) => {
    const file = `${name}/${name}.ts`;
    const repository = repositoryWith({ 'README.md': '# Sample\n', [file]: 'export const port = 80;\n' });
    const { world } = await opened(repository.folder, [{ calls: [call('edit_file', { path: file, old_text: 'port = 80', new_text: 'port = 8080' })] }, FINISH]);
    const id = await world.delegate(name, 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(world.episode(id).candidates.at(-1)).toMatchObject({ inside: [{ path: file }], outside: [] });
    value(await world.accept(id));
    expect(readFileSync(path.join(repository.folder, file), 'utf8')).toBe('export const port = 8080;\n');
    expect(repository.git('status', '--porcelain')).toBe('');
  });
});

describe('given very long paths and a long folder for worktrees (A9)', () => {
  it('then an agent works at the end of them', async () => {
    const deep = Array.from({ length: 6 }, (_, i) => `${'a-folder-with-a-long-name-'.slice(0, 38)}${i}`).join('/');
    const file = `${deep}/server.ts`;
    expect(file.length).toBeGreaterThan(170);
    const repository = repositoryWith({ [file]: 'export const port = 80;\n' });
    const machine = path.join(makeTemporaryFolder('machine'), 'm'.repeat(120));
    mkdirSync(machine);
    cleanups.push(() => removeFolder(path.dirname(machine)));
    const model = await ScriptedModel.start({ script: [{ calls: [call('edit_file', { path: file, old_text: '80', new_text: '8080' })] }, FINISH] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine });
    cleanups.push(() => model.stop(), () => world.close());
    const id = await world.delegate(deep, 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(world.episode(id).candidates.at(-1)?.inside.map((f) => f.path)).toEqual([file]);
  });
});
