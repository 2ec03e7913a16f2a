import { z } from 'zod';
import { callId } from '../ids.ts';
import { prices, type Usage } from '../limits/usage.ts';
import { serverAt } from '../models/origin.ts';

/** Which model an episode speaks to. Survey is the embedded rule-based one: no network, no cost, never for a typed goal. */
export const modelRef = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('survey') }),
  z.object({ kind: z.literal('openai'), profile: z.string(), baseUrl: z.string(), model: z.string(), prices: prices.nullable() }),
  z.object({ kind: z.literal('vscode'), id: z.string(), name: z.string() }),
  /** Of an agent that another clone's record told of: it cannot be spoken to from here. */
  z.object({ kind: z.literal('elsewhere'), name: z.string(), prices: prices.nullable() }),
]);
export type ModelRef = z.infer<typeof modelRef>;

export function modelName(ref: ModelRef): string {
  switch (ref.kind) {
    case 'survey': return 'survey';
    case 'openai': return ref.model;
    case 'vscode': case 'elsewhere': return ref.name;
  }
}

/** What shares slots: all profiles of one server, or one model that VS Code brings. */
export function slotsKey(ref: ModelRef): string {
  switch (ref.kind) {
    case 'survey': return 'survey';
    case 'openai': return `openai ${serverAt(ref.baseUrl)}`;
    case 'vscode': return `vscode ${ref.id}`;
    case 'elsewhere': return `elsewhere ${ref.name}`;
  }
}

export function pricesOf(ref: ModelRef): { known: true; prices: z.infer<typeof prices> } | { known: false } {
  switch (ref.kind) {
    case 'survey': return { known: true, prices: { fresh: 0, cached: 0, output: 0 } };
    case 'openai': case 'elsewhere': return ref.prices ? { known: true, prices: ref.prices } : { known: false };
    case 'vscode': return { known: false };
  }
}

export const toolCall = z.object({ id: callId, name: z.string(), /** JSON text exactly as the model wrote it; validated before anything runs. */ arguments: z.string() });
export type ToolCall = z.infer<typeof toolCall>;

/** One message of an episode's conversation: what is sent to a model and stored in the transcript is the same. */
export const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), text: z.string() }),
  z.object({ role: z.literal('user'), text: z.string() }),
  z.object({ role: z.literal('assistant'), text: z.string(), calls: z.array(toolCall), /** Sent back only to the provider it came from (`reasoning_content`), which `reasoningFrom` names. */ reasoning: z.string().optional(), reasoningFrom: z.string().optional() }),
  z.object({ role: z.literal('tool'), call: callId, text: z.string() }),
]);
export type Message = z.infer<typeof message>;
export type AssistantMessage = Extract<Message, { role: 'assistant' }>;

/** How a reply ended. Only `complete` may lead to tool calls being run: a cut stream is never executed. */
export const replyEnd = z.enum(['complete', 'cut', 'length', 'filtered']);
export type ReplyEnd = z.infer<typeof replyEnd>;

export interface ModelReply {
  readonly message: AssistantMessage;
  readonly end: ReplyEnd;
  readonly usage: Usage;
  /** True where the provider told no usage and the counts are ours, characters / 4. */
  readonly estimated: boolean;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}
