import { modelName, type ModelRef, type ModelReply } from '../../core/episode/model.ts';
import type { Usage } from '../../core/limits/usage.ts';
import { ModelError } from '../../core/episode/modelError.ts';
import type { Models } from '../../runtime/ports/models.ts';

type ConnectionResult =
  /** `callsTools` false: it answers, but it did not use the tool that it was told to use; agents will do badly. */
  | { readonly ok: true; readonly words: string; readonly callsTools: boolean; readonly usage: Usage }
  | { readonly ok: false; readonly words: string; readonly next: string; readonly usage: Usage | null };

/** One short request that tells whether a model answers and calls tools. It costs a few hundred tokens; `usage` says how many. */
export async function testConnection(models: Models, model: ModelRef, signal: AbortSignal): Promise<ConnectionResult> {
  const from = performance.now();
  try {
    const reply = await models.ask({
      model,
      messages: [{ role: 'system', text: 'This is a test of the connection.' }, { role: 'user', text: 'Call the tool "ready" now.' }],
      tools: [{ name: 'ready', description: 'Says that you are ready.', parameters: { type: 'object', properties: {}, additionalProperties: false } }],
      // Models that think first need some room before they call anything.
      maxOutputTokens: 512,
      signal,
      onText: () => undefined,
    });
    return answered(reply, modelName(model), Math.round(performance.now() - from));
  } catch (error) {
    if (error instanceof ModelError) return { ok: false, words: error.message, next: error.next, usage: error.usage };
    throw error;
  }
}

function answered(reply: ModelReply, name: string, ms: number): ConnectionResult {
  const callsTools = reply.message.calls.some((c) => c.name === 'ready');
  const { usage } = reply;
  const took = `${name} answered in ${(ms / 1000).toFixed(1)} s`;
  if (callsTools) return { ok: true, words: `${took} and calls tools.`, callsTools, usage };
  // It may have thought up to the limit of this test; then nothing is known about its tools.
  const doubt = reply.end === 'length' ? '.' : ', but did not call the tool it was told to call. Agents need a model that does.';
  return { ok: true, words: `${took}${doubt}`, callsTools, usage };
}
