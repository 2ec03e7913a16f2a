import { APIConnectionError, APIError } from 'openai';
import type { Usage } from '../../core/limits/usage.ts';
import { ModelError, type ModelFailure } from '../../core/episode/modelError.ts';
import { isLoopback } from '../../core/models/origin.ts';
import { GuardedFetchError } from './guardedFetch.ts';
import { retryAfterMs } from './retryAfter.ts';

/** What an error is told about: never the key. */
interface FailureContext {
  readonly baseUrl: string;
  readonly model: string;
  readonly hasKey: boolean;
  /** True once this server has answered in this session: then a lost connection is worth a retry. */
  readonly answeredBefore: boolean;
  /** What was spent before it failed; null where nothing was accepted. */
  readonly usage: Usage | null;
  readonly redact: (words: string) => string;
}

export type ApiError = APIError<number | undefined, Headers | undefined, object | undefined>;

export function isApiError(error: unknown): error is ApiError {
  return error instanceof APIError;
}

/** Any error of one request as a `ModelError`: retry or not, what happened, what to do next. */
export function modelErrorFrom(error: unknown, context: FailureContext): ModelError {
  const guarded = causeOf(error, (e) => e instanceof GuardedFetchError);
  const { failure, message, next } = guarded !== undefined ? { failure: guarded.failure, message: guarded.message, next: guarded.next }
    : error instanceof APIConnectionError ? connectionFailure(error, context)
    : isApiError(error) ? answerFailure(error, context)
    : { failure: { kind: 'fatal', why: 'invalid' } as const, message: `The request to ${context.baseUrl} failed: ${String(error)}`, next: 'Report this with the words above.' };
  return new ModelError(failure, context.redact(message), context.redact(next), context.usage, { cause: error });
}

/** The provider's words, whatever shape it puts them into. */
export function providerWords(error: ApiError): string {
  const body: unknown = error.error;
  return (wordsIn(body) ?? error.message).slice(0, 2000);
}

interface Told {
  readonly failure: ModelFailure;
  readonly message: string;
  readonly next: string;
}

function connectionFailure(error: APIConnectionError, context: FailureContext): Told {
  const code = codeOf(error);
  const { baseUrl } = context;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return { failure: { kind: 'retry', why: 'idle', retryAfterMs: null }, message: `${baseUrl} accepted the request and then said nothing for minutes.`, next: 'It is tried again. If it goes on, look whether the model server is overloaded.' };
  if (code !== null && /^(CERT_|DEPTH_|ERR_TLS|ERR_SSL|SELF_SIGNED|UNABLE_TO_)/.test(code)) return { failure: { kind: 'fatal', why: 'unreachable' }, message: `The certificate of ${baseUrl} is not trusted (${code}).`, next: 'Check the base URL; behind a company proxy, add its certificate to the system or to NODE_EXTRA_CA_CERTS.' };
  const absent = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH' || code === 'ERR_INVALID_URL';
  if (absent && !context.answeredBefore) {
    const next = isLoopback(baseUrl) ? 'Start the model server (for Ollama: `ollama serve`), or change the base URL in the settings.' : 'Check the base URL in the settings and the network connection.';
    return { failure: { kind: 'fatal', why: 'unreachable' }, message: `No model server answers at ${baseUrl} (${code}).`, next };
  }
  return { failure: { kind: 'retry', why: 'network', retryAfterMs: null }, message: `The connection to ${baseUrl} failed${code === null ? '' : ` (${code})`}.`, next: 'It is tried again. If it goes on, check the network connection.' };
}

