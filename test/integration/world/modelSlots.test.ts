import { afterEach, describe, expect, it } from 'vitest';
import { rateLimited, call, ScriptedModel, type ScriptedAnswer, type SeenRequest } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

describe('a model that takes one request at a time', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function given(script: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>): Promise<{ world: TestWorld; model: ScriptedModel }> {
    const repository = makeTemporaryRepository({ 'a/x.ts': '1\n', 'b/x.ts': '1\n', 'c/x.ts': '1\n' });
    const model = await ScriptedModel.start({ script });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, settings: { slots: () => 1 } });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    return { world, model };
  }

  const folderOf = (request: SeenRequest): string => /Goal ([abc])\b/.exec(JSON.stringify(request.body.messages))?.[1] ?? '';
  const turnOf = (request: SeenRequest): number => request.body.messages.filter((m) => m.role === 'assistant').length;
  const work = (request: SeenRequest): ScriptedAnswer => (turnOf(request) === 0 ? { calls: [call('write_file', { path: `${folderOf(request)}/new.ts`, content: '1\n' })] } : { calls: [call('finish', { subject: 'Done', report: '' })] });

  it('is asked by several agents one after the other, and those that wait say for what', async () => {
    let open = 0;
    let most = 0;
    const words: string[] = [];
    const { world, model } = await given(async (request) => {
      most = Math.max(most, ++open);
      // Until another agent stands in line: then the test has seen what it is about.
      if (request.number === 1) await world.becomes(() => words.find((w) => w.startsWith('waiting for a slot')), () => 'nobody waited');
      open -= 1;
      return work(request);
    });
    world.world.onChange(() => {
      for (const id of world.world.state().episodes.keys()) words.push(world.world.live(id)?.words ?? '');
    });
    const ids = await Promise.all(['a', 'b', 'c'].map((folder) => world.delegate(folder, `Goal ${folder}`)));
    for (const id of ids) await world.reaches(id, 'waiting');
    expect(most).toBe(1);
    expect(model.requests).toHaveLength(6);
    expect(words).toContain('waiting for a slot of scripted');
  });

  it('is free for others while an agent backs off', async () => {
    const { world, model } = await given((request) => (folderOf(request) === 'a' && turnOf(request) === 0 && request.number === 1 ? { refuse: rateLimited({ 'retry-after': '60' }) } : work(request)));
    const a = await world.delegate('a', 'Goal a');
    await model.arrived(1);
    const b = await world.delegate('b', 'Goal b');
    await world.reaches(b, 'waiting');
    expect(world.world.live(a)?.words).toMatch(/^backing off/);
    value(await world.world.stop(a));
  });

  it('is free again after a stop in the middle of a request, and whoever waits can be stopped too', async () => {
    const { world, model } = await given(async (request) => {
      if (folderOf(request) === 'a') await request.gone;
      return work(request);
    });
    const a = await world.delegate('a', 'Goal a');
    await model.arrived(1);
    const [b, c] = [await world.delegate('b', 'Goal b'), await world.delegate('c', 'Goal c')];
    for (const id of [b, c]) await world.becomes(() => world.world.live(id)?.words.startsWith('waiting for a slot') === true || undefined, () => `${id} does not wait`);
    value(await world.world.stop(b));
    await world.reaches(b, 'ended');
    expect(model.requests).toHaveLength(1);
    value(await world.world.stop(a));
    await world.reaches(c, 'waiting');
    expect(model.requests.map(folderOf)).toEqual(['a', 'c', 'c']);
  });
});
