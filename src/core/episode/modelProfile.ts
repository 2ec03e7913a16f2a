import { z } from 'zod';
import { prices } from '../limits/usage.ts';
import type { ModelRef } from './model.ts';

/** A model behind an OpenAI-compatible server, as the machine's settings name it. Holds no key. */
export const modelProfile = z.strictObject({
  id: z.string().trim().min(1),
  baseUrl: z.string().regex(/^https?:\/\/[^\s/?#@]+/i, 'an address that starts with http:// or https://'),
  model: z.string().trim().min(1),
  /** Environment variable that holds the key; without it, the key that was entered for the address's origin. */
  keyEnvironment: z.string().min(1).optional(),
  /** US dollars per million tokens. Without them, limits bind by tokens. */
  prices: prices.nullish(),
  contextWindow: z.number().int().positive().optional(),
  maxOutputTokens: z.number().int().positive().optional(),
});
export type ModelProfile = z.infer<typeof modelProfile>;

/** The entries that are sound, and one sentence for each that is not. */
export function parseProfiles(value: unknown): { readonly profiles: readonly ModelProfile[]; readonly problems: readonly string[] } {
  const profiles: ModelProfile[] = [];
  const problems: string[] = [];
  for (const [index, entry] of (Array.isArray(value) ? (value as unknown[]) : []).entries()) {
    const parsed = modelProfile.safeParse(entry);
    if (!parsed.success) problems.push(`Entry ${String(index + 1)} of worldtree.models is left out: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`);
    else if (profiles.some((p) => p.id === parsed.data.id)) problems.push(`Entry ${String(index + 1)} of worldtree.models is left out: there is another with the id “${parsed.data.id}”.`);
    else profiles.push(parsed.data);
  }
  return { profiles, problems };
}

export function profileRef(profile: ModelProfile): ModelRef {
  return { kind: 'openai', profile: profile.id, baseUrl: profile.baseUrl, model: profile.model, prices: profile.prices ?? null };
}
