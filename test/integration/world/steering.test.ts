import { afterEach, describe, expect, it } from 'vitest';
import { call, ScriptedModel, type ScriptedAnswer, type SeenRequest } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value, type TestWorldOptions } from '../../support/testWorld.ts';

const FILES = { 'README.md': '# Sample\n', 'api/server.ts': 'export const port = 80;\n' };
const LOOK = { calls: [call('read_file', { path: 'api/server.ts' })] };
const WRITE = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function given(script: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>, options: TestWorldOptions = {}): Promise<{ repository: TemporaryRepository; world: TestWorld; model: ScriptedModel }> {
  const repository = makeTemporaryRepository(FILES);
  repository.git('config', 'user.name', 'Test Person');
  repository.git('config', 'user.email', 'person@example.test');
  const model = await ScriptedModel.start({ script });
  const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, ...options });
  cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
  return { repository, world, model };
}

/** A request that the script holds back until the test lets it go on. */
function gate(): { readonly held: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const held = new Promise<void>((resolve) => { open = resolve; });
  return { held, open };
}

/** The texts of what a request said to the model as the user, the first messages left out. */
function saidIn(request: SeenRequest | undefined): readonly string[] {
  return (request?.body.messages ?? []).filter((m) => m.role === 'user').slice(1).map((m) => m.content ?? '');
}

