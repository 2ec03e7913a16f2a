import { afterEach, describe, expect, it } from 'vitest';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const WRITE: ScriptedAnswer = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

describe('a change whose line is gone when it waits', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function given(prepare: (repository: TemporaryRepository) => void): Promise<{ repository: TemporaryRepository; world: TestWorld }> {
    const repository = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n' });
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    prepare(repository);
    const model = await ScriptedModel.start({ script: [WRITE, FINISH] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    return { repository, world };
  }

  it.each<[string, (r: TemporaryRepository) => void, (r: TemporaryRepository) => void]>([
    ['the branch was renamed', () => undefined, (r) => { r.git('branch', '-m', 'main', 'trunk'); }],
    ['HEAD is not detached any more', (r) => { r.git('checkout', '--quiet', '--detach'); }, (r) => { r.git('checkout', '--quiet', 'main'); }],
  ])('can be accepted to a new branch where %s', async (_what, before, after) => {
    const { repository, world } = await given(before);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    after(repository);
    const head = repository.git('rev-parse', 'HEAD');
    value(await world.world.planAccept(id, null));
    const onLine = await world.accept(id);
    expect(onLine.ok ? null : onLine.refusal.reason).toBe('branch-missing');
    value(await world.accept(id, { branch: 'port' }));
    expect(repository.git('show', 'port:api/server.ts')).toBe('export const port = 8080;');
    expect([repository.git('rev-parse', 'HEAD'), repository.git('rev-parse', 'port^')]).toEqual([head, head]);
  });
});
