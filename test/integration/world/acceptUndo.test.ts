import { afterEach, describe, expect, it } from 'vitest';
import { readFileSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value, type TestWorldOptions } from '../../support/testWorld.ts';

const FILES = { 'README.md': '# Sample\n', 'api/server.ts': 'export const port = 80;\n', 'api/route.ts': 'export const routes = [];\n', 'web/page.ts': 'export const page = 1;\n' };
const EDIT: readonly ScriptedAnswer[] = [
  { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] },
  { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] },
];

describe('a delegated folder', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function given(script: readonly ScriptedAnswer[], files: FileTree = FILES, options: TestWorldOptions = {}): Promise<{ repository: TemporaryRepository; world: TestWorld; model: ScriptedModel }> {
    const repository = makeTemporaryRepository(files);
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    const model = await ScriptedModel.start({ script });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, ...options });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    return { repository, world, model };
  }

  async function proposed(world: TestWorld, folder = 'api', goal = 'Listen on 8080'): Promise<EpisodeId> {
    const id = await world.delegate(folder, goal);
    await world.reaches(id, 'waiting');
    return id;
  }

  const head = (r: TemporaryRepository, file: string): string => r.git('show', `HEAD:${file}`);

  it('is worked on in a worktree of its own, and nothing of the checkout moves until the accept', async () => {
    const { repository, world } = await given(EDIT);
    const before = repository.git('rev-parse', 'HEAD');
    const id = await proposed(world);
    expect(repository.git('rev-parse', 'HEAD')).toBe(before);
    expect(repository.git('status', '--porcelain')).toBe('');
    const { candidates, spent } = world.episode(id);
    expect(candidates.map((c) => ({ subject: c.subject, files: c.inside.map((f) => f.path) }))).toEqual([{ subject: 'Listen on 8080', files: ['api/server.ts'] }]);
    expect(spent.turns).toBe(2);
    expect(spent.usd).toBeGreaterThan(0);
  });

  it('is accepted onto the branch: files, index and ref together, with the person as author and trailers in the message', async () => {
    const { repository, world } = await given(EDIT);
    const id = await proposed(world);
    const plan = value(await world.world.planAccept(id, null));
    expect(plan.unchecked).toBe(true);
    const accepted = value(await world.accept(id, { message: plan.message }));
    expect(repository.git('rev-parse', 'HEAD')).toBe(accepted.commit);
    expect(readFileSync(path.join(repository.folder, 'api/server.ts'), 'utf8')).toBe('export const port = 8080;\n');
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.git('log', '-1', '--format=%an <%ae>|%cn')).toBe('Test Person <person@example.test>|Test Person');
    expect(repository.git('log', '-1', '--format=%B')).toMatch(new RegExp(`^Listen on 8080\n\nChanged the port\\.\n\nWorldtree-Episode: ${id}\nWorldtree-World: api at [0-9a-f]{7}\nWorldtree-Model: scripted`));
    await world.reaches(id, 'ended');
  });

  it('is undone after a later commit, keeps that commit, waits again and can be accepted again (D11, D13)', async () => {
    const { repository, world } = await given(EDIT);
    const id = await proposed(world);
    value(await world.accept(id));
    repository.commit('Later work', { 'web/page.ts': 'export const page = 2;\n' });
    value(await world.undo(id));
    expect(head(repository, 'api/server.ts')).toBe('export const port = 80;');
    expect(head(repository, 'web/page.ts')).toBe('export const page = 2;');
    expect(repository.git('status', '--porcelain')).toBe('');
    await world.reaches(id, 'waiting');
    value(await world.accept(id));
    expect(head(repository, 'api/server.ts')).toBe('export const port = 8080;');
    expect(head(repository, 'web/page.ts')).toBe('export const page = 2;');
  });

  it('is sent back after an undo, and what comes then holds everything (D13)', async () => {
    const { repository, world } = await given([...EDIT, { calls: [call('edit_file', { path: 'api/route.ts', old_text: '[]', new_text: '["/"]' })] }, { calls: [call('finish', { subject: 'Listen on 8080, with a route', report: 'Added one.' })] }]);
    const id = await proposed(world);
    value(await world.accept(id));
    repository.commit('Later work', { 'web/page.ts': 'export const page = 2;\n' });
    value(await world.undo(id));
    value(await world.world.rework(id, 'A route, too.'));
    await world.reaches(id, 'waiting');
    value(await world.accept(id));
    expect(['api/server.ts', 'api/route.ts', 'web/page.ts'].map((file) => head(repository, file))).toEqual(['export const port = 8080;', 'export const routes = ["/"];', 'export const page = 2;']);
  });

  it('is carried onto an amended tip without the commit that the person dropped (D14)', async () => {
    const { repository, world } = await given(EDIT);
    repository.commit('Adds a secret', { 'secret.txt': 'hunter2\n' });
    const id = await proposed(world);
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    const accepted = value(await world.accept(id));
    expect(accepted.transplanted).toBe(true);
    expect(repository.git('log', '--format=%s')).not.toContain('secret');
    expect(existsSync(path.join(repository.folder, 'secret.txt'))).toBe(false);
    expect(head(repository, 'api/server.ts')).toBe('export const port = 8080;');
  });

  it('is not undone where git has removed the accepted commit, and says so', async () => {
    const { repository, world } = await given(EDIT);
    const id = await proposed(world);
    const { commit } = value(await world.accept(id));
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    const result = await world.undo(id);
    expect(result.ok ? null : result.refusal.message).toBe(`The accepted commit ${commit.slice(0, 7)} is not in the repository any more: main was moved off it, and git has removed it since.`);
  });

  it('refuses to overwrite a dirty file, names it and changes nothing (D2)', async () => {
    const { repository, world } = await given(EDIT);
    const id = await proposed(world);
    writeFileSync(path.join(repository.folder, 'api/server.ts'), 'export const port = 81;\n');
    const before = repository.git('rev-parse', 'HEAD');
    const result = await world.accept(id);
    expect(result.ok ? null : result.refusal).toMatchObject({ reason: 'dirty-files', files: ['api/server.ts'] });
    expect(repository.git('rev-parse', 'HEAD')).toBe(before);
    expect(world.episode(id).phase.name).toBe('waiting');
  });

  it('names the files of a conflict and leaves the change waiting (D3)', async () => {
    const { repository, world } = await given(EDIT);
    const id = await proposed(world);
    repository.commit('The same line', { 'api/server.ts': 'export const port = 443;\n' });
    expect(value(await world.world.planAccept(id, null)).merged).toEqual({ kind: 'conflict', files: ['api/server.ts'] });
    const result = await world.accept(id);
    expect(result.ok ? null : result.refusal).toMatchObject({ reason: 'conflict', files: ['api/server.ts'] });
  });

  it('takes what the person typed in the diff, and tells the agent so at a rework (D5, D25)', async () => {
    const { repository, world, model } = await given([...EDIT, { calls: [call('read_file', { path: 'api/server.ts' })] }, { calls: [call('finish', { subject: 'Listen on 9090', report: 'Kept your port.' })] }]);
    const id = await proposed(world);
    value(await world.world.saveEdit(id, 'api/server.ts' as never, Buffer.from('export const port = 9090;\n')));
    value(await world.world.rework(id, 'Keep my port.'));
    await world.reaches(id, 'waiting');
    const told = JSON.stringify(model.requests.at(-2)?.body.messages);
    expect(told).toContain('Keep my port.');
    expect(told).toContain('api/server.ts');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('9090');
    value(await world.accept(id));
    expect(head(repository, 'api/server.ts')).toBe('export const port = 9090;');
  });

  it('is refused where a commit hook of the repository fails, with what it said, and accepted without hooks by setting (D7)', async () => {
    let hooks: 'run' | 'skip' = 'run';
    const { repository, world } = await given(EDIT, FILES, { settings: { commitHooks: () => hooks } });
    repository.write({ '.git/hooks/pre-commit': { content: '#!/bin/sh\necho "no ports above 1024" >&2; exit 1\n', mode: 0o755 } });
    const id = await proposed(world);
    const before = repository.git('rev-parse', 'HEAD');
    const refused = await world.accept(id);
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'hook-failed', message: expect.stringMatching(/pre-commit hook[^]*no ports above 1024/) as unknown });
    expect([repository.git('rev-parse', 'HEAD'), world.episode(id).phase.name]).toEqual([before, 'waiting']);
    hooks = 'skip';
    value(await world.accept(id));
    expect(head(repository, 'api/server.ts')).toBe('export const port = 8080;');
  });

  it('goes onto the branch that it was delegated from also where another is checked out, which does not move (D19)', async () => {
    const { repository, world } = await given(EDIT);
    const id = await proposed(world);
    repository.git('checkout', '--quiet', '-b', 'other');
    const before = repository.git('rev-parse', 'other');
    expect(value(await world.world.planAccept(id, null))).toMatchObject({ target: { kind: 'branch', ref: 'refs/heads/main' }, head: { kind: 'branch', ref: 'refs/heads/other' } });
    const accepted = value(await world.accept(id));
    expect([repository.git('rev-parse', 'main'), repository.git('rev-parse', 'other'), repository.git('status', '--porcelain')]).toEqual([accepted.commit, before, '']);
    expect(readFileSync(path.join(repository.folder, 'api/server.ts'), 'utf8')).toBe('export const port = 80;\n');
  });

  it('is rejected without a dialog, and the reject is taken back', async () => {
    const { repository, world } = await given(EDIT);
    const before = repository.git('rev-parse', 'HEAD');
    const id = await proposed(world);
    value(await world.world.reject(id, ''));
    value(await world.world.addRejectReason(id, 'Wrong port'));
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'rejected', words: 'Wrong port' });
    expect(repository.git('rev-parse', 'HEAD')).toBe(before);
    value(await world.world.withdrawReject(id));
    value(await world.accept(id));
    expect(head(repository, 'api/server.ts')).toBe('export const port = 8080;');
  });

  it('goes onto a new branch without moving the one that is checked out', async () => {
    const { repository, world } = await given(EDIT);
    const before = repository.git('rev-parse', 'main');
    const id = await proposed(world);
    const accepted = value(await world.accept(id, { branch: 'agent/port' }));
    expect(repository.git('rev-parse', 'agent/port')).toBe(accepted.commit);
    expect(repository.git('rev-parse', 'main')).toBe(before);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('has its required checks run on the merged files, in a prepared worktree; a person may pass over a failing one', async () => {
    const toml = '[worktree]\nsetup = "echo made > setup.txt"\n\n[[constraint]]\nname = "port"\nrun = "test -f setup.txt && grep -q 80800 api/server.ts"\npaths = ["api/**"]\nrequired = true\n';
    const { repository, world } = await given(EDIT, { ...FILES, 'genesis.toml': toml, '.gitignore': 'setup.txt\n' });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'asking');
    value(await world.world.answer(id, { choice: 'run', words: '' }));
    await world.reaches(id, 'waiting');
    const before = repository.git('rev-parse', 'HEAD');
    const refused = await world.accept(id);
    expect(refused.ok ? null : refused.refusal.reason).toBe('check-failed');
    expect(repository.git('rev-parse', 'HEAD')).toBe(before);
    const accepted = value(await world.accept(id, { override: 'The check is wrong' }));
    expect(repository.git('log', '-1', '--format=%B', accepted.commit)).toContain('Worldtree-Evidence: port fail');
    expect([...world.world.state().moves.values()].at(-1)?.prepared.override).toBe('The check is wrong');
  });
});
