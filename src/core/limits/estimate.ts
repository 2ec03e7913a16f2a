import type { Message, ToolDefinition } from '../episode/model.ts';
import type { Usage } from './usage.ts';

/** Characters per token where nobody told: the usual rule of thumb for English and code. */
const CHARACTERS_PER_TOKEN = 4;

export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** What a request may use at most: its prompt as if nothing were cached, and the whole output limit. */
export function requestEstimate(messages: readonly Message[], tools: readonly ToolDefinition[], maxOutputTokens: number): Usage {
  return { fresh: promptTokens(messages, tools), cached: 0, output: maxOutputTokens, reasoning: 0 };
}

export function promptTokens(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
  const toolCharacters = JSON.stringify(tools).length;
  const characters = messages.reduce((sum, m) => sum + m.role.length + m.text.length + (m.role === 'assistant' ? m.calls.reduce((n, c) => n + c.name.length + c.arguments.length, m.reasoning?.length ?? 0) : 0), toolCharacters);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
