import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { OpenAiCompatibleModels, type OpenAiOptions } from '../../../src/adapters/models/openaiCompatible.ts';
import type { Message, ModelRef, ModelReply } from '../../../src/core/episode/model.ts';
import { callId } from '../../../src/core/ids.ts';
import { TOOL_LIST } from '../../../src/core/tools/catalogue.ts';
import { ModelError, type ModelRequest } from '../../../src/runtime/ports/models.ts';
import { testServer } from '../../support/testServer.ts';
import { call, contextTooLong, overloaded400, overloaded529, rateLimited, ScriptedModel, tryAgainIn, unavailable, type HttpRefusal, type ScriptedAnswer, type ScriptedModelOptions } from '../../support/scriptedModel.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

describe('an answer that streams', () => {
  it('gives its text, its calls and its usage, and shows the text while it streams', async () => {
    const model = await scripted([{ text: 'I will read the file that you named.', calls: [call('read_file', { path: 'a.ts' }), call('list_files', {})], usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 64 }, completion_tokens_details: { reasoning_tokens: 5 } } }]);
    const deltas: string[] = [];
    const reply = await ask(model, { onText: (delta) => deltas.push(delta) });
    expect(reply).toMatchObject({ end: 'complete', estimated: false, usage: { fresh: 36, cached: 64, output: 20, reasoning: 5 } });
    expect(reply.message.text).toBe('I will read the file that you named.');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(reply.message.text);
    expect(callsOf(reply)).toEqual([['read_file', '{"path":"a.ts"}'], ['list_files', '{}']]);
    expect(model.requests[0]?.body).toMatchObject({ model: 'scripted', stream: true, stream_options: { include_usage: true }, max_tokens: 1000 });
  });

  it('never sends a header, an organisation or a key from the environment', async () => {
    const model = await scripted([{ text: 'ok' }]);
    const before = { ...process.env };
    Object.assign(process.env, { OPENAI_API_KEY: 'of-another-provider', OPENAI_ORG_ID: 'org-1', OPENAI_PROJECT_ID: 'proj-1', OPENAI_CUSTOM_HEADERS: 'x-secret: 1' });
    try {
      await ask(model, {}, { keyFor: () => Promise.resolve(null) });
    } finally {
      process.env = before;
    }
    expect(Object.keys(model.requests[0]?.headers ?? {}).filter((h) => /^(authorization|openai|x-)/.test(h))).toEqual([]);
  });

  it('asks again without stream_options where the server does not know them, and remembers it', async () => {
    const model = await scripted((seen) => (seen.body.stream_options === undefined ? { text: 'ok' } : { refuse: { status: 400, body: { error: { message: "Unrecognized request argument supplied: stream_options" } } } }));
    const models = adapter();
    const reply = await models.ask(requestTo(model));
    expect(reply).toMatchObject({ estimated: true, end: 'complete' });
    expect(reply.usage.fresh).toBeGreaterThan(100);
    await models.ask(requestTo(model));
    expect(model.requests.map((r) => r.body.stream_options !== undefined)).toEqual([true, false, false]);
  });

  it('names the output limit as the server wants it', async () => {
    const model = await scripted((seen) => (seen.body.max_tokens === undefined ? { text: 'ok' } : { refuse: { status: 400, body: { error: { message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", code: 'unsupported_parameter', param: 'max_tokens' } } } }));
    expect(await ask(model)).toMatchObject({ end: 'complete' });
    expect(model.requests[1]?.body).toMatchObject({ max_completion_tokens: 1000 });
  });

  it('counts at least what came where the usage was told before it, or tells no output', async () => {
    const early = await streaming([{ choices: [{ index: 0, delta: { content: '' } }], usage: { prompt_tokens: 5000, completion_tokens: 1 } }, { choices: [{ index: 0, delta: { content: 'word '.repeat(1000) } }] }], 'cut');
    expect(await ask(early)).toMatchObject({ end: 'cut', estimated: true, usage: { fresh: 5000, output: 1250 } });
    const none = await streaming([{ choices: [{ index: 0, delta: { content: 'word '.repeat(1000) }, finish_reason: 'stop' }] }, { choices: [], usage: { prompt_tokens: 5000, completion_tokens: 0 } }]);
    expect(await ask(none)).toMatchObject({ end: 'complete', estimated: true, usage: { fresh: 5000, output: 1250 } });
    const repeated = [1, 2, 3].map(() => ({ choices: [{ index: 0, delta: { content: 'word '.repeat(1000) } }], usage: { prompt_tokens: 5000, completion_tokens: 1 } }));
    expect(await ask(await streaming(repeated, 'cut'))).toMatchObject({ estimated: true, usage: { fresh: 5000, output: 3750 } });
  });

  it('believes no count that cannot be, and leaves out parts of an answer that are none', async () => {
    const model = await streaming([{ choices: [{ index: 0, delta: { content: [null, 7, { type: 'text', text: 'All is well.' }] }, finish_reason: 'stop' }] }, { choices: [], usage: { prompt_tokens: 1e300, completion_tokens: 2 } }]);
    const reply = await ask(model);
    expect(reply).toMatchObject({ end: 'complete', estimated: true, message: { text: 'All is well.' } });
    expect(reply.usage.fresh).toBeLessThan(100_000);
  });

  it('tells parallel calls apart that all arrive at index 0', async () => {
    const model = await scripted([{ calls: [call('read_file', { path: 'a' }, { index: 0 }), call('read_file', { path: 'b' }, { index: 0 }), call('list_files', {}, { index: 0 })] }]);
    const reply = await ask(model);
    expect(callsOf(reply)).toEqual([['read_file', '{"path":"a"}'], ['read_file', '{"path":"b"}'], ['list_files', '{}']]);
    expect(new Set(reply.message.calls.map((c) => c.id)).size).toBe(3);
  });

  it('gives calls without an id, or with one that was used before, an id of their own', async () => {
    const model = await scripted([{ calls: [call('read_file', { path: 'a' }, { id: null, index: 0 }), call('read_file', { path: 'b' }, { id: null, index: 0 }), call('list_files', {}, { id: 'used' })] }]);
    const reply = await ask(model, { messages: [...MESSAGES, { role: 'assistant', text: '', calls: [{ id: callId.parse('used'), name: 'list_files', arguments: '{}' }] }, { role: 'tool', call: callId.parse('used'), text: 'src/' }] });
    const ids = reply.message.calls.map((c) => c.id);
    expect(callsOf(reply).map(([, args]) => args)).toEqual(['{"path":"a"}', '{"path":"b"}', '{}']);
    expect(new Set([...ids, 'used']).size).toBe(4);
  });

  it.each([{ choices: null }, { choices: [] }] as const)('goes past chunks with choices %j', async ({ choices }) => {
    const model = await scripted([{ text: 'all of it', fault: { kind: 'odd-choices', choices: choices === null ? null : [] } }]);
    expect(await ask(model)).toMatchObject({ end: 'complete', message: { text: 'all of it' }, estimated: false });
  });

  it('takes an answer that a server sends in one piece', async () => {
    const model = await scripted([{ text: 'all at once', calls: [call('list_files', {})], fault: { kind: 'not-streamed' } }]);
    expect(await ask(model)).toMatchObject({ end: 'complete', message: { text: 'all at once', calls: [{ name: 'list_files' }] }, estimated: false });
  });

  it('estimates the usage that a provider does not tell, and marks it', async () => {
    const model = await scripted([{ text: 'x'.repeat(400), usage: null }]);
    const reply = await ask(model);
    expect(reply).toMatchObject({ estimated: true, usage: { output: 100, cached: 0 } });
  });
});

describe('a stream that was cut', () => {
  it.each([
    { finish: 'tool_calls', how: 'end' }, { finish: 'stop', how: 'end' }, { finish: null, how: 'end' }, { finish: null, how: 'break' },
  ] as const)('inside arguments, with finish_reason $finish and the connection then $how, is told as cut', async ({ finish, how }) => {
    const model = await scripted([{ calls: [call('write_file', { path: 'src/a.ts', content: 'x'.repeat(500) })], fault: { kind: 'cut-arguments', finish, how } }]);
    const reply = await ask(model);
    expect(reply.end).toBe('cut');
    expect(reply.estimated).toBe(true);
  });

  it('inside arguments by the output limit is told as length', async () => {
    const model = await scripted([{ calls: [call('write_file', { path: 'src/a.ts', content: 'x'.repeat(500) })], fault: { kind: 'cut-arguments', finish: 'length', how: 'end' } }]);
    expect((await ask(model)).end).toBe('length');
  });

  it.each(['end', 'break'] as const)('before its finish_reason (%s) is told as cut although its calls look whole', async (how) => {
    const model = await scripted([{ calls: [call('list_files', { depth: 2 })], fault: { kind: 'cut-before-finish', how } }]);
    expect((await ask(model)).end).toBe('cut');
  });

  it('is complete when the arguments are whole but wrong, so that the model is told what is wrong', async () => {
    const model = await scripted([{ calls: [call('read_file', '{"path": "a",}')] }]);
    expect((await ask(model)).end).toBe('complete');
  });
});

describe('thoughts', () => {
  it('go back with their calls to the provider that had them, and to no other', async () => {
    const first = await scripted([{ reasoning: 'the tests are in test/', calls: [call('list_files', {})] }, { text: 'ok' }]);
    const other = await scripted([{ text: 'ok' }]);
    const reply = await ask(first);
    expect(reply.message.reasoning).toBe('the tests are in test/');
    const messages: Message[] = [...MESSAGES, reply.message, { role: 'tool', call: reply.message.calls[0]?.id ?? callId.parse('none'), text: 'src/' }];
    await ask(first, { messages });
    await ask(other, { messages });
    expect(first.requests[1]?.body.messages[2]).toMatchObject({ role: 'assistant', reasoning_content: 'the tests are in test/' });
    expect(other.requests[0]?.body.messages[2]).not.toHaveProperty('reasoning_content');
  });
});

describe('a failure that may pass', () => {
  it.each<{ readonly name: string; readonly refuse: HttpRefusal; readonly why: string; readonly after: number | null }>([
    { name: '429 without a word on when', refuse: rateLimited(), why: 'rate-limit', after: null },
    { name: '429 with Retry-After in seconds', refuse: rateLimited({ 'retry-after': '7' }), why: 'rate-limit', after: 7000 },
    { name: '429 with Retry-After as a date', refuse: rateLimited({ 'retry-after': 'Mon, 30 Nov 2026 10:00:30 GMT', 'date': 'Mon, 30 Nov 2026 10:00:00 GMT' }), why: 'rate-limit', after: 30_000 },
    { name: '429 with retry-after-ms', refuse: rateLimited({ 'retry-after-ms': '250', 'retry-after': '9' }), why: 'rate-limit', after: 250 },
    { name: '429 that says "try again in 1.3s"', refuse: tryAgainIn('1.3s'), why: 'rate-limit', after: 1300 },
    { name: '429 that says "try again in 6m0s"', refuse: tryAgainIn('6m0s'), why: 'rate-limit', after: 360_000 },
    { name: '429 that says "try again in 220ms"', refuse: tryAgainIn('220ms'), why: 'rate-limit', after: 220 },
    { name: '429 that speaks of a quota and says when', refuse: { status: 429, body: { error: { message: 'You exceeded your current quota, please check your plan and billing details. Please retry in 23.5s.', status: 'RESOURCE_EXHAUSTED' } } }, why: 'rate-limit', after: 23_500 },
    { name: '429 that speaks of the prompt’s length and says when', refuse: { status: 429, body: { error: { message: 'Rate limit reached for input tokens per minute. Please reduce the length of your prompt or try again in 12s.' } } }, why: 'rate-limit', after: 12_000 },
    { name: '503', refuse: unavailable(), why: 'overloaded', after: null },
    { name: '529', refuse: overloaded529(), why: 'overloaded', after: null },
    { name: '400 "overloaded"', refuse: overloaded400(), why: 'overloaded', after: null },
    { name: '500', refuse: { status: 500, body: 'oops' }, why: 'server', after: null },
  ])('$name is told as one, after one request', async ({ refuse, why, after }) => {
    const model = await scripted([{ refuse }]);
    const error = await failureOf(ask(model));
    expect(error.failure).toEqual({ kind: 'retry', why, retryAfterMs: after });
    expect(error.usage).toBeNull();
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    { error: { message: 'Overloaded', type: 'overloaded_error', code: 'overloaded_error' }, why: 'overloaded' },
    { error: { message: 'Rate limit exceeded', code: 429 }, why: 'rate-limit' },
    { error: { message: 'Provider returned error', code: 502 }, why: 'server' },
    { error: 'something broke', why: 'server' },
  ])('an error object inside a 200 stream is one: $why', async ({ error, why }) => {
    const model = await scripted([{ text: 'half of this will arrive, then nothing more of it', fault: { kind: 'error-object', error } }]);
    const failed = await failureOf(ask(model));
    expect(failed.failure).toMatchObject({ kind: 'retry', why });
    expect(failed.usage?.output).toBeGreaterThan(0);
  });

  it('an error object before anything of an answer costs nothing', async () => {
    const model = await streaming([{ error: { message: 'Overloaded', code: 529 } }]);
    const failed = await failureOf(ask(model));
    expect(failed.failure).toMatchObject({ kind: 'retry', why: 'overloaded' });
    expect(failed.usage).toBeNull();
  });

  it.each(['request', 'headers', 'text'] as const)('a connection that is open but silent after the %s is given up', async (after) => {
    const model = await scripted([{ text: 'half of this will arrive, then nothing more of it', fault: { kind: 'silence', after } }]);
    const error = await failureOf(ask(model, {}, { serverOf: () => testServer({ idleSeconds: 0.15 }) }));
    expect(error.failure).toEqual({ kind: 'retry', why: 'idle', retryAfterMs: null });
    await model.requests[0]?.gone;
  });

  it('a queue that keeps the stream alive with comments is waited for', async () => {
    const model = await scripted([{ text: 'at last', fault: { kind: 'keep-alive', everyMs: 60, count: 6 } }]);
    expect(await ask(model, {}, { serverOf: () => testServer({ idleSeconds: 0.2 }) })).toMatchObject({ message: { text: 'at last' } });
  });

  it('a stream that ends without a word of an answer is one', async () => {
    const model = await scripted([{ fault: { kind: 'cut-before-finish', how: 'break' } }]);
    expect((await failureOf(ask(model))).failure).toMatchObject({ kind: 'retry', why: 'network' });
  });
});

describe('a failure that stays', () => {
  it.each<{ readonly name: string; readonly options: Partial<ScriptedModelOptions>; readonly why: string; readonly words: RegExp; readonly next: RegExp }>([
    { name: 'a wrong key', options: { key: 'right' }, why: 'key', words: /401.*Incorrect API key/, next: /Set it again/ },
    { name: 'an unknown model', options: { models: ['other'] }, why: 'model', words: /404.*does not exist/, next: /really named scripted.*usually ends in \/v1/ },
    { name: 'a conversation that is too long', options: { script: [{ refuse: contextTooLong() }] }, why: 'context-length', words: /maximum context length/, next: /shortened/ },
    { name: 'an account without credit', options: { script: [{ refuse: { status: 429, body: { error: { message: 'You exceeded your current quota, please check your plan and billing details.', code: 'insufficient_quota' } } } }] }, why: 'refused', words: /quota/, next: /no credit/ },
    { name: 'a model without tools', options: { script: [{ refuse: { status: 400, body: { error: { message: 'registry.local/library/tiny:latest does not support tools' } } } }] }, why: 'no-tools', words: /not support tools/, next: /Choose a model/ },
    { name: 'a body that is not JSON', options: { script: [{ refuse: { status: 405, body: '<html>Method Not Allowed</html>' } }] }, why: 'invalid', words: /405/, next: /another base URL/ },
  ])('$name is told with the way to mend it, after one request', async ({ options, why, words, next }) => {
    const model = await start({ script: [], ...options });
    const error = await failureOf(ask(model, {}, { keyFor: (_, origin) => Promise.resolve({ key: 'wrong-key-1234', origin }) }));
    expect(error.failure).toEqual({ kind: 'fatal', why });
    expect(error.message).toMatch(words);
    expect(error.next).toMatch(next);
    expect(error.message).not.toContain('wrong-key-1234');
    expect(model.requests).toHaveLength(1);
  });

  it('a server that is not there is one, but one that went away may come back', async () => {
    const model = await scripted([{ text: 'ok' }]);
    const models = adapter();
    await models.ask(requestTo(model));
    await model.stop();
    stops.splice(0);
    expect((await failureOf(models.ask(requestTo(model)))).failure).toMatchObject({ kind: 'retry', why: 'network' });
    const error = await failureOf(adapter().ask(requestTo(model)));
    expect(error.failure).toEqual({ kind: 'fatal', why: 'unreachable' });
    expect(error.message).toMatch(/No model server answers at http:\/\/127\.0\.0\.1/);
    expect(error.next).toMatch(/ollama serve/);
  });
});

describe('a key', () => {
  it('goes to the origin that it was entered for', async () => {
    const model = await start({ script: [{ text: 'ok' }], key: 'right' });
    expect(await ask(model, {}, { keyFor: (_, origin) => Promise.resolve({ key: 'right', origin }) })).toMatchObject({ end: 'complete' });
  });

  it('goes to no other, although a setting says so', async () => {
    const model = await scripted([{ text: 'ok' }]);
    const error = await failureOf(ask(model, {}, { keyFor: () => Promise.resolve({ key: 'right', origin: 'https://api.example.com' }) }));
    expect(error.failure).toEqual({ kind: 'fatal', why: 'key' });
    expect(model.requests).toHaveLength(0);
  });

  it('is sent without the white space it was pasted with, and not at all when it cannot be a key', async () => {
    const model = await start({ script: [{ text: 'ok' }], key: 'right' });
    expect(await ask(model, {}, { keyFor: (_, origin) => Promise.resolve({ key: ' right\n', origin }) })).toMatchObject({ end: 'complete' });
    const error = await failureOf(ask(model, {}, { keyFor: (_, origin) => Promise.resolve({ key: '“right”', origin }) }));
    expect(error.failure).toEqual({ kind: 'fatal', why: 'key' });
    expect(error.message).not.toContain('right');
    expect(model.requests).toHaveLength(1);
  });

  it('follows no redirect to another origin, and neither do the messages', async () => {
    const elsewhere = await scripted([{ text: 'ok' }]);
    const redirecting = await redirectingTo(`${elsewhere.baseUrl}/chat/completions`, 307);
    const error = await failureOf(adapter({ keyFor: (_, origin) => Promise.resolve({ key: 'right', origin }) }).ask({ ...requestTo(elsewhere), model: refTo(redirecting) }));
    expect(error.failure).toEqual({ kind: 'fatal', why: 'refused' });
    expect(error.message).toContain('sends the request on to');
    expect(elsewhere.requests).toHaveLength(0);
  });
});

describe('what a profile says of its server', () => {
  it('is added to the request, below what Worldtree itself says', async () => {
    const model = await scripted([{ text: 'ok' }]);
    await ask(model, {}, { serverOf: () => testServer({}, { headers: { 'X-Title': 'Worldtree', 'User-Agent': 'mine', 'content-type': 'text/plain' }, extraBody: { temperature: 0, reasoning: { effort: 'low' }, model: 'another', stream: false } }) });
    expect(model.requests[0]?.headers).toMatchObject({ 'x-title': 'Worldtree', 'user-agent': 'mine', 'content-type': 'application/json' });
    expect(model.requests[0]?.body).toMatchObject({ temperature: 0, reasoning: { effort: 'low' }, model: 'scripted', stream: true });
  });

  it('goes along with a redirect within the origin and to no other', async () => {
    const elsewhere = await scripted([{ text: 'ok' }]);
    const redirecting = await redirectingTo(`${elsewhere.baseUrl}/chat/completions`, 307);
    const error = await failureOf(adapter({ serverOf: () => testServer({}, { headers: { 'X-Title': 'Worldtree' } }) }).ask({ ...requestTo(elsewhere), model: refTo(redirecting) }));
    expect(error.failure).toEqual({ kind: 'fatal', why: 'refused' });
    expect(elsewhere.requests).toHaveLength(0);
  });

  it('decides how it is spoken to', async () => {
    const model = await scripted([{ reasoning: 'hm', calls: [call('list_files', {})], usage: null }, { text: 'ok' }]);
    const models = adapter({ serverOf: () => testServer({ askForUsage: false, limitField: 'none', sendThoughtsBack: false }) });
    const reply = await models.ask(requestTo(model));
    await models.ask({ ...requestTo(model), messages: [...MESSAGES, reply.message, { role: 'tool', call: reply.message.calls[0]?.id ?? callId.parse('none'), text: 'src/' }] });
    for (const field of ['stream_options', 'max_tokens', 'max_completion_tokens']) expect(model.requests[0]?.body).not.toHaveProperty(field);
    expect(model.requests[1]?.body.messages[2]).not.toHaveProperty('reasoning_content');
  });

  it.each([['apart', { fresh: 1000, cached: 900 }], ['any', { fresh: 100, cached: 900 }]] as const)('decides what its cached tokens are a part of (%s)', async (cachedTokens, usage) => {
    const model = await scripted([{ text: 'ok', usage: { prompt_tokens: 1000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } } }]);
    expect(await ask(model, {}, { serverOf: () => testServer({ cachedTokens }) })).toMatchObject({ usage, estimated: false });
  });
});

describe('stopping', () => {
  it('in the middle of a stream ends it within a second, with what it may have cost', async () => {
    const model = await scripted([{ text: 'x'.repeat(4000), delayMs: 30 }]);
    const stop = new AbortController();
    const asked = failureOf(ask(model, { signal: stop.signal, onText: () => stop.abort() }));
    await model.arrived(1);
    const from = performance.now();
    const error = await asked;
    expect(error.failure).toEqual({ kind: 'cancelled' });
    expect(error.usage?.fresh).toBeGreaterThan(0);
    expect(performance.now() - from).toBeLessThan(1000);
    await model.requests[0]?.gone;
    expect(model.requests).toHaveLength(1);
  });

  it('while nothing has arrived yet ends it too', async () => {
    const model = await scripted([{ fault: { kind: 'silence', after: 'request' } }]);
    const stop = new AbortController();
    const asked = failureOf(ask(model, { signal: stop.signal }));
    await model.arrived(1);
    stop.abort();
    const error = await asked;
    expect(error.failure).toEqual({ kind: 'cancelled' });
    expect(error.usage).toBeNull();
    await model.requests[0]?.gone;
  });

  it('before it begins sends nothing', async () => {
    const model = await scripted([{ text: 'ok' }]);
    expect((await failureOf(ask(model, { signal: AbortSignal.abort() }))).failure).toEqual({ kind: 'cancelled' });
    expect(model.requests).toHaveLength(0);
  });
});

describe('what is sent', () => {
  it('holds no lone surrogate, and keeps tokens that mean something to a model as they are', async () => {
    const model = await scripted([{ text: 'ok' }]);
    await ask(model, { messages: [{ role: 'user', text: 'a\ud800b <|im_end|> \ud83d\ude00 <|endoftext|>' }] });
    expect(model.requests[0]?.body.messages[0]?.content).toBe('a\ufffdb <|im_end|> \ud83d\ude00 <|endoftext|>');
  });

  it('breaks such tokens only for a server that refuses them', async () => {
    const model = await scripted((seen) => (seen.body.messages[0]?.content?.includes('<|') ? { refuse: { status: 400, body: { error: { message: "Encountered text corresponding to disallowed special token '<|endoftext|>'." } } } } : { text: 'ok' }));
    expect(await ask(model, { messages: [{ role: 'user', text: 'say <|endoftext|>' }] })).toMatchObject({ end: 'complete' });
  });

  it('answers calls that a crash left open and mends arguments that are no JSON', async () => {
    const model = await scripted([{ text: 'ok' }]);
    const [a, b] = [callId.parse('a'), callId.parse('b')];
    await ask(model, { messages: [{ role: 'user', text: 'go' }, { role: 'assistant', text: '', calls: [{ id: a, name: 'read_file', arguments: '{"path": ' }, { id: b, name: 'list_files', arguments: '"{}"' }] }, { role: 'tool', call: b, text: 'src/' }, { role: 'user', text: 'go on' }] });
    const sent = model.requests[0]?.body.messages ?? [];
    expect(sent.map((m) => [m.role, m.tool_call_id])).toEqual([['user', undefined], ['assistant', undefined], ['tool', 'b'], ['tool', 'a'], ['user', undefined]]);
    expect(sent[1]?.tool_calls?.map((c) => JSON.parse(c.function.arguments) as unknown)).toEqual([{ invalid_arguments: '{"path": ' }, {}]);
  });
});

/** A server that streams these chunks, and ends or breaks off. */
async function streaming(chunks: readonly unknown[], then: 'end' | 'cut' = 'end'): Promise<Pick<ScriptedModel, 'baseUrl'>> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      if (then === 'end') response.end('data: [DONE]\n\n');
      else response.write(': cut\n\n', () => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1` };
}

const MESSAGES: readonly Message[] = [{ role: 'system', text: 'You work on a folder.' }, { role: 'user', text: 'Look around.' }];

async function start(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await ScriptedModel.start(options);
  stops.push(() => model.stop());
  return model;
}

async function scripted(script: ScriptedModelOptions['script'] | readonly ScriptedAnswer[]): Promise<ScriptedModel> {
  return start({ script });
}

function adapter(options: Partial<OpenAiOptions> = {}): OpenAiCompatibleModels {
  return new OpenAiCompatibleModels({ keyFor: () => Promise.resolve(null), serverOf: () => testServer(), ...options });
}

function refTo(baseUrl: string): ModelRef {
  return { kind: 'openai', profile: 'test', baseUrl, model: 'scripted', prices: null };
}

function requestTo(model: Pick<ScriptedModel, 'baseUrl'>): ModelRequest {
  return { model: refTo(model.baseUrl), messages: MESSAGES, tools: TOOL_LIST, maxOutputTokens: 1000, signal: new AbortController().signal, onText: () => undefined };
}

async function ask(model: Pick<ScriptedModel, 'baseUrl'>, more: Partial<ModelRequest> = {}, options: Partial<OpenAiOptions> = {}): Promise<ModelReply> {
  return adapter(options).ask({ ...requestTo(model), ...more });
}

async function failureOf(asked: Promise<ModelReply>): Promise<ModelError> {
  const error: unknown = await asked.then(() => null, (e: unknown) => e);
  if (!(error instanceof ModelError)) throw new Error(`expected a ModelError, got ${String(error)}`);
  return error;
}

function callsOf(reply: ModelReply): readonly (readonly [string, string])[] {
  return reply.message.calls.map((c) => [c.name, c.arguments] as const);
}

async function redirectingTo(location: string, status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, { location }).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
