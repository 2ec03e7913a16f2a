import { z } from 'zod';
import { originOf } from './origin.ts';

/** How servers differ that all speak OpenAI's chat completions. A preset says it of a provider, a profile may say otherwise. */
export const serverTraits = z.object({
  /** The field of the usage that tells cached tokens and is read first; `apart`: they are not counted in `prompt_tokens`; `any`: whatever is there. */
  cachedTokens: z.enum(['prompt_tokens_details', 'prompt_cache_hit_tokens', 'apart', 'any']),
  /** Whether usage has to be asked for, with `stream_options`. */
  askForUsage: z.boolean(),
  /** What the limit of output tokens is called. */
  limitField: z.enum(['max_tokens', 'max_completion_tokens', 'none']),
  /** Whether `reasoning_content` goes back with the calls that it led to. */
  sendThoughtsBack: z.boolean(),
  /** Seconds of silence after which a request is given up. The platform itself gives up after 300. */
  idleSeconds: z.number().min(1).max(285),
  /** Requests that it takes at the same time. */
  concurrency: z.number().int().min(1).max(64),
});
export type ServerTraits = z.infer<typeof serverTraits>;

export const providerName = z.enum(['openai', 'deepseek', 'zai', 'openrouter', 'ollama', 'lmstudio', 'vllm', 'llamacpp', 'other']);
export type ProviderName = z.infer<typeof providerName>;

export interface Provider {
  readonly label: string;
  /** Null where everyone has another. */
  readonly baseUrl: string | null;
  readonly needsKey: boolean;
  /** Where the provider hands out keys. */
  readonly keyPage: string | null;
  readonly traits: ServerTraits;
}

const HOSTED: ServerTraits = { cachedTokens: 'prompt_tokens_details', askForUsage: true, limitField: 'max_tokens', sendThoughtsBack: true, idleSeconds: 120, concurrency: 8 };
/** Servers on this machine read a long prompt before they say anything, and mostly one at a time. */
const LOCAL: ServerTraits = { ...HOSTED, cachedTokens: 'any', idleSeconds: 285, concurrency: 1 };

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  // Its reasoning models are silent while they think, and it never tells the thoughts.
  openai: { label: 'OpenAI', baseUrl: 'https://api.openai.com/v1', needsKey: true, keyPage: 'https://platform.openai.com/api-keys', traits: { ...HOSTED, limitField: 'max_completion_tokens', sendThoughtsBack: false, idleSeconds: 285 } },
  deepseek: { label: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', needsKey: true, keyPage: 'https://platform.deepseek.com/api_keys', traits: { ...HOSTED, cachedTokens: 'prompt_cache_hit_tokens' } },
  zai: { label: 'Z.ai', baseUrl: 'https://api.z.ai/api/paas/v4', needsKey: true, keyPage: 'https://z.ai/manage-apikey/apikey-list', traits: HOSTED },
  openrouter: { label: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', needsKey: true, keyPage: 'https://openrouter.ai/settings/keys', traits: HOSTED },
  ollama: { label: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', needsKey: false, keyPage: null, traits: LOCAL },
  lmstudio: { label: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1', needsKey: false, keyPage: null, traits: LOCAL },
  vllm: { label: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1', needsKey: false, keyPage: null, traits: { ...LOCAL, concurrency: 8 } },
  llamacpp: { label: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1', needsKey: false, keyPage: null, traits: LOCAL },
  other: { label: 'Another compatible server', baseUrl: null, needsKey: true, keyPage: null, traits: { ...HOSTED, cachedTokens: 'any' } },
};

/** Whose address it is: of profiles that name no provider, and of servers that were found and stand in no profile. */
export function providerAt(baseUrl: string): ProviderName {
  const origin = originOf(baseUrl);
  return providerName.options.find((name) => origin !== null && originOf(PROVIDERS[name].baseUrl ?? '') === origin) ?? 'other';
}