function answerFailure(error: ApiError, context: FailureContext): Told {
  const words = providerWords(error);
  const status = statusOf(error);
  const said = `${context.baseUrl} answered${status === null ? '' : ` ${status}`}: ${words}`;
  const code = typeof error.code === 'string' ? error.code : '';
  const wait = retryAfterMs(error.headers, `${words} ${JSON.stringify(error.error ?? '')}`, Date.now());
  const retry = (why: Extract<ModelFailure, { kind: 'retry' }>['why'], next: string): Told => ({ failure: { kind: 'retry', why, retryAfterMs: wait }, message: said, next });
  const fatal = (why: Extract<ModelFailure, { kind: 'fatal' }>['why'], next: string): Told => ({ failure: { kind: 'fatal', why }, message: said, next });
  const noCredit = (): Told => fatal('refused', 'The account has no credit left with this provider. Add some there, or choose another model.');

  if (status === 401) return fatal('key', context.hasKey ? 'The key is wrong or was withdrawn. Set it again for this model.' : 'This provider wants a key. Set one for this model.');
  if (code === 'insufficient_quota' || status === 402) return noCredit();
  // A limit that says when it is over is no end, whatever else its words speak of: a quota, the length of the prompt.
  if (wait !== null && (status === 429 || RATE_CODE.test(code))) return retry('rate-limit', 'It is tried again after a pause.');
  if (CONTEXT.test(words) || code === 'context_length_exceeded' || status === 413) return fatal('context-length', 'The conversation is too long for this model. It has to be shortened, or a model with a longer context chosen.');
  if (CREDIT.test(words)) return noCredit();
  if (NO_TOOLS.test(words)) return fatal('no-tools', `${context.model} cannot call tools. Choose a model that can.`);
  if (status === 403) return fatal('key', 'The key may not use this model, or the provider does not serve this place. Check it there, or choose another model.');
  if (code === 'content_filter' || /content (management )?policy|content_filter/i.test(words)) return fatal('refused', "The provider's content filter refused the request. Change the goal, or choose another model.");
  if (status === 429) return retry('rate-limit', 'It is tried again after a pause.');
  if (status === 503 || status === 529 || OVERLOADED.test(words) || code === 'overloaded_error') return retry('overloaded', 'The provider is overloaded. It is tried again after a pause.');
  if (status === 404 || code === 'model_not_found' || NO_MODEL.test(words)) return fatal('model', `Check that the model is really named ${context.model} and that the base URL ${context.baseUrl} is right (it usually ends in /v1).`);
  if (status === null) return RATE.test(`${words} ${code}`) ? retry('rate-limit', 'It is tried again after a pause.') : retry('server', 'The provider failed inside its answer. It is tried again.');
  if (status === 408 || status === 409 || status === 425 || status >= 500) return retry('server', 'The provider failed. It is tried again.');
  return fatal('invalid', 'The provider does not accept this request. Choose another model or another base URL; report it with the words above if it should work.');
}

const CONTEXT = /maximum context length|context[ _-]?(length|window|size|limit)|prompt is too long|input (is )?too long|too many (input )?tokens|request too large|reduce the length|tokens? (must|need to) be reduced/i;
const CREDIT = /insufficient[ _](quota|balance|credits?|funds)|exceeded your current quota|(more|purchase|no|add) credits|credit balance is too low|payment required/i;
const NO_TOOLS = /not support (the )?(tools?\b|tool[ _](use|call)|function)|support tool use|tools? (is|are) not supported|tool[ _]choice.*(requires|not supported)/i;
const OVERLOADED = /overloaded|over capacity|at capacity|try again later|temporarily unavailable|server is busy|currently unavailable/i;
const NO_MODEL = /model\b.{0,120}(not found|does not exist|not exist|unknown|no such)|(unknown|invalid|no such) model/i;
const RATE_CODE = /^(rate_?limit|too_many_requests|resource_exhausted)/i;
const RATE = /rate.?limit|too many requests|\b429\b/i;

/** The status of the answer; inside a 200 stream the number that some gateways give as the error's code. */
function statusOf(error: ApiError): number | null {
  const status: unknown = error.status;
  if (typeof status === 'number') return status;
  const code: unknown = error.code;
  const number = typeof code === 'number' ? code : typeof code === 'string' && /^[45]\d\d$/.test(code) ? Number(code) : NaN;
  return number >= 400 && number < 600 ? number : null;
}

function wordsIn(body: unknown): string | undefined {
  if (typeof body === 'string') return body === '' ? undefined : body;
  if (typeof body !== 'object' || body === null) return undefined;
  const { message, error, detail, metadata } = body as { readonly message?: unknown; readonly error?: unknown; readonly detail?: unknown; readonly metadata?: { readonly raw?: unknown } | null };
  const own = wordsIn(message) ?? wordsIn(error) ?? (typeof detail === 'string' ? detail : undefined);
  const raw = metadata?.raw;
  return typeof raw === 'string' ? `${own ?? ''} ${raw}`.trim() : own ?? JSON.stringify(body);
}

function codeOf(error: Error): string | null {
  const found = causeOf(error, (e): e is Error & { readonly code: string } => e instanceof Error && 'code' in e && typeof e.code === 'string');
  return found?.code ?? null;
}

/** Looks through an error's causes, and through the parts of an aggregate (one for each address that was tried). */
function causeOf<T>(error: unknown, is: (error: unknown) => error is T, depth = 0): T | undefined {
  if (is(error)) return error;
  if (!(error instanceof Error) || depth > 5) return undefined;
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  for (const part of [error.cause, ...parts]) {
    const found = causeOf(part, is, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
