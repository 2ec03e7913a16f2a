import type { ModelFailure } from '../../core/episode/modelError.ts';

/** A key and the origin that it was entered for; it is sent nowhere else (rule 10). */
export interface BoundKey {
  readonly key: string;
  /** As `new URL(...).origin` writes it. */
  readonly origin: string;
}

/** The request was not sent, or its answer not taken, for a reason of ours. */
export class GuardedFetchError extends Error {
  readonly failure: ModelFailure;
  readonly next: string;
  constructor(failure: ModelFailure, message: string, next: string) {
    super(message);
    this.name = 'GuardedFetchError';
    this.failure = failure;
    this.next = next;
  }
}

interface GuardOptions {
  /** The only origin that is spoken to. */
  readonly origin: string;
  readonly key: BoundKey | null;
  /** What the profile adds; what is decided here stands above it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called for every piece of an answer, comments that keep a stream alive included. */
  readonly onBytes: () => void;
  /** Called when the server has taken the request: from here on it may cost money. */
  readonly onAccepted: () => void;
}

/**
 * The one way out to a provider. The library's own headers are replaced: it reads keys, organisations and extra
 * headers from the environment, and those belong to whoever set them, not to any base URL. Redirects are followed
 * only within the origin and only where they keep the method.
 */
export function guardedFetch(options: GuardOptions): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : String(input));
    for (let hop = 0; hop < 4; hop++) {
      if (url.origin !== options.origin) throw elsewhere(options.origin, url);
      const response = await fetch(url.href, { ...init, headers: headersFor(url, init, options), redirect: 'manual' });
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null) return watched(response, options);
      await response.body?.cancel();
      if (!URL.canParse(location, url.href)) break;
      const target = new URL(location, url);
      if (target.origin !== options.origin) throw elsewhere(options.origin, target);
      if (response.status !== 307 && response.status !== 308) throw new GuardedFetchError({ kind: 'fatal', why: 'refused' }, `${url.href} redirects to ${target.href}, which would lose the request.`, 'Enter that address as the base URL.');
      url = target;
    }
    throw new GuardedFetchError({ kind: 'fatal', why: 'refused' }, `${url.href} redirects without end.`, 'Check the base URL.');
  };
}

function headersFor(url: URL, init: RequestInit | undefined, { key, headers: extra }: GuardOptions): Headers {
  const given = new Headers(init?.headers);
  const headers = new Headers({ 'user-agent': 'worldtree' });
  // One by one: given together, two names that differ in case only become one header with both values.
  for (const [name, value] of Object.entries(extra)) headers.set(name, value);
  for (const name of ['accept', 'content-type']) {
    const value = given.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (key === null) return headers;
  if (key.origin !== url.origin) throw new GuardedFetchError({ kind: 'fatal', why: 'key' }, `The key was entered for ${key.origin} and is not sent to ${url.origin}.`, `Set a key for ${url.origin}, or put the base URL back.`);
  const plain = key.key.trim();
  if (!/^[\x21-\x7e]+$/.test(plain)) throw new GuardedFetchError({ kind: 'fatal', why: 'key' }, `The key for ${key.origin} holds characters that no key has.`, 'Set it again: copy it without quotes, spaces or line ends.');
  headers.set('authorization', `Bearer ${plain}`);
  return headers;
}

function watched(response: Response, options: GuardOptions): Response {
  options.onBytes();
  if (!response.ok || response.body === null) return response;
  options.onAccepted();
  const heard = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      options.onBytes();
      controller.enqueue(chunk);
    },
  }));
  const isStream = !(response.headers.get('content-type') ?? '').includes('application/json');
  const body = isStream ? heard : heard.pipeThrough(asOneEvent());
  return new Response(body, { status: response.status, headers: { 'content-type': 'text/event-stream' } });
}

/** A server that does not stream sends one JSON body, an error object with status 200 perhaps: read as the one event of a stream. */
function asOneEvent(): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let text = '';
  return new TransformStream({
    transform(chunk) { text += decoder.decode(chunk, { stream: true }); },
    flush(controller) {
      text += decoder.decode();
      const isEvents = /^\s*(data|event|id)?:/.test(text);
      controller.enqueue(encoder.encode(isEvents ? text : `data: ${text.replace(/[\r\n]+/g, ' ')}\n\n`));
    },
  });
}

function elsewhere(origin: string, target: URL): GuardedFetchError {
  return new GuardedFetchError({ kind: 'fatal', why: 'refused' }, `${origin} sends the request on to ${target.origin}. It was not followed: files and key are meant for ${origin} only.`, `If ${target.origin} is right, enter it as the base URL, with a key of its own.`);
}
