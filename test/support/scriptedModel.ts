import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/**
 * An OpenAI-compatible model for tests: real HTTP on 127.0.0.1, real server-sent events, scripted answers and faults.
 *
 *   const model = await ScriptedModel.start({ script: [{ calls: [call('list_files', {})] }, { text: 'done' }] });
 *   ... new OpenAiModels(...) with model.baseUrl ...
 *   expect(model.requests).toHaveLength(2);
 *   await model.stop();
 */
export class ScriptedModel {
  readonly baseUrl: string;
  readonly port: number;
  /** Chat requests in the order they arrived, refused ones included. */
  readonly requests: SeenRequest[] = [];
  /** What arrived on any other path than the chat one: `GET /v1/models`. */
  readonly otherRequests: { readonly method: string; readonly path: string; readonly authorization: string | undefined }[] = [];
  private readonly server: Server;
  private readonly options: ScriptedModelOptions;
  private readonly prompts: string[] = [];
  private arrivals: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor(server: Server, options: ScriptedModelOptions) {
    this.server = server;
    this.options = options;
    this.port = (server.address() as AddressInfo).port;
    this.baseUrl = `http://127.0.0.1:${this.port}/v1`;
  }

  static async start(options: ScriptedModelOptions): Promise<ScriptedModel> {
    let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async () => { /* replaced below, before anything can connect */ };
    const server = createServer((request, response) => {
      handle(request, response).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(400, JSON_TYPE);
        response.end(JSON.stringify({ error: { message: `the scripted model failed: ${String(error)}` } }));
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    const model = new ScriptedModel(server, options);
    handle = (request, response) => model.handle(request, response);
    return model;
  }

  /** Resolves once `count` chat requests have arrived. */
  async arrived(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((resolve) => this.arrivals.push({ count, resolve }));
  }

  /** Ends every open stream and closes the port. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const authorization = request.headers.authorization;
    const isChat = request.method === 'POST' && path.endsWith('/chat/completions');
    if (!isChat) this.otherRequests.push({ method: request.method ?? '', path, authorization });
    const wrongKey = this.options.key !== undefined && authorization !== `Bearer ${this.options.key}`;
    if (!isChat) {
      if (wrongKey) { sendRefusal(response, wrongKeyFault()); return; }
      if (request.method === 'GET' && path.endsWith('/models')) {
        response.writeHead(200, JSON_TYPE).end(JSON.stringify({ object: 'list', data: this.models().map((id) => ({ id, object: 'model' })) }));
        return;
      }
      response.writeHead(404, JSON_TYPE).end(JSON.stringify({ error: { message: 'not found' } }));
      return;
    }
    const body = wireRequest.parse(JSON.parse(await textOf(request)));
    const seen = this.note(request, response, body);
    if (wrongKey) { sendRefusal(response, wrongKeyFault()); return; }
    if (this.options.models !== undefined && !this.options.models.includes(body.model)) { sendRefusal(response, unknownModel(body.model)); return; }
    const answer = await this.answerTo(seen);
    if (answer.refuse !== undefined) { sendRefusal(response, answer.refuse); return; }
    await streamAnswer(response, seen, answer, this.usageOf(seen, answer));
  }

  private note(request: IncomingMessage, response: ServerResponse, body: WireRequest): SeenRequest {
    const gone = new Promise<void>((resolve) => response.once('close', () => { if (!response.writableFinished) resolve(); }));
    const seen: SeenRequest = { number: this.requests.length + 1, at: performance.now(), authorization: request.headers.authorization, headers: request.headers, body, gone };
    this.requests.push(seen);
    for (const waiting of this.arrivals.filter((a) => a.count <= this.requests.length)) waiting.resolve();
    this.arrivals = this.arrivals.filter((a) => a.count > this.requests.length);
    return seen;
  }

  private async answerTo(seen: SeenRequest): Promise<ScriptedAnswer> {
    const { script } = this.options;
    if (typeof script === 'function') return script(seen);
    // 400, so that a client that asks once too often fails at once instead of backing off until a time-out.
    return script[seen.number - 1] ?? { refuse: { status: 400, body: { error: { message: `the script has ${script.length} answers, and this is request ${seen.number}` } } } };
  }

  private models(): readonly string[] {
    return this.options.models ?? ['scripted'];
  }

  /** Characters / 4; the cached part is the longest prefix, in blocks of 64 tokens, shared with an earlier request. */
  private usageOf(seen: SeenRequest, answer: ScriptedAnswer): WireUsage | null {
    const prompt = JSON.stringify(seen.body.tools ?? []) + seen.body.messages.map((m) => JSON.stringify(m)).join('\n');
    const shared = Math.max(0, ...this.prompts.map((earlier) => sharedPrefix(earlier, prompt)));
    this.prompts.push(prompt);
    if (answer.usage !== undefined) return answer.usage;
    const promptTokens = Math.ceil(prompt.length / 4);
    const output = Math.ceil(JSON.stringify([answer.text, answer.calls, answer.reasoning]).length / 4);
    const cached = Math.min(promptTokens, Math.floor(shared / 4 / 64) * 64);
    return { prompt_tokens: promptTokens, completion_tokens: output, total_tokens: promptTokens + output, prompt_tokens_details: { cached_tokens: cached } };
  }
}

export interface ScriptedModelOptions {
  /** Answers by turn, or chosen by looking at the request; a function may also wait before it answers. */
  readonly script: readonly ScriptedAnswer[] | ((request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);
  /** When given, any other bearer token gets a 401. */
  readonly key?: string;
  /** When given, any other model gets a 404; also what `GET /models` lists. Default: `scripted`, and any model is taken. */
  readonly models?: readonly string[];
  /** Default: a free one. */
  readonly port?: number;
}

export interface SeenRequest {
  /** Counted from 1. */
  readonly number: number;
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: WireRequest;
  /** Resolves when the client went away before its answer was whole; never otherwise. */
  readonly gone: Promise<void>;
}

export interface ScriptedAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: counted. Null: the provider tells none. Any object: sent as it is. */
  readonly usage?: WireUsage | null;
  /** Default: `tool_calls` with calls, else `stop`. Null: the stream ends without one. */
  readonly finish?: string | null;
  /** Characters of text, reasoning or arguments in one chunk. Default 24. */
  readonly chunk?: number;
  /** Milliseconds before each chunk. */
  readonly delayMs?: number;
  readonly fault?: StreamFault;
  /** An answer that is not a stream at all. */
  readonly refuse?: HttpRefusal;
}

export interface ScriptedCall {
  readonly name: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly args: unknown;
  /** Default: made up. Null: left out. */
  readonly id?: string | null;
  /** Default: its place in the list. */
  readonly index?: number;
}

type StreamFault =
  /** The connection ends (`end`) or breaks (`break`) in the middle of the last call's arguments; `finish` is sent before it ends. */
  | { readonly kind: 'cut-arguments'; readonly how: 'end' | 'break'; readonly finish: string | null }
  /** Everything is sent but the last chunk with finish_reason, the usage and [DONE]. */
  | { readonly kind: 'cut-before-finish'; readonly how: 'end' | 'break' }
  /** Half of the text, then an error object inside the stream, as some gateways do. */
  | { readonly kind: 'error-object'; readonly error: unknown }
  /** Nothing more after the headers (`headers`), half of the text (`text`), or not even headers (`request`). */
  | { readonly kind: 'silence'; readonly after: 'request' | 'headers' | 'text' }
  /** Only comments, never data, `everyMs` apart, `count` times; then the answer. */
  | { readonly kind: 'keep-alive'; readonly everyMs: number; readonly count: number }
  /** Chunks without choices before, between and after the real ones. */
  | { readonly kind: 'odd-choices'; readonly choices: null | [] }
  /** One JSON body in the shape of an answer that does not stream. */
  | { readonly kind: 'not-streamed' };

export interface HttpRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

interface WireUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
  readonly prompt_cache_hit_tokens?: number;
  readonly prompt_cache_miss_tokens?: number;
}

const wireMessage = z.looseObject({
  role: z.string(),
  content: z.string().nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(z.object({ id: z.string(), type: z.literal('function'), function: z.object({ name: z.string(), arguments: z.string() }) })).optional(),
  reasoning_content: z.string().optional(),
});
const wireRequest = z.looseObject({
  model: z.string(),
  messages: z.array(wireMessage),
  tools: z.array(z.object({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) })).optional(),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean() }).optional(),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
});
type WireRequest = z.infer<typeof wireRequest>;

