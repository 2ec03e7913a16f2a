import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const edit = (from: string, to: string): ScriptedAnswer => ({ calls: [call('edit_file', { path: 'api/server.ts', old_text: from, new_text: to })] });
const OUTSIDE: ScriptedAnswer = { calls: [call('run', { command: 'echo changed > ../README.md' })] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen elsewhere', report: 'Changed the port.', include_outside: true })] };

describe('given worktrees that take more than the disk budget', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('then that of a waiting change is given back, an agent at work keeps its own, nothing is lost, and rework makes it again', async () => {
    const repository = makeTemporaryRepository({ 'README.md': '# Sample\n', 'api/server.ts': 'export const port = 80;\n', '.gitignore': 'build/\n' });
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    const asks = { calls: [call('run', { command: 'npm test' })] };
    const model = await ScriptedModel.start({ script: [asks, OUTSIDE, edit('80', '8080'), FINISH, edit('8080', '9090'), FINISH] });
    let budget = Infinity;
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, settings: { worktreeBytes: () => budget } });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());

    const busy = await world.delegate('api', 'Test it');
    await world.reaches(busy, 'asking');
    const waiting = await world.delegate('api', 'Listen elsewhere');
    await world.reaches(waiting, 'asking');
    value(await world.world.answer(waiting, { choice: 'run', words: '' }));
    budget = 0;
    await world.reaches(waiting, 'waiting');
    const worktree = world.episode(waiting).worktree ?? '';
    // A command that outlived its agent.
    writeFileSync(path.join(worktree, 'api/late.txt'), 'late\n');
    await new Promise<void>((resolve) => {
      const subscription = world.world.onChange(() => {
        if (existsSync(worktree) || world.world.diskUse() === null) return;
        subscription.dispose();
        resolve();
      });
    });
    expect(existsSync(world.episode(busy).worktree ?? '')).toBe(true);
    expect(world.world.diskUse()?.byEpisode.has(busy)).toBe(true);
    expect(repository.git('show', `refs/worldtree/episodes/${waiting}/saved:api/late.txt`)).toBe('late');
    expect(world.episode(waiting).candidates.at(-1)).toMatchObject({ inside: [{ path: 'api/server.ts' }], outside: [{ path: 'README.md' }] });

    budget = Infinity;
    value(await world.world.rework(waiting, 'Take 9090.'));
    await world.reaches(waiting, 'waiting');
    value(await world.world.decideOutside(waiting, 'drop', ['README.md' as never]));
    value(await world.accept(waiting));
    expect(repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 9090;');
  });
});
