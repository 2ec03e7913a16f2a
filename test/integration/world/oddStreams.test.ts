import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { call, overloaded400, rateLimited, ScriptedModel, type ScriptedAnswer, type ScriptedModelOptions } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value, type TestWorldOptions } from '../../support/testWorld.ts';

const FILES = { 'README.md': '# Sample\n', 'api/server.ts': 'export const port = 80;\n', 'api/a.ts': 'one\n', 'api/b.ts': 'two\n' };
const EDIT = { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' };
const WRITE: ScriptedAnswer = { calls: [call('edit_file', EDIT)] };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

describe('an agent whose model answers oddly', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function given(script: ScriptedModelOptions['script'], options: TestWorldOptions = {}, server: Partial<ScriptedModelOptions> = {}): Promise<{ world: TestWorld; model: ScriptedModel }> {
    const repository = makeTemporaryRepository(FILES);
    const model = await ScriptedModel.start({ script, ...server });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, ...options });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    return { world, model };
  }

  it('runs parallel calls that all came at index 0, and answers each under its own id (F2)', async () => {
    const { world, model } = await given([{ calls: ['api/a.ts', 'api/b.ts', 'api/server.ts'].map((file) => call('read_file', { path: file }, { index: 0 })) }, WRITE, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    const answers = model.requests[1]?.body.messages.filter((m) => m.role === 'tool') ?? [];
    expect(answers.map((m) => m.tool_call_id)).toEqual(['call_1_0', 'call_1_1', 'call_1_2']);
    for (const [place, holds] of ['one', 'two', 'port = 80'].entries()) expect(answers[place]?.content).toContain(holds);
  });

  it('answers a call without an id under the one that it was given (F3)', async () => {
    const { world, model } = await given([{ calls: [call('read_file', { path: 'api/a.ts' }, { id: null })] }, WRITE, FINISH]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    const [asked, answered] = model.requests[1]?.body.messages.slice(-2) ?? [];
    expect(asked?.tool_calls?.[0]?.id).toMatch(/^[0-9a-z]{9}$/);
    expect(answered?.tool_call_id).toBe(asked?.tool_calls?.[0]?.id);
  });

  it('waits and goes on after each way of saying “later”, and what it did counts (F6)', async () => {
    const { world, model } = await given([
      { refuse: rateLimited({ 'retry-after': '0' }) }, WRITE, { refuse: overloaded400() },
      { text: 'half of it', fault: { kind: 'error-object', error: { message: 'Overloaded', type: 'overloaded_error', code: 'overloaded_error' } } }, FINISH,
    ]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(model.requests).toHaveLength(5);
    expect(world.episode(id).spent.turns).toBe(2);
  });

  it('asks with the provider’s words where it stays refused, and is failed when it is handed in (F6)', async () => {
    const { world } = await given([{ refuse: { status: 402, body: { error: { message: 'No credits left' } } } }]);
    const id = await world.delegate('api', 'Listen on 8080');
    const { question } = await world.reaches(id, 'asking');
    expect(JSON.stringify(question)).toContain('No credits left');
    value(await world.world.answer(id, { choice: 'hand-in', words: '' }));
    expect(await world.reaches(id, 'ended')).toMatchObject({ outcome: 'failed' });
  });

  it.each([
    { of: 'with the cached tokens inside', usage: { prompt_tokens: 1000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } } },
    { of: 'with hits and misses beside it', usage: { prompt_tokens: 1000, completion_tokens: 10, prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100 } },
    { of: 'that is smaller than its cached part', usage: { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } } },
  ])('counts a prompt $of once (F8)', async ({ usage }) => {
    const { world } = await given([{ ...WRITE, usage }, { ...FINISH, usage }]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    expect(world.episode(id).spent).toMatchObject({ usage: { fresh: 200, cached: 1800, output: 20 }, estimated: false });
    expect(world.episode(id).spent.usd).toBeCloseTo((200 * 1 + 1800 * 0.1 + 20 * 4) / 1e6, 12);
  });

  it('carries out arguments that are a JSON string of an object, and says what is wrong with others (F9)', async () => {
    const { world, model } = await given([
      { calls: [call('edit_file', JSON.stringify(JSON.stringify(EDIT)))] }, { calls: [call('list_files', '')] }, { calls: [call('read_file', '')] }, { calls: [call('read_file', '{"path": api}')] }, FINISH,
    ]);
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    const answers = model.requests[4]?.body.messages.filter((m) => m.role === 'tool').map((m) => m.content ?? '') ?? [];
    expect(answers[1]).toContain('server.ts');
    expect(answers[2]).toMatch(/path/);
    expect(answers[3]).toMatch(/JSON/);
    expect(world.episode(id).candidates.at(-1)?.inside.map((f) => f.path)).toEqual(['api/server.ts']);
  });

  it('stops within a second in the middle of a stream and of a back-off, and sends and spends nothing more (F11)', async () => {
    for (const answer of [{ text: 'x'.repeat(4000), delayMs: 40 }, { refuse: rateLimited({ 'retry-after': '60' }) }] satisfies ScriptedAnswer[]) {
      const { world, model } = await given([answer]);
      const id = await world.delegate('api', 'Listen on 8080');
      await world.becomes(() => (/backing off/.test(world.world.live(id)?.words ?? '') || (world.world.live(id)?.text ?? '') !== '' ? true : undefined), () => 'nothing came');
      const from = performance.now();
      value(await world.world.stop(id));
      await world.reaches(id, 'ended');
      expect(performance.now() - from).toBeLessThan(1000);
      const { spent } = world.episode(id);
      expect(spent.inFlight.size).toBe(0);
      expect(model.requests).toHaveLength(1);
    }
  });

  it('is not kept waiting by a provider that wants to be left alone for days: the person is asked, with its words', async () => {
    const { world, model } = await given([{ refuse: rateLimited({ 'retry-after': '2592000' }) }]);
    const { question } = await world.reaches(await world.delegate('api', 'Listen on 8080'), 'asking');
    expect(question).toMatchObject({ kind: 'failed', words: expect.stringMatching(/429.*It asks to be left alone for .*Try again then/) as string });
    expect(model.requests).toHaveLength(1);
  });

  it('gives up a connection that is open but silent, and tries again (F12)', async () => {
    const { world, model } = await given([{ text: 'half of this will arrive', fault: { kind: 'silence', after: 'text' } }, WRITE, FINISH], { traits: { idleSeconds: 0.2 } });
    const id = await world.delegate('api', 'Listen on 8080');
    await world.reaches(id, 'waiting');
    await model.requests[0]?.gone;
    expect(model.requests).toHaveLength(3);
  });

  it('reads a file with special tokens to a model that refuses them (F13)', async () => {
    const { world, model } = await given(({ number, body }) => {
      if (body.messages.some((m) => m.content?.includes('<|') === true)) return { refuse: { status: 400, body: { error: { message: "Encountered text corresponding to disallowed special token '<|endoftext|>'." } } } };
      if (body.messages.at(-1)?.content?.includes('endoftext') === true) return FINISH;
      return number === 1 ? { calls: [call('write_file', { path: 'api/tokens.txt', content: 'a <|endoftext|> b \ud800 c\n' })] } : { calls: [call('read_file', { path: 'api/tokens.txt' })] };
    });
    const id = await world.delegate('api', 'Write tokens');
    await world.reaches(id, 'waiting');
    expect(readFileSync(path.join(world.episode(id).worktree ?? '', 'api/tokens.txt'), 'utf8')).toContain('a <|endoftext|> b');
    expect(model.requests.length).toBeGreaterThan(3);
  });

  it.each([
    { name: 'a key that is wrong', options: { key: 'right' }, words: /401.*key/ },
    { name: 'a model that is not there', options: { models: ['other'] }, words: /404.*really named scripted/ },
  ])('asks once, without retries, about $name (F14)', async ({ options, words }) => {
    const { world, model } = await given([], {}, options);
    const id = await world.delegate('api', 'Listen on 8080');
    expect(JSON.stringify((await world.reaches(id, 'asking')).question)).toMatch(words);
    expect(model.requests).toHaveLength(1);
  });

  it('asks once, without retries, about a server that is not there (F14)', async () => {
    const { world, model } = await given([]);
    await model.stop();
    cleanups.splice(1, 1);
    const id = await world.delegate('api', 'Listen on 8080');
    expect(JSON.stringify((await world.reaches(id, 'asking')).question)).toMatch(/No model server answers at .*ollama serve/);
  });
});
