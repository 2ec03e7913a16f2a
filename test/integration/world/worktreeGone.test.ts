import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { call, ScriptedModel, type ScriptedAnswer, type ScriptedModelOptions } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';
import type { EpisodeId } from '../../../src/core/ids.ts';

const WRITE: ScriptedAnswer = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const RUN: ScriptedAnswer = { calls: [call('run', { command: 'npm test' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

describe('an agent whose worktree’s folder was deleted (C9)', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function given(script: ScriptedModelOptions['script']): Promise<{ repository: TemporaryRepository; world: TestWorld }> {
    const repository = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n' });
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    const model = await ScriptedModel.start({ script });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    return { repository, world };
  }

  const remove = (world: TestWorld, id: EpisodeId): void => rmSync(world.episode(id).worktree ?? '', { recursive: true });

  it('can be stopped, and does not ask for ever', async () => {
    const { world } = await given([WRITE, RUN]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'asking');
    remove(world, id);
    value(await world.world.answer(id, { choice: 'stop', words: '' }));
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'failed' });
  });

  it('fails where it calls finish', async () => {
    let place = (): void => undefined;
    const { world } = await given((request) => {
      if (request.number === 1) return WRITE;
      place();
      return FINISH;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    place = () => remove(world, id);
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'failed' });
  });

  it.each([['works', WRITE], ['finishes', FINISH]])('gives back the change that was sent back for rework, when it %s', async (_name, answer) => {
    let place = (): void => undefined;
    const { repository, world } = await given((request) => {
      if (request.number <= 2) return request.number === 1 ? WRITE : FINISH;
      place();
      return answer;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    place = () => remove(world, id);
    value(await world.world.rework(id, 'More, please.'));
    expect(await world.reaches(id, 'waiting')).toMatchObject({ candidate: 2 });
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 8080;');
  });
});
