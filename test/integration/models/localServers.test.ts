import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { testConnection } from '../../../src/adapters/models/connectionTest.ts';
import { findLocalServers } from '../../../src/adapters/models/localServers.ts';
import { OpenAiCompatibleModels } from '../../../src/adapters/models/openaiCompatible.ts';
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
  it('says that a model answers and calls tools', async () => {
    const result = await tested({ script: [{ calls: [call('ready', {})] }] });
    expect(result).toMatchObject({ ok: true, callsTools: true });
    expect(result.words).toMatch(/^scripted answered in \d+\.\d s and calls tools\.$/);
  });

  it('says that a model answers without calling the tool', async () => {
    const result = await tested({ script: [{ text: 'I am ready.' }] });
    expect(result).toMatchObject({ ok: true, callsTools: false });
    expect(result.words).toMatch(/did not call the tool/);
  });

  it('says what is wrong and what to do', async () => {
    const result = await tested({ script: [], models: ['another'] });
    expect(result.words).toMatch(/does not exist/);
    expect(result).toHaveProperty('next');
    expect(JSON.stringify(result)).toMatch(/really named scripted/);
  });
});

async function tested(options: ScriptedModelOptions): Promise<Awaited<ReturnType<typeof testConnection>>> {
  const server = await scripted(options);
  const models = new OpenAiCompatibleModels({ keyFor: () => Promise.resolve(null), serverOf: () => testServer() });
  return testConnection(models, { kind: 'openai', profile: 'Ollama', baseUrl: server.baseUrl, model: 'scripted', prices: null }, new AbortController().signal);
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
