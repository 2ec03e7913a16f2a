import { randomBytes } from 'node:crypto';
import { APIError, OpenAI } from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources';
import type { ModelRef, ModelReply } from '../../core/episode/model.ts';
import type { Usage } from '../../core/limits/usage.ts';
import { ModelError } from '../../core/episode/modelError.ts';
import type { Server } from '../../core/models/modelProfile.ts';
import { originOf } from '../../core/models/origin.ts';
import type { ServerTraits } from '../../core/models/providers.ts';
import type { ModelRequest, Models } from '../../runtime/ports/models.ts';
import { ReplyAssembly, type WireDelta } from './assembleReply.ts';
import { guardedFetch, type BoundKey } from './guardedFetch.ts';
import { isApiError, modelErrorFrom, providerWords, type ApiError } from './modelFailures.ts';
import { wireMessages, wireTools } from './wireMessages.ts';
import { estimatedUsage, usageFromWire } from './wireUsage.ts';

/** The key stored for a profile, with the origin it was entered for; null where the profile has none. */
type KeyFor = (profile: string, origin: string) => Promise<BoundKey | null>;

export interface OpenAiOptions {
  readonly keyFor: KeyFor;
  /** How the server of a model is to be spoken to, by the settings of this moment. */
  readonly serverOf: (ref: OpenAiRef) => Server;
}

/** Models that speak OpenAI's chat completions over HTTP, streamed. One request a call, no retries. */
export class OpenAiCompatibleModels implements Models {
  private readonly options: OpenAiOptions;
  /** By origin and model: what its server was found not to accept. Forgotten with the process. */
  private readonly dialects = new Map<string, Dialect>();
  private readonly answered = new Set<string>();

  constructor(options: OpenAiOptions) {
    this.options = options;
  }

  async ask(request: ModelRequest): Promise<ModelReply> {
    const { model } = request;
    if (model.kind !== 'openai') throw new ModelError({ kind: 'fatal', why: 'model' }, `${model.kind} is no model that is reached over HTTP.`, 'Choose another model.');
    const origin = originOf(model.baseUrl);
    if (origin === null) throw new ModelError({ kind: 'fatal', why: 'unreachable' }, `The base URL "${model.baseUrl}" is not an http or https address.`, 'Correct the base URL in the settings.');
    const server = this.options.serverOf(model);
    // Of other settings than before nothing has been found out yet.
    const remembered = `${origin} ${model.model} ${JSON.stringify(server.traits)}`;
    const key = await this.options.keyFor(model.profile, origin);
    for (;;) {
      const attempt = new Attempt({ request, model, origin, key, server, dialect: this.dialects.get(remembered) ?? firstDialect(server.traits) }, () => this.answered.add(origin));
      try {
        return await attempt.run();
      } catch (error) {
        // Not a retry: the server took nothing and said which part of the request it does not know.
        const dialect = isApiError(error) && !attempt.accepted && !request.signal.aborted ? adapted(attempt.dialect, error) : null;
        if (dialect === null) throw attempt.failure(error, this.answered.has(origin));
        this.dialects.set(remembered, dialect);
      }
    }
  }
}

type OpenAiRef = Extract<ModelRef, { kind: 'openai' }>;

/** What differs between servers that all call themselves compatible. */
interface Dialect {
  readonly usageOption: boolean;
  readonly limitField: ServerTraits['limitField'];
  readonly reasoning: boolean;
  readonly breakSpecialTokens: boolean;
}

function firstDialect({ askForUsage, limitField, sendThoughtsBack }: ServerTraits): Dialect {
  return { usageOption: askForUsage, limitField, reasoning: sendThoughtsBack, breakSpecialTokens: false };
}

/** The dialect without what this refusal names; null where it names nothing that can be left out. Each step goes one way only, so it ends. */
function adapted(dialect: Dialect, error: ApiError): Dialect | null {
  const status: unknown = error.status;
  if (typeof status !== 'number' || status < 400 || status === 401 || status === 403 || status === 429 || status > 500) return null;
  const words = `${providerWords(error)} ${error.param ?? ''}`;
  if (dialect.usageOption && /stream_options|include_usage/i.test(words)) return { ...dialect, usageOption: false };
  if (dialect.limitField === 'max_tokens' && /max_completion_tokens/.test(words)) return { ...dialect, limitField: 'max_completion_tokens' };
  if (dialect.limitField === 'max_completion_tokens' && /max_completion_tokens/.test(words)) return { ...dialect, limitField: 'none' };
  if (dialect.reasoning && /reasoning_content/.test(words)) return { ...dialect, reasoning: false };
  if (!dialect.breakSpecialTokens && /special token/i.test(words)) return { ...dialect, breakSpecialTokens: true };
  return null;
}

