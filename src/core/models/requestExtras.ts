import { z } from 'zod';
import { looksLikeKey } from '../secretLooks.ts';

/** What a profile may add to each request of its server: headers, and fields of the body. Never what Worldtree itself decides, and never a key. */

const KEY_STORE = 'keys go into the key store instead (“Worldtree: Add a Model…”, or keyEnvironment)';
const OWN_HEADERS = new Set(['accept', 'accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);
const OWN_FIELDS = new Set(['model', 'messages', 'tools', 'tool_choice', 'functions', 'function_call', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n', 'response_format', 'prompt', 'input', 'api_key', 'authorization', 'headers', 'base_url']);

export const extraHeaders = z.record(z.string(), z.string().max(1000)).superRefine((headers, context) => {
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerProblem(name, value);
    if (problem !== null) context.addIssue({ code: 'custom', path: [name], message: problem });
  }
});

export const extraBody = z.record(z.string(), z.json()).superRefine((body, context) => {
  for (const [name, value] of Object.entries(body)) {
    if (OWN_FIELDS.has(name.toLowerCase())) context.addIssue({ code: 'custom', path: [name], message: 'Worldtree itself says this to the server' });
    else if (stringsIn(value).some(looksLikeKey)) context.addIssue({ code: 'custom', path: [name], message: `this looks like a key; ${KEY_STORE}` });
  }
});

function headerProblem(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(lower)) return 'no name of a header';
  if (!/^[\x20-\x7e]*$/.test(value)) return 'a header holds letters, digits and signs of ASCII only, on one line';
  // An author or authority is no authorization.
  if (/key|token|secret|auth(?!or(?!i[sz]))|cookie|credential|password/.test(lower)) return `this header signs in; ${KEY_STORE}`;
  if (OWN_HEADERS.has(lower) || /^(?:proxy|sec)-/.test(lower)) return 'Worldtree itself says this to the server';
  return looksLikeKey(value) ? `this looks like a key; ${KEY_STORE}` : null;
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