export function call(name: string, args: unknown, more: Pick<ScriptedCall, 'id' | 'index'> = {}): ScriptedCall {
  return { name, args, ...more };
}

export function rateLimited(headers: Readonly<Record<string, string>> = {}, words = 'Rate limit reached for requests'): HttpRefusal {
  return { status: 429, headers, body: { error: { message: words, type: 'rate_limit_error', code: 'rate_limit_exceeded' } } };
}

/** The way back stands only in the words: "Please try again in 1.3s". */
export function tryAgainIn(time: string): HttpRefusal {
  return rateLimited({}, `Rate limit reached for scripted on tokens per min. Please try again in ${time}. Visit the dashboard to learn more.`);
}

export function unavailable(headers: Readonly<Record<string, string>> = {}): HttpRefusal {
  return { status: 503, headers, body: 'upstream connect error or disconnect/reset before headers' };
}

export function overloaded529(): HttpRefusal {
  return { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } };
}

export function overloaded400(): HttpRefusal {
  return { status: 400, body: { error: { message: 'The model is currently overloaded with other requests.', type: 'server_error' } } };
}

export function contextTooLong(): HttpRefusal {
  return { status: 400, body: { error: { message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", type: 'invalid_request_error', code: 'context_length_exceeded' } } };
}

function wrongKeyFault(): HttpRefusal {
  return { status: 401, body: { error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' } } };
}

function unknownModel(model: string): HttpRefusal {
  return { status: 404, body: { error: { message: `The model \`${model}\` does not exist or you do not have access to it.`, type: 'invalid_request_error', code: 'model_not_found' } } };
}

const JSON_TYPE = { 'content-type': 'application/json' } as const;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sendRefusal(response: ServerResponse, refusal: HttpRefusal): void {
  const isText = typeof refusal.body === 'string';
  response.writeHead(refusal.status, { ...(isText ? { 'content-type': 'text/plain' } : JSON_TYPE), ...refusal.headers });
  response.end(isText ? refusal.body : JSON.stringify(refusal.body ?? {}));
}

function sharedPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a[i] === b[i]) i++;
  return i;
}

async function streamAnswer(response: ServerResponse, seen: SeenRequest, answer: ScriptedAnswer, usage: WireUsage | null): Promise<void> {
  const { fault } = answer;
  const calls = (answer.calls ?? []).map((c, place) => wireCall(c, place, seen.number));
  const finish = answer.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : answer.finish;
  if (fault?.kind === 'silence' && fault.after === 'request') return;
  const base = { id: `chatcmpl-${seen.number}`, created: 0, model: seen.body.model };
  if (fault?.kind === 'not-streamed') {
    const message = { role: 'assistant', content: answer.text ?? null, tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })) };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ...base, object: 'chat.completion', choices: [{ index: 0, finish_reason: finish, message }], usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (fault?.kind === 'silence' && fault.after === 'headers') return;
  if (fault?.kind === 'keep-alive') {
    for (let i = 0; i < fault.count; i++) {
      await sleep(fault.everyMs);
      response.write(': keep-alive\n\n');
    }
  }

  const event = (value: unknown): void => { response.write(`data: ${JSON.stringify(value)}\n\n`); };
  const send = async (delta: unknown, reason: string | null = null): Promise<void> => {
    if (answer.delayMs !== undefined) await sleep(answer.delayMs);
    if (fault?.kind === 'odd-choices') event({ ...base, object: 'chat.completion.chunk', choices: fault.choices });
    event({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] });
  };
  const hangUp = (how: 'end' | 'break'): void => {
    if (how === 'end') response.end();
    else setTimeout(() => response.destroy(), 20);
  };
  const size = answer.chunk ?? 24;

  await send({ role: 'assistant', content: '' });
  for (const part of parts(answer.reasoning ?? '', size)) await send({ reasoning_content: part });
  const text = parts(answer.text ?? '', size);
  for (const [place, part] of text.entries()) {
    if (fault !== undefined && place >= text.length / 2) {
      if (fault.kind === 'silence') return;
      if (fault.kind === 'error-object') break;
    }
    await send({ content: part });
  }
  if (fault?.kind === 'error-object') {
    event({ error: fault.error });
    response.end('data: [DONE]\n\n');
    return;
  }
  if (fault?.kind === 'silence') return;
  for (const [place, c] of calls.entries()) {
    await send({ tool_calls: [{ index: c.index, ...(c.id === null ? {} : { id: c.id }), type: 'function', function: { name: c.name, arguments: '' } }] });
    const pieces = parts(c.args, size);
    const isCut = fault?.kind === 'cut-arguments' && place === calls.length - 1;
    for (const piece of isCut ? pieces.slice(0, Math.floor(pieces.length / 2)) : pieces) await send({ tool_calls: [{ index: c.index, function: { arguments: piece } }] });
    if (isCut) {
      if (fault.finish !== null) await send({}, fault.finish);
      hangUp(fault.how);
      return;
    }
  }
  if (fault?.kind === 'cut-before-finish') {
    hangUp(fault.how);
    return;
  }
  if (finish !== null) await send({}, finish);
  if (usage !== null && seen.body.stream_options?.include_usage === true) event({ ...base, object: 'chat.completion.chunk', choices: fault?.kind === 'odd-choices' ? fault.choices : [], usage });
  response.end('data: [DONE]\n\n');
}

function wireCall(c: ScriptedCall, place: number, request: number): { readonly name: string; readonly args: string; readonly id: string | null; readonly index: number } {
  return { name: c.name, args: typeof c.args === 'string' ? c.args : JSON.stringify(c.args), id: c.id === undefined ? `call_${request}_${place}` : c.id, index: c.index ?? place };
}

function parts(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let i = 0; i < text.length; i += size) pieces.push(text.slice(i, i + size));
  return pieces;
}
