import { z } from 'zod';
import type { ModelRef } from '../episode/model.ts';
import { prices } from '../limits/usage.ts';
import { isLoopback, originOf, serverAt } from './origin.ts';
import { providerAt, providerName, PROVIDERS, serverTraits, type ProviderName, type ServerTraits } from './providers.ts';
import { extraBody, extraHeaders } from './requestExtras.ts';

/** An entry of `worldtree.models`. Only id and model have to be there, and an address where the provider has none. */
export const profileEntry = z.strictObject({
  id: z.string().trim().min(1),
  provider: providerName.optional(),
  baseUrl: z.string().regex(/^https?:\/\/[^\s/?#@]+/i, 'an address that starts with http:// or https://').optional(),
  model: z.string().trim().min(1),
  /** Environment variable that holds the key; without it, the key that was entered for the address's origin. */
  keyEnvironment: z.string().min(1).optional(),
  /** US dollars per million tokens. Without them, limits bind by tokens. */
  prices: prices.nullish(),
  contextWindow: z.number().int().positive().optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  headers: extraHeaders.optional(),
  extraBody: extraBody.optional(),
  ...serverTraits.partial().shape,
});

/** A model behind an OpenAI-compatible server, as the machine's settings name it. Holds no key. */
export const modelProfile = profileEntry.transform((entry, context) => {
  const baseUrl = entry.baseUrl ?? (entry.provider === undefined ? null : PROVIDERS[entry.provider].baseUrl);
  if (baseUrl === null) {
    context.addIssue({ code: 'custom', path: ['baseUrl'], message: 'the address of the server is missing' });
    return z.NEVER;
  }
  return { ...entry, baseUrl };
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

/** How the server of a model is to be spoken to. */
export interface Server {
  readonly provider: ProviderName;
  readonly traits: ServerTraits;
  readonly headers: Readonly<Record<string, string>>;
  readonly extraBody: Readonly<Record<string, unknown>>;
}

/**
 * By the profile that the model came from, as it is now. An episode may remember an older address: what a profile adds
 * was meant for its own, so elsewhere only the address speaks (rule 10).
 */
export function serverOf(ref: { readonly profile: string; readonly baseUrl: string }, profiles: readonly ModelProfile[]): Server {
  const profile = profiles.find((p) => p.id === ref.profile && originOf(p.baseUrl) === originOf(ref.baseUrl));
  const provider = profile?.provider ?? providerAt(ref.baseUrl);
  const preset = PROVIDERS[provider].traits;
  // Any server of this machine has to read a long prompt first.
  const usual = provider === 'other' && isLoopback(ref.baseUrl) ? { ...preset, idleSeconds: 285 } : preset;
  return {
    provider,
    traits: { ...usual, ...toldTraits(profile) },
    headers: profile?.headers ?? {},
    extraBody: profile?.extraBody ?? {},
  };
}

/**
 * Requests at the same time, by the server and not by who asks: the fewest that a profile with its address names. A
 * server that was found, and that no profile names, takes what is usual there.
 */
export function concurrencyOf(ref: { readonly profile: string; readonly baseUrl: string }, profiles: readonly ModelProfile[]): number {
  const there = profiles.filter((p) => serverAt(p.baseUrl) === serverAt(ref.baseUrl)).map((p) => ({ profile: p.id, baseUrl: p.baseUrl }));
  return Math.min(...(there.length === 0 ? [ref] : there).map((of) => serverOf(of, profiles).traits.concurrency));
}

function toldTraits(profile: ModelProfile | undefined): Partial<ServerTraits> {
  const { data } = serverTraits.partial().safeParse(profile ?? {});
  return Object.fromEntries(Object.entries(data ?? {}).filter(([, value]) => value !== undefined));
}
