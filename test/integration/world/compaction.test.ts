import { afterEach, describe, expect, it } from 'vitest';
import { call, contextTooLong, ScriptedModel, type ScriptedAnswer, type SeenRequest } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value, type TestWorldOptions } from '../../support/testWorld.ts';

const LONG = Array.from({ length: 300 }, (_, i) => `export const line${String(i)} = ${String(i)};`).join('\n');
const FILES = { 'README.md': '# Sample\n', 'api/server.ts': 'export const port = 80;\n', 'api/long.ts': `${LONG}\n` };
const read = (from: number) => ({ calls: [call('read_file', { path: 'api/long.ts', from_line: from })] });
const WRITE = { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] };
const FINISH = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };
const SUMMARY = 'Read api/long.ts, which holds numbered constants. Left: set the port in api/server.ts to 8080, then finish.';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function given(script: (request: SeenRequest) => ScriptedAnswer, options: TestWorldOptions = {}): Promise<{ world: TestWorld; model: ScriptedModel }> {
  const repository = makeTemporaryRepository(FILES);
  const model = await ScriptedModel.start({ script });
  const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, ...options });
  cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
  return { world, model };
}

/** How a request ends in what it says to the model. */
const lastWords = (request: SeenRequest | undefined): string => request?.body.messages.at(-1)?.content ?? '';
const asksForSummary = (request: SeenRequest): boolean => lastWords(request).includes('Answer with the summary itself');

describe('an agent whose conversation becomes long', () => {
  it('writes a summary on the unchanged history, goes on from it, and can read the rest back', async () => {
    let work = 0;
    const { world, model } = await given((request) => {
      if (asksForSummary(request)) return { text: SUMMARY };
      work += 1;
      return [read(1), read(50), read(100), read(150), { calls: [call('read_history', { text: 'line299' })] }, WRITE, FINISH][work - 1] ?? FINISH;
    }, { settings: { compactAt: () => 8_000 } });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    const at = model.requests.findIndex(asksForSummary);
    const [before, summary, after, next] = model.requests.slice(at - 1, at + 3).map((r) => r.body.messages);
    expect(JSON.stringify(summary).startsWith(JSON.stringify(before).slice(0, -1))).toBe(true);
    expect(model.requests[at]?.body.tools).toEqual(model.requests[at - 1]?.body.tools);
    expect(after?.[0]).toEqual(before?.[0]);
    expect(after).toHaveLength(2);
    expect(after?.[1]?.content?.startsWith(before?.[1]?.content ?? '-')).toBe(true);
    expect(after?.[1]?.content).toContain(SUMMARY);
    expect(next?.at(-1)?.content).toMatch(/^Lines that hold "line299"[^]*turn 1, line \d+: .*line299 = 299/);
    // Counted like every request.
    expect(world.episode(id).spent.turns).toBe(model.requests.length);
    expect(world.episode(id).candidates.at(-1)?.inside.map((f) => f.path)).toEqual(['api/server.ts']);
  });

  it('goes on from its summary also in a window that is opened anew', async () => {
    let work = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => { release = resolve; });
    const repository = makeTemporaryRepository(FILES);
    const model = await ScriptedModel.start({ script: async (request) => {
      if (asksForSummary(request)) return { text: SUMMARY };
      work += 1;
      if (work === 5) await held;
      return [read(1), read(50), read(100), read(150), WRITE, WRITE, FINISH][work - 1] ?? FINISH;
    } });
    const settings = { compactAt: () => 8_000 };
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, settings });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget());
    const id = await world.delegate('api', 'Listen on 8080');
    await model.arrived(6);
    await world.close();
    release();
    const again = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine: world.machine, settings });
    cleanups.push(() => again.close());
    await again.reaches(id, 'waiting');
    expect(model.requests[6]?.body.messages).toEqual(model.requests[5]?.body.messages);
    expect(model.requests.filter(asksForSummary)).toHaveLength(1);
  });

  it('gets a summary of the host’s where it writes none', async () => {
    let work = 0;
    const { world, model } = await given((request) => {
      if (asksForSummary(request)) return read(1);
      work += 1;
      return [read(1), read(50), read(100), read(150), WRITE, FINISH][work - 1] ?? FINISH;
    }, { settings: { compactAt: () => 8_000 } });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(model.requests.filter(asksForSummary)).toHaveLength(2);
    const after = model.requests[model.requests.findLastIndex(asksForSummary) + 1];
    expect(lastWords(after)).toMatch(/You wrote no summary[^]*Files that you read:\n- api\/long\.ts/);
  });
});

describe('an agent whose conversation the provider finds too long (F7)', () => {
  it('is made shorter once by force, with its largest outputs cut, and goes on', async () => {
    let work = 0;
    const { world, model } = await given((request) => {
      if (asksForSummary(request)) return { text: SUMMARY };
      work += 1;
      if (work === 3) return { refuse: contextTooLong() };
      return [read(1), read(100), null, WRITE, FINISH][work - 1] ?? FINISH;
    });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    const [refused, summary, after] = model.requests.slice(2).map((r) => JSON.stringify(r.body.messages));
    expect(summary?.length).toBeLessThan((refused?.length ?? 0) * 0.75);
    expect(summary).toContain('read_history shows them');
    expect(after).toContain(SUMMARY);
    expect(world.episode(id).spent.turns).toBe(5);
  });

  it('too long a second time in a row asks the person, with the reason, and can still be handed in', async () => {
    const { world, model } = await given(({ number }) => (number === 1 ? WRITE : { refuse: contextTooLong() }));
    const id = await world.delegate('api', 'Listen on 8080');
    const asked = await world.reaches(id, 'asking');
    expect(asked.question).toMatchObject({ kind: 'failed', words: expect.stringMatching(/too long|context/i) as string });
    expect(model.requests).toHaveLength(3);
    value(await world.world.answer(id, { choice: 'hand-in', words: '' }));
    await world.reaches(id, 'waiting');
  });
});
