import * as vscode from 'vscode';
import type { Message, ModelReply, ToolCall } from '../../core/episode/model.ts';
import type { CallId } from '../../core/ids.ts';
import { ModelError, type ModelRequest, type Models } from '../../runtime/ports/models.ts';
import { callsNoTools } from '../../core/models/languageModelTools.ts';
import { languageModelFailure } from './languageModelFailure.ts';

/** Milliseconds without a piece of the answer after which a request is given up. */
const IDLE_MS = 120_000;

/**
 * The models that VS Code already has. It asks the person for consent by itself, and tells no usage: what is counted is
 * our text, by the model's own tokenizer where it gives one, and stays marked as an estimate.
 */
export class LanguageModelApi implements Models {
  readonly #counted = new WeakMap<object, number>();

  async ask(request: ModelRequest): Promise<ModelReply> {
    const { model } = request;
    if (model.kind !== 'vscode') throw new ModelError({ kind: 'fatal', why: 'model' }, `${model.kind} is no model of VS Code.`, 'Choose another model.');
    const [chat] = await vscode.lm.selectChatModels({ id: model.id });
    if (!chat) throw new ModelError({ kind: 'fatal', why: 'model' }, `VS Code no longer offers ${model.name}.`, 'Sign in to the extension that offered it, or choose another model.');
    if (request.tools.length > 0 && callsNoTools(chat)) throw new ModelError({ kind: 'fatal', why: 'no-tools' }, `${model.name} cannot call tools, says ${chat.vendor}.`, 'Agents work by calling tools: choose a model that can.');
    const source = new vscode.CancellationTokenSource();
    const cancel = () => source.cancel();
    request.signal.addEventListener('abort', cancel, { once: true });
    if (request.signal.aborted) cancel();
    const idle = new IdleTimer(IDLE_MS, cancel);
    const text: string[] = [];
    const calls: ToolCall[] = [];
    try {
      const response = await chat.sendRequest(chatMessages(request.messages), {
        justification: 'An agent that you started works on a folder with this model.',
        tools: request.tools.map((tool) => ({ name: tool.name, description: tool.description, inputSchema: tool.parameters })),
      }, source.token);
      for await (const part of response.stream) {
        idle.heard();
        if (part instanceof vscode.LanguageModelTextPart) {
          text.push(part.value);
          request.onText(part.value);
        } else if (part instanceof vscode.LanguageModelToolCallPart) {
          calls.push({ id: (part.callId === '' ? `call-${String(calls.length + 1)}` : part.callId) as CallId, name: part.name, arguments: JSON.stringify(part.input) });
        }
      }
      // A stream that was cancelled may end as if it were complete.
      if (source.token.isCancellationRequested) throw new vscode.CancellationError();
    } catch (error) {
      if (request.signal.aborted) throw new ModelError({ kind: 'cancelled' }, 'The request was cancelled.', '');
      if (idle.expired) throw new ModelError({ kind: 'retry', why: 'idle', retryAfterMs: null }, `${model.name} sent nothing for ${String(IDLE_MS / 1000)} seconds.`, 'It is tried again.');
      throw languageModelFailure(error, model.name);
    } finally {
      idle.stop();
      request.signal.removeEventListener('abort', cancel);
      source.dispose();
    }
    const message = { role: 'assistant' as const, text: text.join(''), calls };
    return { message, end: 'complete', estimated: true, usage: { fresh: await this.#countAll(chat, request), cached: 0, output: await this.#count(chat, message), reasoning: 0 } };
  }

  /** A conversation only grows: each message is counted once. */
  async #countAll(chat: vscode.LanguageModelChat, request: ModelRequest): Promise<number> {
    const counts = await Promise.all([this.#once(chat, request.tools, () => JSON.stringify(request.tools)), ...request.messages.map((message) => this.#count(chat, message))]);
    return counts.reduce((sum, n) => sum + n, 0);
  }

  #count(chat: vscode.LanguageModelChat, message: Message): Promise<number> {
    return this.#once(chat, message, () => (message.role === 'assistant' ? message.text + message.calls.map((call) => call.name + call.arguments).join('') : message.text));
  }

  async #once(chat: vscode.LanguageModelChat, of: object, text: () => string): Promise<number> {
    const known = this.#counted.get(of) ?? await countText(chat, text());
    this.#counted.set(of, known);
    return known;
  }
}

async function countText(chat: vscode.LanguageModelChat, text: string): Promise<number> {
  try {
    return await chat.countTokens(text);
  } catch {
    // The answer is there and must not be lost for a count; characters / 4 is what the other models fall back to.
    return Math.ceil(text.length / 4);
  }
}

/** The API knows no system role, and takes the results of one turn's calls as one message of the user. */
function chatMessages(messages: readonly Message[]): vscode.LanguageModelChatMessage[] {
  const sent: vscode.LanguageModelChatMessage[] = [];
  let results: vscode.LanguageModelToolResultPart[] = [];
  const flush = () => {
    if (results.length > 0) sent.push(vscode.LanguageModelChatMessage.User(results));
    results = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      results.push(new vscode.LanguageModelToolResultPart(message.call, [new vscode.LanguageModelTextPart(message.text)]));
      continue;
    }
    flush();
    if (message.role === 'assistant') {
      const parts = [...(message.text === '' ? [] : [new vscode.LanguageModelTextPart(message.text)]), ...message.calls.map((call) => new vscode.LanguageModelToolCallPart(call.id, call.name, inputOf(call)))];
      // Providers refuse an empty message.
      sent.push(vscode.LanguageModelChatMessage.Assistant(parts.length === 0 ? [new vscode.LanguageModelTextPart(' ')] : parts));
    } else sent.push(vscode.LanguageModelChatMessage.User(message.text));
  }
  flush();
  return sent;
}

/** What a model wrote as arguments goes back as it was where it is an object; else as text in one, so that it sees its mistake. */
function inputOf(call: ToolCall): object {
  try {
    const input: unknown = JSON.parse(call.arguments);
    return typeof input === 'object' && input !== null ? input : { arguments: call.arguments };
  } catch {
    return { arguments: call.arguments };
  }
}

class IdleTimer {
  expired = false;
  readonly #ms: number;
  readonly #then: () => void;
  #timer: NodeJS.Timeout;

  constructor(ms: number, then: () => void) {
    this.#ms = ms;
    this.#then = then;
    this.#timer = this.#start();
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => {
      this.expired = true;
      this.#then();
    }, this.#ms);
  }
}
