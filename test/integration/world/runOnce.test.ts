import { afterEach, describe, expect, it } from 'vitest';
import { agentReport } from '../../../src/core/projections/agentReport.ts';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { call, ScriptedModel } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value, type TestWorldOptions } from '../../support/testWorld.ts';

const scripts = (test: string, lint: string): string => JSON.stringify({ scripts: { test, lint } });
const FILES = { 'package.json': scripts('grep 8080 api/port.txt && echo port is right', 'echo line too long && exit 3'), 'api/port.txt': '80\n' };

describe('a change that no check covers', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function proposed(files: FileTree = FILES, options: TestWorldOptions = {}): Promise<{ repository: TemporaryRepository; world: TestWorld; id: EpisodeId }> {
    const repository = makeTemporaryRepository(files);
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    const model = await ScriptedModel.start({ script: [{ calls: [call('edit_file', { path: 'api/port.txt', old_text: '80', new_text: '8080' })] }, { calls: [call('finish', { subject: 'Listen on 8080', report: 'Done.' })] }] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, ...options });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    return { repository, world, id };
  }

  const planOf = async (world: TestWorld, id: EpisodeId) => value(await world.world.planAccept(id, null));
  const run = (world: TestWorld, id: EpisodeId, check: string, signal = new AbortController().signal) => world.world.runOnce({ episode: id, candidate: 1, files: null, check, signal, progress: () => undefined });
  const stands = async (world: TestWorld, id: EpisodeId) => (await planOf(world, id)).found.map(({ check, ran }) => [check.name, ...ran.map(({ result }) => result)]);

  it('offers the commands of the tip’s manifests, and none where a check covers it', async () => {
    const { repository, world, id } = await proposed();
    expect(await stands(world, id)).toEqual([['npm test'], ['npm run lint']]);
    repository.commit('Declare a check', { 'genesis.toml': '[[constraint]]\nname = "port"\nrun = "true"\n' });
    expect(await planOf(world, id)).toMatchObject({ unchecked: false, found: [] });
  });

  it('is tried on the merged files without touching the checkout, and the result is kept', async () => {
    const { repository, world, id } = await proposed();
    repository.commit('Later work', { 'web/page.ts': '1\n' });
    expect(value(await run(world, id, 'npm test'))).toMatchObject({ result: 'passed', required: false });
    expect(value(await run(world, id, 'npm run lint'))).toMatchObject({ result: 'failed' });
    expect(await stands(world, id)).toEqual([['npm test', 'passed'], ['npm run lint', 'failed']]);
    expect(world.episode(id).evidence.map(({ tip }) => tip)).toEqual([repository.git('rev-parse', 'HEAD'), repository.git('rev-parse', 'HEAD')]);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.git('for-each-ref', 'refs/worldtree/scratch')).toBe('');
    const report = agentReport(world.episode(id), undefined);
    expect(report).toContain('port is right');
    expect(report).toContain('line too long');
  });

  it('is accepted in spite of a failure, and tells the passes of exactly this tree in the message', async () => {
    const { repository, world, id } = await proposed();
    value(await run(world, id, 'npm test'));
    value(await run(world, id, 'npm run lint'));
    value(await world.accept(id, { message: (await planOf(world, id)).message }));
    expect(repository.git('log', '-1', '--format=%B')).toMatch(/^Worldtree-Evidence: npm test pass$/m);
  });

  it('says nothing in the message of what passed on another tree', async () => {
    const { repository, world, id } = await proposed();
    value(await run(world, id, 'npm test'));
    repository.commit('Later work', { 'web/page.ts': '1\n' });
    expect(await stands(world, id)).toEqual([['npm test'], ['npm run lint']]);
    value(await world.accept(id, { message: (await planOf(world, id)).message }));
    expect(repository.git('log', '-1', '--format=%B')).not.toContain('Worldtree-Evidence');
  });

  it('is not tried where the person does not allow the command, and nothing is kept', async () => {
    const { world, id } = await proposed(FILES, { confirm: ({ command }) => ({ choice: command === 'npm test' ? 'refuse' : 'run', words: '' }) });
    expect(await run(world, id, 'npm test')).toMatchObject({ ok: false, refusal: { reason: 'cancelled' } });
    expect(await stands(world, id)).toEqual([['npm test'], ['npm run lint']]);
  });

  it('is cancelled on the way', async () => {
    const { world, id } = await proposed({ ...FILES, 'package.json': scripts('sleep 600', 'true') });
    const abort = new AbortController();
    const ran = world.world.runOnce({ episode: id, candidate: 1, files: null, check: 'npm test', signal: abort.signal, progress: (words) => { if (words.startsWith('running')) abort.abort(); } });
    expect(await ran).toMatchObject({ ok: false, refusal: { reason: 'cancelled' } });
    expect(await stands(world, id)).toEqual([['npm test'], ['npm run lint']]);
  });

  it('runs nothing but what is offered', async () => {
    const { world, id } = await proposed();
    expect(await run(world, id, 'rm -rf .')).toMatchObject({ ok: false, refusal: { reason: 'check-missing' } });
  });

  it('leaves nothing that holds its merged files for good, when its window is killed while it runs', async () => {
    const { repository, world, id } = await proposed();
    await world.close();
    // What a window that is killed while a command runs leaves behind.
    repository.git('update-ref', `refs/worldtree/scratch/once/${id}`, 'HEAD');
    const again = await TestWorld.open(repository.folder, { machine: world.machine });
    cleanups.push(() => again.close());
    expect(repository.git('for-each-ref', 'refs/worldtree/scratch')).toBe('');
  });
});