interface Sending {
  readonly request: ModelRequest;
  readonly model: OpenAiRef;
  readonly origin: string;
  readonly key: BoundKey | null;
  readonly server: Server;
  readonly dialect: Dialect;
}

/** One request on its way: its time-outs, what has arrived of its answer, and how it failed. */
class Attempt {
  readonly dialect: Dialect;
  accepted = false;
  private readonly request: ModelRequest;
  private readonly model: OpenAiRef;
  private readonly origin: string;
  private readonly key: BoundKey | null;
  private readonly server: Server;
  private readonly onAccepted: () => void;
  private readonly assembly: ReplyAssembly;
  private usage: Usage | null = null;
  /** Characters that had arrived when it was told. */
  private usageCovers = 0;
  private idle = false;
  private over = false;
  private hasFinished = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly controller = new AbortController();
  private readonly sentCharacters: number;

  constructor({ request, model, origin, key, server, dialect }: Sending, onAccepted: () => void) {
    this.request = request;
    this.model = model;
    this.origin = origin;
    this.key = key;
    this.dialect = dialect;
    this.server = server;
    this.onAccepted = onAccepted;
    this.assembly = new ReplyAssembly(new Set(request.tools.map((t) => t.name)));
    this.sentCharacters = JSON.stringify([request.messages, request.tools]).length;
  }

  async run(): Promise<ModelReply> {
    const { signal } = this.request;
    if (signal.aborted) throw cancelled(null);
    const onAbort = (): void => this.controller.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    this.heard();
    try {
      await this.receive();
    } finally {
      this.over = true;
      clearTimeout(this.timer);
      signal.removeEventListener('abort', onAbort);
    }
    // The library ends an aborted stream without an error.
    if (this.controller.signal.aborted) throw new Error('the stream was aborted');
    if (this.assembly.isEmpty && !this.hasFinished) throw new Error('the stream ended without an answer');
    return this.reply();
  }

  failure(error: unknown, answeredBefore: boolean): ModelError {
    if (error instanceof ModelError) return error;
    const usage = this.accepted ? this.spentOn(error) : null;
    if (this.request.signal.aborted) return cancelled(usage);
    const { baseUrl } = this.model;
    if (this.idle) return new ModelError({ kind: 'retry', why: 'idle', retryAfterMs: null }, `${baseUrl} said nothing for ${Math.round(this.server.traits.idleSeconds)} seconds.`, 'It is tried again.', usage, { cause: error });
    if (this.accepted && !isApiError(error)) return new ModelError({ kind: 'retry', why: 'network', retryAfterMs: null }, `${baseUrl} closed the connection before it answered.`, 'It is tried again.', usage, { cause: error });
    const key = this.key?.key ?? '';
    return modelErrorFrom(error, { baseUrl, model: this.model.model, hasKey: this.key !== null, answeredBefore, usage, redact: (words) => (key === '' ? words : words.replaceAll(key, '…')) });
  }

  private async receive(): Promise<void> {
    const client = new OpenAI({
      // A placeholder: guardedFetch alone holds the key and knows where it may go.
      apiKey: 'set-by-guarded-fetch', adminAPIKey: null, organization: null, project: null, webhookSecret: null,
      baseURL: this.model.baseUrl, maxRetries: 0, timeout: 2 ** 31 - 1, logLevel: 'off',
      fetch: guardedFetch({
        origin: this.origin, key: this.key, headers: this.server.headers,
        onBytes: () => this.heard(),
        onAccepted: () => {
          this.accepted = true;
          this.onAccepted();
        },
      }),
    });
    const stream = await client.chat.completions.create(this.body(), { signal: this.controller.signal });
    try {
      for await (const chunk of stream) this.take(chunk);
    } catch (error) {
      // An error object is the provider's word. A broken connection after part of an answer is a cut answer, which the model is told about.
      if (isApiError(error) && !this.controller.signal.aborted) throw error;
      if (this.assembly.isEmpty) throw error;
    }
  }

