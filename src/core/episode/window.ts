import { estimatedTokens, promptTokens } from '../limits/estimate.ts';
import { cutOutput, summaryMessage } from '../prompt/compactionMessages.ts';
import { TOOL_LIST } from '../tools/catalogue.ts';
import type { Message } from './model.ts';

/** The part of a conversation that is sent to the model. */
interface Window {
  readonly messages: readonly Message[];
  /** Tokens that the provider counted in the first so many of the messages; null where it has counted none of this window. */
  readonly counted: { readonly tokens: number; readonly messages: number } | null;
}

/** Characters of one tool's answer that stay where a conversation has become too long for its model. */
const KEPT_OF_OUTPUT = 600;

/** Characters of the person's words that are repeated after a summary, the newest of them. */
const KEPT_OF_PERSON = 32_000;

/** How large the window is: as the provider counted it, and an estimate for what came since. */
export function windowTokens({ messages, counted }: Window): number {
  if (counted === null) return promptTokens(messages, TOOL_LIST);
  return counted.tokens + messages.slice(counted.messages).reduce((sum, m) => sum + estimatedTokens(charactersOf(m)), 0);
}

/** The window that begins anew: how it began, byte for byte, so that the provider's cache holds that; then the summary. */
export function compactedWindow(messages: readonly Message[], summary: string, personsWords: readonly string[]): Message[] {
  const goal = messages.findIndex((m) => m.role === 'user');
  return [...messages.slice(0, goal + 1), { role: 'user', text: summaryMessage(summary, newest(personsWords)) }];
}

/** The largest answers of tools cut down, one after the other, until half of the window is left. */
export function withCutOutputs(messages: readonly Message[]): Message[] {
  const cut = [...messages];
  let over = messages.reduce((sum, m) => sum + charactersOf(m).length, 0) / 2;
  const largest = messages.map((message, at) => ({ message, at })).filter(({ message }) => message.role === 'tool' && message.text.length > 2 * KEPT_OF_OUTPUT).toSorted((a, b) => b.message.text.length - a.message.text.length);
  for (const { message, at } of largest) {
    if (over <= 0) break;
    const shorter = { ...message, text: cutOutput(message.text, KEPT_OF_OUTPUT) };
    over -= message.text.length - shorter.text.length;
    cut[at] = shorter;
  }
  return cut;
}

function newest(words: readonly string[]): readonly string[] {
  let left = KEPT_OF_PERSON;
  return words.toReversed().filter((text, i) => (left -= text.length) >= 0 || i === 0).toReversed();
}

function charactersOf(message: Message): string {
  return message.role === 'assistant' ? [message.text, ...message.calls.flatMap((c) => [c.name, c.arguments])].join('') : message.text;
}