describe('a message to an agent at work', () => {
  it('arrives at its next turn, with others in one go, while nothing that runs is cut off (G6)', async () => {
    const first = gate();
    const { world, model } = await given(async ({ number }) => {
      if (number === 1) await first.held;
      return [LOOK, WRITE, FINISH][number - 1] ?? FINISH;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(1);
    value(await world.world.message(id, 'Keep the name.'));
    value(await world.world.message(id, 'And no new file.'));
    first.open();
    await world.reaches(id, 'waiting');
    expect(saidIn(model.requests[1])).toEqual(['The person says:\nKeep the name.\n\nAnd no new file.']);
    expect(model.requests[1]?.body.messages.at(-2)).toMatchObject({ role: 'tool', content: expect.stringContaining('port = 80') as string });
    expect(saidIn(model.requests[2])).toHaveLength(1);
  });

  it('is neither dropped nor doubled where the window closes before it is told (G6)', async () => {
    const first = gate();
    const { repository, world, model } = await given(async ({ number }) => {
      if (number === 1) await first.held;
      return [LOOK, WRITE, FINISH][number - 1] ?? FINISH;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(1);
    value(await world.world.message(id, 'Keep the name.'));
    await world.close();
    first.open();
    const again = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine: world.machine });
    cleanups.push(() => again.close());
    await again.reaches(id, 'waiting');
    expect(again.episode(id).messages.map((m) => m.words)).toEqual(['Keep the name.']);
    // Said before the model had answered anything: it stands with the goal.
    for (const request of model.requests.slice(1)) expect(request.body.messages[1]?.content?.split('The person says:').slice(1)).toEqual(['\nKeep the name.']);
  });

  it('sent while its model writes its last words is read before anything is proposed (G6)', async () => {
    const second = gate();
    const { world, model } = await given(async ({ number }) => {
      if (number === 2) await second.held;
      return [WRITE, FINISH, { calls: [call('finish', { subject: 'Listen on 8080', report: 'The name is kept.' })] }][number - 1] ?? FINISH;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(2);
    value(await world.world.message(id, 'Keep the name.'));
    second.open();
    await world.reaches(id, 'waiting');
    expect(saidIn(model.requests[2])).toEqual(['The person says:\nKeep the name.']);
    expect(world.episode(id).candidates.map((c) => c.report)).toEqual(['The name is kept.']);
  });

  it('sent while its change is being made is read before it is proposed (G6)', async () => {
    const making = gate();
    const began = gate();
    const { world, model } = await given(({ number }) => [WRITE, FINISH, { calls: [call('finish', { subject: 'Listen on 8080', report: 'The name is kept.' })] }][number - 1] ?? FINISH, {
      candidates: (candidates) => ({ ...candidates, commit: async (request) => {
        began.open();
        await making.held;
        return candidates.commit(request);
      } }),
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await began.held;
    value(await world.world.message(id, 'Keep the name.'));
    making.open();
    await world.reaches(id, 'waiting');
    expect(saidIn(model.requests[2])).toEqual(['The person says:\nKeep the name.']);
    expect(world.episode(id).candidates.map((c) => [c.number, c.report])).toEqual([[1, 'The name is kept.']]);
  });

  it('sent while it asks something reaches it with the answer', async () => {
    const { world, model } = await given(({ number }) => [{ calls: [call('run', { command: 'npm test' })] }, WRITE, FINISH][number - 1] ?? FINISH);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'asking');
    value(await world.world.message(id, 'There are no tests here.'));
    value(await world.world.answer(id, { choice: 'refuse', words: '' }));
    await world.reaches(id, 'waiting');
    expect(saidIn(model.requests[1])).toEqual(['The person says:\nThere are no tests here.']);
  });
});

describe('an agent that the person lets finish up', () => {
  it('ends its turn, has one more, and proposes what it finishes with', async () => {
    const second = gate();
    const { world, model } = await given(async ({ number }) => {
      if (number === 2) await second.held;
      return [LOOK, WRITE, { calls: [call('finish', { subject: 'Listen on 8080', report: 'The docs are left.' })] }][number - 1] ?? FINISH;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(2);
    value(await world.world.cancel(id));
    second.open();
    await world.reaches(id, 'waiting');
    expect(saidIn(model.requests[2])).toEqual([expect.stringContaining('This is your last turn')]);
    expect(model.requests).toHaveLength(3);
    expect(world.episode(id)).toMatchObject({ cancelling: false, candidates: [{ subject: 'Listen on 8080', report: 'The docs are left.' }] });
  });

  it('that goes on working all the same is handed in as it is', async () => {
    const first = gate();
    const { world, model } = await given(async ({ number }) => {
      if (number === 1) await first.held;
      return number === 1 ? LOOK : WRITE;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(1);
    value(await world.world.cancel(id));
    first.open();
    await world.reaches(id, 'waiting');
    expect(model.requests).toHaveLength(2);
    expect(world.episode(id).candidates.at(-1)).toMatchObject({ subject: 'Unfinished: Listen on 8080', report: 'Ended early, by the person’s word.' });
  });

  it('and that has nothing to show ends as cancelled', async () => {
    const first = gate();
    const { world, model } = await given(async ({ number }) => {
      if (number === 1) await first.held;
      return LOOK;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(1);
    value(await world.world.cancel(id));
    first.open();
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'cancelled' });
  });
});

describe('an agent whose turns run out', () => {
  it('is told that one more is its last, and then asks', async () => {
    const { world, model } = await given(({ number }) => ({ calls: [call('list_files', { depth: number })] }));
    const id = await world.delegate('api', 'Listen on 8080', { turns: 2 });
    const asked = await world.reaches(id, 'asking');
    expect(asked.question).toMatchObject({ kind: 'limit', limit: 'turns', used: 3, cap: 2 });
    expect(saidIn(model.requests[2]).at(-1)).toContain('This one more is your last');
    value(await world.world.answer(id, { choice: 'stop', words: '' }));
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'out of turns' });
  });
});

describe('an agent that does the same over and over', () => {
  const again = { calls: [call('read_file', { path: 'api/nowhere.ts' })] };

  it('offers the person a word, goes on with it, and ends as stuck where they say stop (F10)', async () => {
    const { world, model } = await given(() => again);
    const id = await world.delegate('api', 'Listen on 8080');
    expect((await world.reaches(id, 'asking')).question).toMatchObject({ kind: 'stuck', times: 5 });
    expect(model.requests).toHaveLength(5);
    value(await world.world.answer(id, { choice: 'message', words: 'It is api/server.ts.' }));
    await model.arrived(6);
    expect(saidIn(model.requests[5])).toEqual(['The person says:\nIt is api/server.ts.']);
    await world.becomes(() => (world.episode(id).spent.turns === 6 && world.episode(id).phase.name === 'asking' ? true : undefined), () => 'it did not ask again');
    value(await world.world.answer(id, { choice: 'stop', words: '' }));
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'stuck' });
  });

  it('with other arguments each time is let work (F10)', async () => {
    const { world, model } = await given(({ number }) => (number <= 20 ? { calls: [call('read_file', { path: `api/no${String(number)}.ts` })] } : number === 21 ? WRITE : FINISH));
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(model.requests).toHaveLength(22);
  });
});
