import type { ModelRef, ModelReply } from '../../core/episode/model.ts';
import { ModelError } from '../../core/episode/modelError.ts';
import { calledTool, PROBE, probed, probeFailed, type Probed } from '../../core/models/connectionProbe.ts';
import type { Models } from '../../runtime/ports/models.ts';

/** Asks a model to call a tool, and where it does the same again: tells whether it answers, calls tools and tells cached tokens. */
export async function testConnection(models: Models, model: ModelRef, signal: AbortSignal): Promise<Probed> {
  const ask = (): Promise<ModelReply> => models.ask({ ...PROBE, model, signal, onText: () => undefined });
  const from = performance.now();
  try {
    const first = await ask();
    const ms = Math.round(performance.now() - from);
    // That it answers and calls tools is known by now; a provider that wants a pause takes nothing of it back.
    const again = calledTool(first) ? await ask().catch(() => null) : null;
    return probed(model, first, again, ms);
  } catch (error) {
    if (error instanceof ModelError) return probeFailed(error);
    throw error;
  }
}
