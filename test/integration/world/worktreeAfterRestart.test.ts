import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';
import { isolateGit } from '../git/support.ts';

const WRITE: ScriptedAnswer = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const RUN: ScriptedAnswer = { calls: [call('run', { command: 'npm test' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

describe('given an agent whose window closed in the middle of its work, when the repository is opened again', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  beforeEach(isolateGit);
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** It has written, and waits to run a command: answered by nobody before the window closes. */
  async function cutOff(after: readonly ScriptedAnswer[] = [FINISH]): Promise<{ repository: TemporaryRepository; id: EpisodeId; worktree: string; registration: string; reopen: (machine?: string) => Promise<TestWorld>; model: ScriptedModel }> {
    const repository = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n', 'web/page.ts': 'page\n' });
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    const model = await ScriptedModel.start({ script: [WRITE, RUN, ...after] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget());
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'asking');
    const worktree = world.episode(id).worktree ?? '';
    await world.close();
    const reopen = async (machine = world.machine): Promise<TestWorld> => {
      const again = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine });
      cleanups.push(() => again.close());
      return again;
    };
    return { repository, id, worktree, registration: path.join(repository.folder, '.git/worktrees', path.basename(worktree)), reopen, model };
  }

  const answer = async (world: TestWorld, id: EpisodeId, choice: 'retry' | 'hand-in' | 'keep' | 'stop'): Promise<void> => value(await world.world.answer(id, { choice, words: '' }));

  it('then it goes on in its worktree, which this window holds from then on, and what it did counts from its base (C2, C6)', async () => {
    const { id, worktree, reopen } = await cutOff([RUN, FINISH]);
    writeFileSync(`${worktree}.lease`, readFileSync(`${worktree}.lease`, 'utf8').replace(/"heartbeat":\d+/, '"heartbeat":1'));
    const world = await reopen();
    await world.reaches(id, 'asking');
    expect(JSON.parse(readFileSync(`${worktree}.lease`, 'utf8'))).not.toMatchObject({ heartbeat: 1 });
    value(await world.world.answer(id, { choice: 'refuse', words: '' }));
    await world.reaches(id, 'waiting');
    const { candidates, world: from } = world.episode(id);
    expect(candidates.map((c) => [c.base, c.inside.map((f) => f.path)])).toEqual([[from.commit, ['api/server.ts']]]);
  });

  it('then one whose worktree was deleted fails once, and sends nothing (C5, C9)', async () => {
    const { id, worktree, reopen, model } = await cutOff();
    rmSync(worktree, { recursive: true });
    const world = await reopen();
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'failed' });
    expect(model.requests).toHaveLength(2);
  });

  it('then one whose worktree git does not know asks once, and its files can still be proposed (C5)', async () => {
    const { repository, id, registration, reopen, model } = await cutOff();
    rmSync(registration, { recursive: true });
    const world = await reopen();
    expect((await world.reaches(id, 'asking')).question).toMatchObject({ kind: 'failed', words: expect.stringContaining('git does not know it') as unknown, also: ['keep'] });
    await answer(world, id, 'retry');
    await world.reaches(id, 'asking');
    await answer(world, id, 'hand-in');
    await world.reaches(id, 'waiting');
    expect(model.requests).toHaveLength(2);
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 8080;');
  });

  it('then one whose worktree a cleaner of caches went through asks, and proposes nothing as removed (C5)', async () => {
    const { id, worktree, reopen } = await cutOff();
    for (const name of ['.git', 'web']) rmSync(path.join(worktree, name), { recursive: true });
    const world = await reopen();
    expect((await world.reaches(id, 'asking')).question).toMatchObject({ kind: 'failed', words: expect.stringContaining('files of it may be gone') as unknown });
    expect(world.episode(id).candidates).toEqual([]);
  });

  it('then one whose worktree another container made asks, and nothing of that container’s is touched (C13)', async () => {
    const { repository, id, worktree, registration, reopen } = await cutOff();
    renameSync(worktree, `${worktree}.in-the-container`);
    writeFileSync(path.join(registration, 'locked'), 'Worldtree agent on devcontainer pid:[4026531999]');
    const world = await reopen();
    expect((await world.reaches(id, 'asking')).question).toMatchObject({ kind: 'failed', words: expect.stringContaining('devcontainer') as unknown });
    await answer(world, id, 'keep');
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'failed' });
    expect(repository.git('worktree', 'list', '--porcelain')).toContain(worktree);
    renameSync(`${worktree}.in-the-container`, worktree);
    expect(readFileSync(path.join(worktree, 'api/server.ts'), 'utf8')).toBe('export const port = 8080;\n');
  });

  it('then it goes on where it was although the settings name another folder for worktrees by now, and leaves nothing there', async () => {
    const { id, worktree, repository, reopen } = await cutOff();
    const other = path.join(path.dirname(repository.folder), 'another-machine-folder');
    mkdirSync(other);
    const world = await reopen(other);
    await world.reaches(id, 'waiting');
    expect(world.episode(id).worktree).toBe(worktree);
    value(await world.accept(id));
    await world.close();
    expect(existsSync(worktree)).toBe(false);
    expect(repository.git('worktree', 'list', '--porcelain')).not.toContain(worktree);
  });

  it('then a change that is sent back after its worktree was given back has one made again, and the agent works there', async () => {
    const { id, worktree, repository, reopen } = await cutOff([FINISH, { calls: [call('edit_file', { path: 'api/server.ts', old_text: '8080', new_text: '9090' })] }, FINISH]);
    const before = await reopen();
    await before.reaches(id, 'waiting');
    await before.close();
    execFileSync('git', ['worktree', 'remove', '--force', '--force', worktree], { cwd: repository.folder });
    const other = path.join(path.dirname(repository.folder), 'another-machine-folder');
    mkdirSync(other);
    const world = await reopen(other);
    value(await world.world.rework(id, 'Take 9090.'));
    await world.reaches(id, 'waiting');
    expect(world.episode(id).worktree).toContain(other);
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 9090;');
  });

  it('then one that cannot be handed in is ended, and its files stay where they are, also after the next start', async () => {
    const { repository, id, worktree, reopen } = await cutOff();
    repository.write({ '.git/info/attributes': '*.ts filter=x\n' });
    repository.git('config', 'filter.x.clean', 'no-such-program');
    repository.git('config', 'filter.x.required', 'true');
    const world = await reopen();
    expect((await world.reaches(id, 'asking')).question).toMatchObject({ kind: 'failed', also: ['keep'] });
    await answer(world, id, 'hand-in');
    await world.reaches(id, 'asking');
    await answer(world, id, 'keep');
    expect((await world.reaches(id, 'ended')).words).toContain(worktree);
    await world.close();
    const again = await reopen();
    await again.close();
    expect(readFileSync(path.join(worktree, 'api/server.ts'), 'utf8')).toBe('export const port = 8080;\n');
    expect(existsSync(`${worktree}.lease`)).toBe(false);
    expect(readdirSync(path.dirname(worktree))).toContain(path.basename(worktree));
  });
});