  private body(): ChatCompletionCreateParamsStreaming {
    const { request, dialect } = this;
    return {
      ...this.server.extraBody,
      model: this.model.model,
      messages: wireMessages(request.messages, { origin: this.origin, reasoning: dialect.reasoning, breakSpecialTokens: dialect.breakSpecialTokens }),
      ...(request.tools.length > 0 ? { tools: wireTools(request.tools) } : {}),
      ...(dialect.limitField === 'none' ? {} : { [dialect.limitField]: request.maxOutputTokens }),
      ...(dialect.usageOption ? { stream_options: { include_usage: true } } : {}),
      stream: true,
    };
  }

  private take(chunk: unknown): void {
    const c = (typeof chunk === 'object' && chunk !== null ? chunk : {}) as { readonly choices?: unknown; readonly usage?: unknown };
    const choices = (Array.isArray(c.choices) ? c.choices : []) as readonly (WireChoice | null)[];
    try {
      this.takeChoice(choices);
    } finally {
      for (const usage of [c.usage, choices[0]?.usage]) this.told(usageFromWire(usage, this.server.traits.cachedTokens));
    }
  }

  private told(usage: Usage | null): void {
    if (usage === null) return;
    this.usage = usage;
    this.usageCovers = this.received;
  }

  private takeChoice(choices: readonly (WireChoice | null)[]): void {
    const choice = choices.find((one) => (one?.index ?? 0) === 0);
    if (choice === undefined || choice === null) return;
    // A whole message comes from servers that do not stream, and from some as a repetition at the end.
    const delta = choice.delta ?? (this.assembly.isEmpty ? choice.message : null);
    const text = delta === null || delta === undefined ? '' : this.assembly.add(delta);
    if (text !== '') this.request.onText(text);
    if (typeof choice.finish_reason !== 'string' || choice.finish_reason === '') return;
    if (choice.finish_reason === 'error') throw new APIError(undefined, choice.error ?? { message: 'the provider failed inside its answer' }, undefined, undefined);
    this.hasFinished = true;
    this.assembly.finished(choice.finish_reason);
  }

  private reply(): ModelReply {
    const taken = new Set(this.request.messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => c.id as string) : [])));
    const { text, reasoning, calls, end } = this.assembly.assemble(taken, newCallId);
    return {
      message: { role: 'assistant', text, calls: [...calls], ...(reasoning === '' ? {} : { reasoning, reasoningFrom: this.origin }) },
      end,
      ...this.counted(),
    };
  }

  /** What was told, unless it was told before all of the answer had come: then the output is at least what came. */
  private counted(): { readonly usage: Usage; readonly estimated: boolean } {
    const estimate = this.estimate();
    if (this.usage === null) return { usage: estimate, estimated: true };
    const isShort = !this.hasFinished || this.received > this.usageCovers || this.usage.output === 0;
    return isShort && estimate.output > this.usage.output ? { usage: { ...this.usage, output: estimate.output }, estimated: true } : { usage: this.usage, estimated: false };
  }

  /** A provider that says instead of an answer that it has none, such as one that is overloaded, charges nothing. */
  private spentOn(error: unknown): Usage | null {
    return isApiError(error) && this.usage === null && this.received === 0 ? null : this.counted().usage;
  }

  private get received(): number {
    const { answer, reasoning } = this.assembly.length;
    return answer + reasoning;
  }

  private estimate(): Usage {
    const { answer, reasoning } = this.assembly.length;
    return estimatedUsage(this.sentCharacters, answer, reasoning);
  }

  private heard(): void {
    clearTimeout(this.timer);
    if (this.over) return;
    this.timer = setTimeout(() => {
      this.idle = true;
      this.controller.abort();
    }, this.server.traits.idleSeconds * 1000);
  }
}

interface WireChoice {
  readonly index?: number | null;
  readonly delta?: WireDelta | null;
  readonly message?: WireDelta | null;
  readonly finish_reason?: unknown;
  readonly usage?: unknown;
  readonly error?: object | null;
}

/** Nine letters and digits: the strictest form that a provider was seen to ask for. */
function newCallId(): string {
  return randomBytes(5).toString('hex').slice(0, 9);
}

function cancelled(usage: Usage | null): ModelError {
  return new ModelError({ kind: 'cancelled' }, 'The request was stopped.', 'Nothing more is sent.', usage);
}
