import { z } from 'zod';

/**
 * The conversing models that a server says it has; empty where it does not tell within `timeoutMs` milliseconds. The key
 * goes to this address only: redirects are not followed.
 */
export async function listModels(baseUrl: string, key: string | null, timeoutMs: number): Promise<readonly string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, { redirect: 'error', headers: key === null ? {} : { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok || response.body === null) return [];
    const list = modelList.safeParse(JSON.parse(await boundedText(response.body)));
    // Both servers list embedding models, which cannot converse.
    return list.success ? list.data.data.map((m) => m.id).filter((id) => !/embed/i.test(id)) : [];
  } catch {
    // Nobody there, nobody in time, or something else than a model server: all the same to who asks.
    return [];
  }
}

/** A list of models is small; whatever else listens there must not fill the memory. */
const MAX_BYTES = 1024 * 1024;

const modelList = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

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
