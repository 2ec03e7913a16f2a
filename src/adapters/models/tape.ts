import { createHash } from 'node:crypto';
import { modelName, type Message, type ModelReply } from '../../core/episode/model.ts';
import { ModelError } from '../../core/episode/modelError.ts';
import { originOf } from '../../core/models/origin.ts';
import { withoutTimes } from '../../core/withoutTimes.ts';
import type { ModelRequest, Models } from '../../runtime/ports/models.ts';
import { appendToTape, readTape, TapeFileError, type Exchange, type TapeRequest } from './tapeFile.ts';
import { TapeMasking, type Masked } from './tapeMask.ts';
import { differenceWords, wholeMessages } from './tapeSearch.ts';

/** Nothing on the tape answers this request. Nothing is sent in its place. */
export class NotRecordedError extends ModelError {
  constructor(words: string, options?: ErrorOptions) {
    super({ kind: 'fatal', why: 'not-recorded' }, words, 'Play it with the repository, goal and version of Worldtree that it was recorded with, or record it again.', null, options);
    this.name = 'NotRecordedError';
  }
}

/** Asks other models and writes down what they were asked and answered. A reply is not lost because it could not be written: `onProblem` is told. */
export function recordTape(models: Models, tape: { readonly file: string; readonly masked: () => Promise<Masked>; readonly onProblem: (words: string) => void }): Models {
  // By the hash of everything up to a message, an exchange that begins so: what was recorded is neither kept nor compared.
  const recorded = new Map<string, string>();
  const write = async (masking: TapeMasking, request: TapeRequest, ms: number, answer: Exchange['answer']): Promise<void> => {
    const beginnings = hashesUpTo(request.messages);
    const kept = beginnings.findLastIndex((beginning) => recorded.has(beginning)) + 1;
    const base = recorded.get(beginnings[kept - 1] ?? '') ?? null;
    for (const beginning of beginnings.slice(kept)) recorded.set(beginning, request.key);
    await appendToTape(tape.file, { kind: 'exchange', ...request, base, kept, messages: request.messages.slice(kept), ms: Math.round(ms), answer: maskedAnswer(masking, answer) })
      .catch((error: unknown) => tape.onProblem(`The tape could not be written: ${error instanceof Error ? error.message : String(error)}`));
  };
  return {
    async ask(request: ModelRequest): Promise<ModelReply> {
      const masking = maskingFor(request, await tape.masked());
      const from = performance.now();
      const asked = tapeRequest(masking, request);
      try {
        const reply = await models.ask(request);
        await write(masking, asked, performance.now() - from, { ok: true, message: reply.message, end: reply.end, usage: reply.usage, estimated: reply.estimated });
        return reply;
      } catch (error) {
        // A stop is the person's, and comes again by itself when they stop again.
        if (error instanceof ModelError && error.failure.kind !== 'cancelled') await write(masking, asked, performance.now() - from, { ok: false, failure: error.failure, words: error.message, next: error.next, usage: error.usage });
        throw error;
      }
    },
  };
}

/** Answers as recorded, equal requests in their order, and asks nobody. */
export function playTape(tape: { readonly file: string; readonly masked: () => Promise<Masked> }): Models {
  const exchanges = readTape(tape.file);
  // Told to each request instead.
  exchanges.catch(() => undefined);
  const played = new Map<string, number>();
  return {
    async ask(request: ModelRequest): Promise<ModelReply> {
      if (request.signal.aborted) throw new ModelError({ kind: 'cancelled' }, 'The request was stopped.', 'Nothing more is sent.');
      const all = await exchanges.catch((error: unknown) => {
        if (error instanceof TapeFileError) throw new ModelError({ kind: 'fatal', why: 'not-recorded' }, error.message, error.next, null, { cause: error });
        throw error;
      });
      const masking = maskingFor(request, await tape.masked());
      const asked = tapeRequest(masking, request);
      const equal = all.filter((one) => one.key === asked.key);
      const before = played.get(asked.key) ?? 0;
      const found = equal[before];
      if (found === undefined) throw new NotRecordedError(equal.length === 0 ? differenceWords(asked, wholeMessages(all)) : `The tape has this request ${equal.length === 1 ? 'once' : `${equal.length} times`}, and it was asked once more.`);
      played.set(asked.key, before + 1);
      return answerOf(masking, found, request);
    },
  };
}

function maskingFor({ model }: ModelRequest, masked: Masked): TapeMasking {
  return new TapeMasking(masked, model.kind === 'openai' ? model.baseUrl : null, modelName(model));
}

function answerOf(masking: TapeMasking, { answer }: Exchange, request: ModelRequest): ModelReply {
  if (!answer.ok) throw new ModelError(answer.failure, masking.unmask(answer.words), masking.unmask(answer.next), answer.usage);
  const message = eachText(answer.message, (text) => masking.unmask(text), (text) => masking.unmaskAllButSecrets(text));
  if (message.role !== 'assistant') throw new NotRecordedError('The tape holds an answer that no model gives.');
  const origin = request.model.kind === 'openai' ? originOf(request.model.baseUrl) : null;
  if (message.text !== '') request.onText(message.text);
  return { message: { ...message, ...(message.reasoning === undefined || origin === null ? {} : { reasoningFrom: origin }) }, end: answer.end, usage: answer.usage, estimated: answer.estimated };
}

function tapeRequest(masking: TapeMasking, { model, messages, tools, maxOutputTokens }: ModelRequest): TapeRequest {
  const said = {
    model: { kind: model.kind, name: masking.mask(modelName(model)) },
    tools: hash(JSON.stringify(tools.map(({ name, description, parameters }) => [name, description, parameters]))),
    maxOutputTokens,
    messages: messages.map((message) => eachText(message, (text) => (OF_THIS_RUN.has(message.role) ? withoutTimes(masking.mask(text)) : masking.mask(text)))),
  };
  return { key: hash(JSON.stringify(said)), ...said };
}

/** What tools answered, and what the host says, which may quote it. */
const OF_THIS_RUN: ReadonlySet<Message['role']> = new Set(['tool', 'user']);

function maskedAnswer(masking: TapeMasking, answer: Exchange['answer']): Exchange['answer'] {
  if (!answer.ok) return { ...answer, words: masking.mask(answer.words), next: masking.mask(answer.next) };
  return { ...answer, message: eachText(answer.message, (text) => masking.mask(text)) };
}

/** A message with each of its texts changed, those of calls in a way of their own, its fields in one order, and without the address that its thoughts came from. */
function eachText(message: Message, change: (text: string) => string, ofCall = change): Message {
  switch (message.role) {
    case 'system': case 'user': return { role: message.role, text: change(message.text) };
    case 'tool': return { role: 'tool', call: message.call, text: change(message.text) };
    case 'assistant': return {
      role: 'assistant', text: change(message.text),
      calls: message.calls.map(({ id, name, arguments: args }) => ({ id, name: ofCall(name), arguments: ofCall(args) })),
      ...(message.reasoning === undefined ? {} : { reasoning: change(message.reasoning) }),
    };
  }
}

/** Of each message a hash of it and all before it. */
function hashesUpTo(messages: readonly Message[]): readonly string[] {
  let before = '';
  return messages.map((message) => (before = hash(before + JSON.stringify(message))));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
