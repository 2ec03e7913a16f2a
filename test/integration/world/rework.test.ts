import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { filePath } from '../../../src/core/ids.ts';
import type { Limits } from '../../../src/core/limits/limits.ts';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const WRITE: ScriptedAnswer = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };
const ONE_TURN: Partial<Limits> = { turns: 1 };

describe('a change that is sent back', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function given(script: readonly ScriptedAnswer[], more: FileTree = {}): Promise<{ repository: TemporaryRepository; world: TestWorld; model: ScriptedModel }> {
    const repository = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n', 'api/route.ts': 'export const routes = [];\n', ...more });
    const model = await ScriptedModel.start({ script });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    return { repository, world, model };
  }

  it('holds what the person saved while it was being sent back, or the save is refused (D25)', async () => {
    const { repository, world } = await given([WRITE, FINISH, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    const [reworked, saved] = await Promise.all([world.world.rework(id, 'More, please.'), world.world.saveEdit(id, 'api/route.ts' as never, Buffer.from('typed\n'))]);
    value(reworked);
    await world.reaches(id, 'waiting');
    const newest = world.episode(id).candidates.at(-1);
    expect(newest?.source).toBe('agent');
    expect(repository.git('show', `${newest?.commit ?? ''}:api/route.ts`)).toBe(saved.ok ? 'typed' : 'export const routes = [];');
    expect(saved.ok).toBe(true);
  });

  it.each([
    ['nothing was decided', 'nothing', ['docs/new.md', 'web/gone.ts', 'web/page.ts']],
    ['the rest was edited since', 'edit', ['docs/new.md', 'web/gone.ts', 'web/page.ts']],
    ['some of it was dropped', 'drop', ['docs/new.md', 'web/gone.ts']],
  ] as const)('goes on with what lies outside its folder, where %s', async (_, deed, left) => {
    const outside: ScriptedAnswer = { calls: [call('edit_file', { path: 'web/page.ts', old_text: '1', new_text: '2', outside: true }), call('write_file', { path: 'docs/new.md', content: 'new\n', outside: true }), call('run', { command: 'rm web/gone.ts', folder: '.' })] };
    const finish: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.', include_outside: true })] };
    const { world, repository } = await given([WRITE, outside, finish, finish], { 'web/page.ts': 'page 1\n', 'web/gone.ts': 'gone\n' });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'asking');
    value(await world.world.answer(id, { choice: 'run', words: '' }));
    await world.reaches(id, 'waiting');
    if (deed === 'edit') value(await world.world.saveEdit(id, filePath.parse('api/route.ts'), Buffer.from('typed\n')));
    if (deed === 'drop') value(await world.world.decideOutside(id, 'drop', [filePath.parse('web/page.ts')]));
    value(await world.world.rework(id, 'More, please.'));
    await world.becomes(() => world.episode(id).phase.name === 'waiting' && world.episode(id).candidates.at(-1)?.source === 'agent' ? true : undefined, () => 'nothing was proposed again');
    const newest = world.episode(id).candidates.at(-1);
    expect(newest?.outside.map((file) => file.path).toSorted()).toEqual(left);
    expect(newest?.inside.map((file) => file.path)).toEqual(deed === 'edit' ? ['api/route.ts', 'api/server.ts'] : ['api/server.ts']);
    expect(repository.git('for-each-ref', 'refs/worldtree/scratch')).toBe('');
  });

  it('is sent back once when the person clicks twice', async () => {
    const { world, model } = await given([WRITE, FINISH, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    const both = await Promise.all([world.world.rework(id, 'First.'), world.world.rework(id, 'Second.')]);
    expect(both.map((r) => r.ok).toSorted()).toEqual([false, true]);
    await world.reaches(id, 'waiting');
    const told = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect([told.includes('First.'), told.includes('Second.')]).toEqual(both.map((r) => r.ok));
  });

  it('must wait: an agent that asks keeps what is in its worktree', async () => {
    const { world } = await given([WRITE]);
    const id = await world.delegate('api', 'Listen on 8080', ONE_TURN);
    await world.reaches(id, 'asking');
    const refused = await world.world.rework(id, 'More, please.');
    expect(refused.ok ? null : refused.refusal.reason).toBe('wrong-state');
    expect(readFileSync(path.join(world.episode(id).worktree ?? '', 'api/server.ts'), 'utf8')).toBe('export const port = 8080;\n');
  });
});
