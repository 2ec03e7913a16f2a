import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { testConnection } from '../../../src/adapters/models/connectionTest.ts';
import { findLocalServers } from '../../../src/adapters/models/localServers.ts';
import { OpenAiCompatibleModels } from '../../../src/adapters/models/openaiCompatible.ts';
import type { ModelRef } from '../../../src/core/episode/model.ts';
import type { Prices } from '../../../src/core/limits/usage.ts';
import { probeCostWords, type Probed } from '../../../src/core/models/connectionProbe.ts';
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

const PRICES: Prices = { fresh: 1, cached: 0.1, output: 4 };

async function tested(options: ScriptedModelOptions, prices: Prices | null = null): Promise<{ readonly result: Probed; readonly server: ScriptedModel; readonly ref: ModelRef }> {
  const server = await scripted(options);
  const models = new OpenAiCompatibleModels({ keyFor: () => Promise.resolve(null), serverOf: () => testServer() });
  const ref: ModelRef = { kind: 'openai', profile: 'Ollama', baseUrl: server.baseUrl, model: 'scripted', prices };
  return { result: await testConnection(models, ref, new AbortController().signal), server, ref };
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
