import { createHash } from 'node:crypto';
import { wireMessages, wireTools } from '../../src/adapters/models/wireMessages.ts';
import type { Message } from '../../src/core/episode/model.ts';
import { TOOL_LIST } from '../../src/core/tools/catalogue.ts';

/** A token is four bytes: it only has to be the same for the same text. */
const TOKEN_BYTES = 4;

interface Counted {
  readonly tokens: number;
  readonly cached: number;
}

/**
 * The prompt cache of a provider, as several have it: a request is cached as far as its beginning, in whole blocks of so
 * many tokens, was the beginning of an earlier one. Counts over the real bodies, tools first, as chat templates put them.
 */
export class ProviderCache {
  readonly #blockTokens: number;
  readonly #blocks = new Set<string>();
  #sum: Counted = { tokens: 0, cached: 0 };

  constructor(blockTokens: 64 | 128) {
    this.#blockTokens = blockTokens;
  }

  /** What of one request is in the cache; from now on all of it is. */
  ask(messages: readonly Message[]): Counted {
    const bytes = Buffer.from(promptText(messages));
    const size = this.#blockTokens * TOKEN_BYTES;
    let prefix = '';
    let hits = 0;
    let whole = true;
    for (let at = 0; at + size <= bytes.length; at += size) {
      prefix = createHash('sha256').update(prefix).update(bytes.subarray(at, at + size)).digest('hex');
      whole &&= this.#blocks.has(prefix);
      if (whole) hits += 1;
      this.#blocks.add(prefix);
    }
    const counted = { tokens: Math.ceil(bytes.length / TOKEN_BYTES), cached: hits * this.#blockTokens };
    this.#sum = { tokens: this.#sum.tokens + counted.tokens, cached: this.#sum.cached + counted.cached };
    return counted;
  }

  /** The cached part of everything that was asked. */
  get share(): number {
    return this.#sum.cached / this.#sum.tokens;
  }
}

/** What a provider reads of a request, from its first byte. */
export function promptText(messages: readonly Message[]): string {
  return [JSON.stringify(wireTools(TOOL_LIST)), ...wireMessages(messages, { origin: 'https://models.example', reasoning: true, breakSpecialTokens: false }).map((m) => JSON.stringify(m))].join('\n');
}

/** Tokens of a text, as the cache counts them. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
}
