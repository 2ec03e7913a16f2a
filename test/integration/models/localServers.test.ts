import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { testConnection } from '../../../src/adapters/models/connectionTest.ts';
import { findLocalServers } from '../../../src/adapters/models/localServers.ts';
import { OpenAiCompatibleModels } from '../../../src/adapters/models/openaiCompatible.ts';
import { openSpending, type OpenedSpending } from '../../../src/adapters/spending/openSpending.ts';
import { systemClock } from '../../../src/adapters/systemClock.ts';
import type { ModelRef } from '../../../src/core/episode/model.ts';
import { absolutePath } from '../../../src/core/ids.ts';
import { costOf, type Prices } from '../../../src/core/limits/usage.ts';
import { probeCostWords, type Probed } from '../../../src/core/models/connectionProbe.ts';
import { countedModels } from '../../../src/runtime/countedModels.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { testServer } from '../../support/testServer.ts';
import { call, ScriptedModel, type ScriptedModelOptions } from '../../support/scriptedModel.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

describe('looking for local servers', () => {
  it('finds both with the models that can converse, without sending a key', async () => {
    const ollama = await scripted({ script: [], models: ['qwen3:8b', 'nomic-embed-text:latest'] });
    const studio = await scripted({ script: [], models: ['gpt-oss-20b'] });
    expect(await findLocalServers({ ports: { ollama: ollama.port, lmStudio: studio.port } })).toEqual([
      { name: 'Ollama', baseUrl: ollama.baseUrl, models: ['qwen3:8b'] },
      { name: 'LM Studio', baseUrl: studio.baseUrl, models: ['gpt-oss-20b'] },
    ]);
    expect(ollama.otherRequests).toEqual([{ method: 'GET', path: '/v1/models', authorization: undefined }]);
  });

  it('finds nothing where nobody listens', async () => {
    expect(await findLocalServers({ ports: { ollama: await freePort(), lmStudio: await freePort() } })).toEqual([]);
  });

  it('does not wait for a server that says nothing, and takes no other page for a list of models', async () => {
    const silent = await serve(() => undefined);
    const page = await serve((_, response) => response.end('<html>a web server</html>'));
    const from = performance.now();
    expect(await findLocalServers({ ports: { ollama: silent, lmStudio: page }, timeoutMs: 100 })).toEqual([]);
    expect(performance.now() - from).toBeLessThan(1000);
  });

  it('does not read an endless answer, and follows no redirect', async () => {
    const endless = await serve((_, response) => {
      response.on('drain', () => response.write('x'.repeat(65536)));
      while (response.write('x'.repeat(65536)));
    });
    const ollama = await scripted({ script: [] });
    const redirecting = await serve((_, response) => response.writeHead(302, { location: `${ollama.baseUrl}/models` }).end());
    expect(await findLocalServers({ ports: { ollama: endless, lmStudio: redirecting }, timeoutMs: 5000 })).toEqual([]);
    expect(ollama.otherRequests).toEqual([]);
  });
});

describe('testing a connection', () => {
  const READY = { calls: [call('ready', {})] };

  it('says that a model answers, calls tools and tells cached tokens, with the second of two equal requests', async () => {
    const { result, server } = await tested({ script: [READY, READY] }, PRICES);
    expect(result).toMatchObject({ ok: true, tools: 'called' });
    expect(result.words).toMatch(/^scripted answered in \d+\.\d s and calls tools\. It tells cached tokens\.$/);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
    expect(result.usage?.cached).toBeGreaterThan(1024);
  });

  it('costs no more than it said', async () => {
    const { result, ref } = await tested({ script: [READY, READY] }, PRICES);
    expect(probeCostWords(ref)).toBe('two short requests, up to 3.88 k tokens, <$0.01 at most');
    expect((result.usage?.fresh ?? 0) + (result.usage?.cached ?? 0) + (result.usage?.output ?? 0)).toBeLessThan(3880);
  });

  it.each([
    [{ prompt_tokens: 1500, completion_tokens: 5 }, /It told no cached tokens when asked the same again: all input counts as fresh\. Its prices are not known: limits bind by tokens\.$/],
    [null, /It tells no token counts: they are estimated and marked with ~\. Its prices are not known/],
  ])('says what is not known of usage and prices (%j)', async (usage, words) => {
    expect((await tested({ script: [{ ...READY, usage }, { ...READY, usage }] })).result.words).toMatch(words);
  });

  it('refuses a model that answers without calling the tool, after one request', async () => {
    const { result, server } = await tested({ script: [{ text: 'I am ready.' }] });
    expect(result).toMatchObject({ ok: false, toolless: true });
    expect(result.words).toMatch(/did not call the tool/);
    expect(server.requests).toHaveLength(1);
  });

  it('refuses one whose server says that it cannot', async () => {
    const { result } = await tested({ script: [{ refuse: { status: 400, body: { error: { message: 'tiny:latest does not support tools' } } } }] });
    expect(result).toMatchObject({ ok: false, toolless: true });
    expect(JSON.stringify(result)).toMatch(/Choose a model that can/);
  });

  it('does not judge one that thought longer than the test allows', async () => {
    const { result } = await tested({ script: [{ reasoning: 'hm, ready', finish: 'length' }] });
    expect(result).toMatchObject({ ok: true, tools: 'unknown' });
    expect(result.words).toMatch(/not known/);
  });

  it('stands by the first answer where the second is refused', async () => {
    const { result } = await tested({ script: [READY, { refuse: { status: 429, body: 'slow down' } }] }, PRICES);
    expect(result).toMatchObject({ ok: true, tools: 'called' });
    expect(result.words).toMatch(/calls tools\.$/);
  });

  it('says what is wrong and what to do', async () => {
    const { result } = await tested({ script: [], models: ['another'] });
    expect(result).toMatchObject({ ok: false, toolless: false });
    expect(result.words).toMatch(/does not exist/);
    expect(JSON.stringify(result)).toMatch(/really named scripted/);
  });
});

