import { afterEach, describe, expect, it } from 'vitest';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { call, ScriptedModel, type ScriptedAnswer, type SeenRequest } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value, type TestWorldOptions } from '../../support/testWorld.ts';

const FILES = { 'README.md': '# Sample\n', 'api/server.ts': 'export const port = 80;\n' };
const WRITE = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

describe('an episode', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function given(script: readonly ScriptedAnswer[] | ((request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>), options: TestWorldOptions = {}): Promise<{ repository: TemporaryRepository; world: TestWorld; model: ScriptedModel }> {
    const repository = makeTemporaryRepository(FILES);
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    const model = await ScriptedModel.start({ script });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, ...options });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    return { repository, world, model };
  }

  const answer = async (world: TestWorld, id: EpisodeId, choice: 'raise' | 'hand-in' | 'stop' | 'run' | 'always' | 'refuse'): Promise<void> => {
    value(await world.world.answer(id, { choice, words: '' }));
  };

  it('asks before a request that does not fit into its cap, and goes on when the cap is raised (G8)', async () => {
    const { world, model } = await given([WRITE, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080', { costUsd: 0.01 });
    const asked = await world.reaches(id, 'asking');
    expect(asked.question).toMatchObject({ kind: 'limit', limit: 'cost', cap: 0.01 });
    expect(model.requests).toHaveLength(0);
    for (;;) {
      await answer(world, id, 'raise');
      await Promise.race([world.reaches(id, 'asking'), world.reaches(id, 'waiting')]);
      if (world.episode(id).phase.name === 'waiting') break;
    }
    expect(world.episode(id).limits.costUsd).toBeGreaterThan(0.01);
  });

  it('asks at the day’s cap of the machine', async () => {
    const { world } = await given([WRITE, FINISH], { daily: { costUsd: 0.001, allTokens: 1_000 } });
    const id = await world.delegate('api', 'Listen on 8080');
    const asked = await world.reaches(id, 'asking');
    expect(asked.question).toMatchObject({ kind: 'limit', limit: 'daily cost' });
  });

  it('hands in what it has when it is stopped, and sends nothing more (F11)', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => { release = resolve; });
    const { world, model } = await given(async (request) => {
      if (request.number === 1) return WRITE;
      await held;
      return FINISH;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(2);
    value(await world.world.stop(id));
    await world.reaches(id, 'waiting');
    release();
    expect(world.episode(id).candidates.at(-1)?.subject).toBe('Unfinished: Listen on 8080');
    expect(model.requests).toHaveLength(2);
  });

  it('asks before a command runs, and answers the model with the person’s words when it may not', async () => {
    const { world, model } = await given([{ calls: [call('run', { command: 'npm test' })] }, WRITE, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    const asked = await world.reaches(id, 'asking');
    expect(asked.question).toMatchObject({ kind: 'run', command: 'npm test', prefix: ['npm', 'test'] });
    value(await world.world.answer(id, { choice: 'refuse', words: 'there are no tests' }));
    await world.reaches(id, 'waiting');
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('there are no tests');
  });

  it('backs off after a rate limit and goes on by itself (F6)', async () => {
    const { world, model } = await given([{ refuse: { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'slow down' } } } }, WRITE, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(model.requests).toHaveLength(3);
    expect(world.episode(id).spent.turns).toBe(2);
  });

  it('goes on by itself in the same worktree under the same id when the window is opened again (C6)', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => { release = resolve; });
    const { repository, world, model } = await given(async (request) => {
      if (request.number === 1) return WRITE;
      if (request.number === 2) await held;
      return FINISH;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(2);
    const { worktree } = world.episode(id);
    await world.close();
    release();
    const again = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine: world.machine });
    cleanups.push(() => again.close());
    await again.reaches(id, 'waiting');
    const episode = again.episode(id);
    expect(episode.worktree).toBe(worktree);
    expect(episode.candidates.at(-1)?.inside.map((f) => f.path)).toEqual(['api/server.ts']);
    expect(episode.spent.inFlight.size).toBe(0);
    value(await again.accept(id));
    expect(repository.git('show', 'HEAD:api/server.ts')).toBe('export const port = 8080;');
  });

  it('never runs the calls of a reply that was cut, and asks again (F1)', async () => {
    const { world, model } = await given([{ ...WRITE, fault: { kind: 'cut-arguments', how: 'end', finish: 'tool_calls' } }, WRITE, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('none of its tool calls was executed');
    expect(world.episode(id).candidates).toHaveLength(1);
  });

  it('makes nothing of a path that a cut stream left incomplete (E7)', async () => {
    const half = { calls: [call('write_file', { path: 'api/handlers/retry.ts', content: 'export const retries = 5;\n' })], chunk: 4, fault: { kind: 'cut-arguments', how: 'break', finish: 'tool_calls' } } as const;
    const { world } = await given([half, half, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'no change' });
  });

  it('ends as no change when it did nothing (G4)', async () => {
    const { world } = await given([{ calls: [call('finish', { subject: 'Did it', report: 'All is done.' })] }]);
    const id = await world.delegate('api', 'Listen on 8080');
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'no change' });
  });

  it('shows what a command changed outside of its folder, which must be decided before an accept (B5)', async () => {
    const { repository, world } = await given([{ calls: [call('run', { command: 'echo changed > ../README.md' })] }, WRITE, FINISH, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'asking');
    await answer(world, id, 'run');
    await world.reaches(id, 'waiting');
    expect(world.episode(id).candidates.at(-1)?.outside.map((f) => f.path)).toEqual(['README.md']);
    const refused = await world.accept(id);
    expect(refused.ok ? null : refused.refusal.reason).toBe('outside-scope');
    value(await world.world.decideOutside(id, 'drop', ['README.md' as never]));
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:README.md')).toBe('# Sample');
  });
});
