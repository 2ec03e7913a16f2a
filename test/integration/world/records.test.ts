import { afterEach, describe, expect, it } from 'vitest';
import { episodeRefs } from '../../../src/core/candidate/refs.ts';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const WRITE: ScriptedAnswer = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

describe('the record of an agent that ended', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('is written at the next start where the window was killed before it was, also over that of an earlier end', async () => {
    const repository = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n' });
    const model = await ScriptedModel.start({ script: [WRITE, FINISH] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget());
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    value(await world.world.reject(id, 'the first time'));
    value(await world.world.withdrawReject(id));
    value(await world.world.reject(id, 'the second time'));
    await world.close();
    const { record } = episodeRefs(id);
    const recorded = (): string => repository.git('show', `${record}:record.json`);
    const whole = recorded();
    expect(whole).toContain('the second time');

    // As a window leaves it that is killed after the fact and before the record.
    const stale = whole.replace('the second time', 'the first time');
    repository.write({ 'stale.json': stale });
    const blob = repository.git('hash-object', '-w', 'stale.json');
    repository.git('update-index', '--add', '--cacheinfo', `100644,${blob},record.json`);
    const earlier = repository.git('-c', 'user.name=x', '-c', 'user.email=x', 'commit-tree', '-m', 'earlier', repository.git('write-tree'));
    for (const leave of [['update-ref', record, earlier], ['update-ref', '-d', record]] as const) {
      repository.git(...leave);
      await (await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine: world.machine })).close();
      expect(recorded()).toBe(whole);
    }
  });

  it('is written also where that of another agent cannot be', async () => {
    const repository = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n' });
    const model = await ScriptedModel.start({ script: [WRITE, FINISH, WRITE, FINISH] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget());
    const ended = async (): Promise<string> => {
      const id = await world.delegate('api', 'Listen on 8080');
      await world.reaches(id, 'waiting');
      value(await world.world.reject(id, 'no'));
      return episodeRefs(id).record;
    };
    const [first, second] = [await ended(), await ended()];
    await world.close();
    for (const record of [first, second]) repository.git('update-ref', '-d', record);
    repository.write({ [`.git/${first}.lock`]: '' });
    await (await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine: world.machine })).close();
    expect(repository.git('for-each-ref', '--format=%(refname)', first, second)).toBe(second);
  });
});
