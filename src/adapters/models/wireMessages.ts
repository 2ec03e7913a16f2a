import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources';
import type { AssistantMessage, Message, ToolDefinition } from '../../core/episode/model.ts';
import { argumentsObject } from '../../core/tools/parseArguments.ts';

interface WireOptions {
  /** Origin of the provider that this goes to. */
  readonly origin: string;
  /** False once the provider has refused to be sent its own thoughts. */
  readonly reasoning: boolean;
  /** True once the provider has refused a text because it holds a token that means something to the model. */
  readonly breakSpecialTokens: boolean;
}

type AssistantWire = Extract<ChatCompletionMessageParam, { role: 'assistant' }> & { reasoning_content?: string };

/**
 * Our conversation as a provider reads it. The same messages always give the same bytes, so that its cache hits.
 * Providers refuse a call without an answer, an answer without a call, an assistant that says nothing, arguments that
 * are no JSON, and, where a strict chat template is filled, two messages of the user in a row; a crash, a weak model or
 * several who have a word leave such things behind, and they are mended here, on the way out only.
 */
export function wireMessages(messages: readonly Message[], options: WireOptions): ChatCompletionMessageParam[] {
  const plain = (text: string): string => plainText(text, options.breakSpecialTokens);
  const wire: ChatCompletionMessageParam[] = [];
  let open: string[] = [];
  const closeCalls = (): void => {
    wire.push(...open.map((id) => ({ role: 'tool' as const, tool_call_id: id, content: 'This call was not carried out.' })));
    open = [];
  };
  const say = (text: string): void => {
    const last = wire.at(-1);
    if (last?.role === 'user' && typeof last.content === 'string') wire.splice(-1, 1, { role: 'user', content: `${last.content}\n\n${text}` });
    else wire.push({ role: 'user', content: text });
  };
  for (const message of messages) {
    if (message.role !== 'tool') closeCalls();
    switch (message.role) {
      case 'system':
        wire.push({ role: 'system', content: plain(message.text) });
        break;
      case 'user':
        say(plain(message.text));
        break;
      case 'assistant':
        wire.push(assistantWire(message, plain, options));
        open = message.calls.map((c) => c.id);
        break;
      case 'tool':
        if (open.includes(message.call)) {
          wire.push({ role: 'tool', tool_call_id: message.call, content: plain(message.text) });
          open = open.filter((id) => id !== message.call);
        } else say(plain(`(Result of an earlier call) ${message.text}`));
        break;
    }
  }
  closeCalls();
  return wire;
}

export function wireTools(tools: readonly ToolDefinition[]): ChatCompletionTool[] {
  return tools.map((tool) => ({ type: 'function', function: { name: tool.name, description: tool.description, parameters: { ...tool.parameters } } }));
}

function assistantWire(message: AssistantMessage, plain: (text: string) => string, options: WireOptions): AssistantWire {
  const calls = message.calls.map((c) => ({ id: c.id, type: 'function' as const, function: { name: plain(c.name), arguments: plain(wireArguments(c.arguments)) } }));
  // Providers that think want their thoughts back with the calls they led to; no other is shown them.
  const theirs = options.reasoning && calls.length > 0 && message.reasoningFrom === options.origin ? message.reasoning : undefined;
  return {
    role: 'assistant',
    content: message.text !== '' ? plain(message.text) : calls.length > 0 ? null : '(no answer)',
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(theirs === undefined ? {} : { reasoning_content: plain(theirs) }),
  };
}

/** Servers that fill a chat template parse the arguments of earlier calls, and fail on what is no JSON object. */
function wireArguments(text: string): string {
  const value = argumentsObject(text);
  if (value === undefined) return JSON.stringify({ invalid_arguments: text });
  return text.trim().startsWith('{') ? validJson(text, value) : JSON.stringify(value);
}

function validJson(text: string, value: Readonly<Record<string, unknown>>): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(value);
  }
}

/** A lone surrogate becomes an escape that many servers cannot decode. */
function plainText(text: string, breakSpecialTokens: boolean): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\ufffd');
  return breakSpecialTokens ? wellFormed.replace(/<(?=[|\uff5c])/g, '<\u200b') : wellFormed;
}