describe('a test of a connection', () => {
  const READY = { calls: [call('ready', {})] };
  const DAILY = { costUsd: 1, allTokens: 10_000 };

  async function counted(script: ScriptedModelOptions['script'], prices: Prices | null, daily = DAILY): Promise<{ readonly server: ScriptedModel; readonly spending: OpenedSpending; readonly test: () => Promise<Probed> }> {
    const folder = makeTemporaryFolder('spending');
    const spending = openSpending(absolutePath.parse(folder), { pollMs: 20 });
    stops.push(async () => {
      await spending.close();
      removeFolder(folder);
    });
    const server = await scripted({ script });
    return { server, spending, test: () => testConnection(countedModels(openai(), { spending, daily: () => daily, clock: systemClock }), refTo(server, prices), new AbortController().signal) };
  }

  it('is counted in what was spent today, by its prices or else in tokens', async () => {
    for (const prices of [PRICES, null]) {
      const { spending, test } = await counted([READY, READY], prices);
      const { usage } = await test();
      const { spent, reserved } = await spending.today();
      expect(reserved).toEqual({ usd: 0, unpricedTokens: 0 });
      if (usage === null) return expect.unreachable();
      expect(spent.unpricedTokens).toBe(prices === null ? usage.fresh + usage.cached + usage.output : 0);
      expect(spent.usd).toBeCloseTo(prices === null ? 0 : costOf(usage, prices), 12);
    }
  });

  it('is refused, and nothing sent, where it does not fit into the day', async () => {
    const { server, test } = await counted([READY], PRICES, { ...DAILY, costUsd: 0.001 });
    expect(await test()).toMatchObject({ ok: false, toolless: false, words: expect.stringMatching(/day’s cap is reached/) as string });
    expect(server.requests).toEqual([]);
  });

  it('ends with Stop Everything, before it is sent or while it is under way', async () => {
    const middle = await counted(async (request) => {
      await middle.spending.stopEverything();
      await request.gone;
      return READY;
    }, PRICES);
    expect(await middle.test()).toMatchObject({ ok: false });
    expect((await middle.spending.today()).reserved.usd).toBe(0);
    expect(middle.server.requests).toHaveLength(1);
    const after = countedModels(openai(), { spending: middle.spending, daily: () => DAILY, clock: { now: () => Date.now() - 60_000 } });
    expect(await testConnection(after, refTo(middle.server, PRICES), new AbortController().signal)).toMatchObject({ ok: false, words: 'Everything was stopped.' });
    expect(middle.server.requests).toHaveLength(1);
  });
});

const PRICES: Prices = { fresh: 1, cached: 0.1, output: 4 };

async function tested(options: ScriptedModelOptions, prices: Prices | null = null): Promise<{ readonly result: Probed; readonly server: ScriptedModel; readonly ref: ModelRef }> {
  const server = await scripted(options);
  const ref = refTo(server, prices);
  return { result: await testConnection(openai(), ref, new AbortController().signal), server, ref };
}

function openai(): OpenAiCompatibleModels {
  return new OpenAiCompatibleModels({ keyFor: () => Promise.resolve(null), serverOf: () => testServer() });
}

function refTo({ baseUrl }: ScriptedModel, prices: Prices | null): ModelRef {
  return { kind: 'openai', profile: 'Ollama', baseUrl, model: 'scripted', prices };
}

async function scripted(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await ScriptedModel.start(options);
  stops.push(() => model.stop());
  return model;
}

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  }));
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const port = await serve(() => undefined);
  await stops.pop()?.();
  return port;
}
