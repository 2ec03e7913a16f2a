import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const WRITE: ScriptedAnswer = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

describe('an accept that cannot write down what it begins (C7)', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('is refused with its cause, and can be asked for again', async () => {
    const repository = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n' });
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    const model = await ScriptedModel.start({ script: [WRITE, FINISH] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    // Stands for a disk that is full: nothing can be made below it.
    const moves = path.join(repository.folder, '.git/worldtree/moves');
    mkdirSync(path.dirname(moves), { recursive: true });
    rmSync(moves, { recursive: true, force: true });
    writeFileSync(moves, '');
    const refused = await world.accept(id);
    expect(refused.ok ? null : refused.refusal.reason).toBe('disk-failed');
    expect(world.episode(id).phase.name).toBe('waiting');
    rmSync(moves);
    value(await world.world.planAccept(id, null));
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 8080;');
  });
});
