import { z } from 'zod';
import type { ServerTraits } from '../../core/models/providers.ts';
import type { Usage } from '../../core/limits/usage.ts';

/** More than any model reads or writes in one request is no count. */
const MOST_TOKENS = 1_000_000_000;
const count = z.number().int().nonnegative().max(MOST_TOKENS).catch(0).default(0);
const wireUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
  /** Moonshot tells it beside the others. */
  cached_tokens: count,
  /** DeepSeek counts hits and misses apart, and both again in prompt_tokens. */
  prompt_cache_hit_tokens: count,
  prompt_cache_miss_tokens: count,
});

/**
 * A provider's counts in our one meaning: fresh and cached are disjoint, reasoning is a part of output. Null
 * where it told nothing that can be true, which includes a prompt of no tokens.
 * @param tells where it tells cached tokens; the other places are looked at where it tells none there.
 */
export function usageFromWire(wire: unknown, tells: ServerTraits['cachedTokens']): Usage | null {
  const parsed = wireUsage.safeParse(wire);
  if (!parsed.success) return null;
  const u = parsed.data;
  const hit = u.prompt_cache_hit_tokens;
  const miss = u.prompt_cache_miss_tokens;
  const inDetails = u.prompt_tokens_details?.cached_tokens ?? 0;
  const anywhere = hit > 0 || miss > 0 ? hit : Math.max(inDetails, u.cached_tokens);
  const cached = tells === 'prompt_tokens_details' && inDetails > 0 ? inDetails : anywhere;
  // A prompt smaller than its cached part can only be the part that was not cached.
  const within = tells !== 'apart' && u.prompt_tokens >= cached;
  const input = within ? Math.max(u.prompt_tokens, hit + miss) : u.prompt_tokens + cached;
  if (input === 0) return null;
  const reasoning = u.completion_tokens_details?.reasoning_tokens ?? 0;
  // Some count the thinking beside the completion; the total then shows it.
  const apart = reasoning > 0 && u.total_tokens === u.prompt_tokens + u.completion_tokens + reasoning;
  const output = apart ? u.completion_tokens + reasoning : u.completion_tokens;
  return { fresh: input - cached, cached, output, reasoning: Math.min(reasoning, output) };
}

/** Characters / 4, for providers that tell nothing. All input counts as fresh: an estimate must not be too low. */
export function estimatedUsage(sentCharacters: number, receivedCharacters: number, reasoningCharacters: number): Usage {
  return { fresh: tokens(sentCharacters), cached: 0, output: tokens(receivedCharacters + reasoningCharacters), reasoning: tokens(reasoningCharacters) };
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}
