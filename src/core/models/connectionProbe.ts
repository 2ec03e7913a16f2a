import { modelName, pricesOf, type Message, type ModelRef, type ModelReply, type ToolDefinition } from '../episode/model.ts';
import type { ModelError } from '../episode/modelError.ts';
import { requestEstimate } from '../limits/estimate.ts';
import { addUsage, costOf, type Usage } from '../limits/usage.ts';
import { tokens, usd } from '../projections/amounts.ts';

/** Providers cache a prompt only from some length on; 1,024 tokens is the longest of these that is known. */
const LONG_BEGINNING = Array.from({ length: 110 }, (_, n) => `${String(n + 1)}. A folder holds files, and a file holds lines.`).join('\n');

/** One request that shows whether a model answers and calls tools; sent twice, whether its server tells cached tokens. */
export const PROBE: { readonly messages: readonly Message[]; readonly tools: readonly ToolDefinition[]; readonly maxOutputTokens: number } = {
  messages: [{ role: 'system', text: `This is a test of the connection.\n${LONG_BEGINNING}` }, { role: 'user', text: 'Call the tool "ready" now.' }],
  tools: [{ name: 'ready', description: 'Says that you are ready.', parameters: { type: 'object', properties: {}, additionalProperties: false } }],
  // Models that think first need some room before they call anything.
  maxOutputTokens: 512,
};

/** What the test may cost, told before it is made: `two short requests, up to 5.1 k tokens, $0.01 at most`. */
export function probeCostWords(model: ModelRef): string {
  const once = requestEstimate(PROBE.messages, PROBE.tools, PROBE.maxOutputTokens);
  const both = addUsage(once, once);
  const prices = pricesOf(model);
  return `two short requests, up to ${tokens(both.fresh + both.output)} tokens${prices.known ? `, ${usd(costOf(both, prices.prices))} at most` : ''}`;
}

export type Probed =
  /** `unknown`: it thought up to the limit of the test. */
  | { readonly ok: true; readonly tools: 'called' | 'unknown'; readonly words: string; readonly usage: Usage }
  /** `toolless`: it answers, and cannot be delegated to. */
  | { readonly ok: false; readonly toolless: boolean; readonly words: string; readonly next: string; readonly usage: Usage | null };

export function calledTool(reply: ModelReply): boolean {
  return reply.end === 'complete' && reply.message.calls.some((c) => c.name === 'ready');
}

/** @param again the answer to the same request a second time; null where it was not asked again, or failed. */
export function probed(model: ModelRef, first: ModelReply, again: ModelReply | null, ms: number): Probed {
  const took = `${modelName(model)} answered in ${(ms / 1000).toFixed(1)} s`;
  const usage = again === null ? first.usage : addUsage(first.usage, again.usage);
  if (calledTool(first)) return { ok: true, tools: 'called', words: `${took} and calls tools. ${[cacheWords(again), priceWords(model)].filter((words) => words !== '').join(' ')}`.trim(), usage };
  if (first.end === 'length') return { ok: true, tools: 'unknown', words: `${took}, but thought longer than this test allows: whether it calls tools is not known.`, usage };
  return { ok: false, toolless: true, words: `${took}, but did not call the tool that it was told to call.`, next: 'Agents work by calling tools. Choose a model that does; on a server of your own, see whether tool calls have to be switched on.', usage };
}

export function probeFailed(error: ModelError): Probed {
  return { ok: false, toolless: error.failure.kind === 'fatal' && error.failure.why === 'no-tools', words: error.message, next: error.next, usage: error.usage };
}

function cacheWords(again: ModelReply | null): string {
  if (again === null) return '';
  if (again.estimated) return 'It tells no token counts: they are estimated and marked with ~.';
  return again.usage.cached > 0 ? 'It tells cached tokens.' : 'It told no cached tokens when asked the same again: all input counts as fresh.';
}

function priceWords(model: ModelRef): string {
  return pricesOf(model).known ? '' : 'Its prices are not known: limits bind by tokens.';
}
