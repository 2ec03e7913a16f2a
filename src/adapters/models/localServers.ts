import { z } from 'zod';
import type { ModelRef } from '../../core/episode/model.ts';

/** A model server found on this machine, with the models it offers. */
export interface LocalServer {
  readonly name: 'Ollama' | 'LM Studio';
  readonly baseUrl: string;
  readonly models: readonly string[];
}

export interface LocalPorts {
  readonly ollama: number;
  readonly lmStudio: number;
}

const USUAL_PORTS: LocalPorts = { ollama: 11434, lmStudio: 1234 };
/** A list of models is small; whatever else listens there must not fill the memory. */
const MAX_BYTES = 1024 * 1024;

/**
 * Looks at the usual ports on loopback, all at once, for servers that list models. No key and no file goes there.
 * Takes `timeoutMs` at most (default 300), and gives an empty list where nothing answers.
 */
export async function findLocalServers(options: { readonly ports?: LocalPorts; readonly timeoutMs?: number } = {}): Promise<readonly LocalServer[]> {
  const ports = options.ports ?? USUAL_PORTS;
  const places = [{ name: 'Ollama', port: ports.ollama }, { name: 'LM Studio', port: ports.lmStudio }] as const;
  const found = await Promise.all(places.map(async ({ name, port }): Promise<LocalServer | null> => {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const models = await modelsAt(baseUrl, options.timeoutMs ?? 300);
    return models.length === 0 ? null : { name, baseUrl, models };
  }));
  return found.filter((server) => server !== null);
}

/** A model of a local server as an episode speaks to it. It has no prices, so that tokens bind it. */
export function localModel(server: LocalServer, model: string): ModelRef {
  return { kind: 'openai', profile: server.name, baseUrl: server.baseUrl, model, prices: null };
}

const modelList = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

async function modelsAt(baseUrl: string, timeoutMs: number): Promise<readonly string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok || response.body === null) return [];
    const list = modelList.safeParse(JSON.parse(await boundedText(response.body)));
    // Both servers list embedding models, which cannot converse.
    return list.success ? list.data.data.map((m) => m.id).filter((id) => !/embed/i.test(id)) : [];
  } catch {
    // Nobody there, nobody in time, or something else than a model server: all the same to who asks.
    return [];
  }
}

async function boundedText(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('too long for a list of models');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
