import { argumentsObject } from '../../core/tools/parseArguments.ts';
import { jsonState } from '../../core/tools/jsonText.ts';
import type { ReplyEnd, ToolCall } from '../../core/episode/model.ts';
import { callId } from '../../core/ids.ts';

/** What one chunk of a stream may hold, as far as any provider was seen to send it; everything may be missing or null. */
export interface WireDelta {
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: unknown;
}

export interface Assembled {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly end: ReplyEnd;
}

/**
 * Puts a streamed reply together. Providers differ in how they tell parallel calls apart (F2: all at index 0), in
 * whether a call has an id, and in how a stream ends; what comes out has whole calls with ids of their own,
 * or says that it was cut.
 */
export class ReplyAssembly {
  private text = '';
  private reasoning = '';
  private finish: string | null = null;
  private readonly calls: OpenCall[] = [];
  private readonly toolNames: ReadonlySet<string>;

  constructor(toolNames: ReadonlySet<string>) {
    this.toolNames = toolNames;
  }

  /** Characters so far, for estimates. */
  get length(): { readonly answer: number; readonly reasoning: number } {
    return { answer: this.text.length + this.calls.reduce((sum, c) => sum + c.name.length + c.arguments.length, 0), reasoning: this.reasoning.length };
  }

  get isEmpty(): boolean {
    return this.text === '' && this.reasoning === '' && this.calls.length === 0;
  }

  /** Gives the text that this chunk added. */
  add(delta: WireDelta): string {
    const { text, thought } = contentOf(delta.content);
    this.text += text;
    this.reasoning += thought + (firstString(delta.reasoning_content, delta.reasoning) ?? '');
    if (Array.isArray(delta.tool_calls)) for (const part of delta.tool_calls as readonly unknown[]) this.addCall(part);
    return text;
  }

  finished(reason: string): void {
    this.finish = reason.toLowerCase();
  }

  /** `taken`: ids that the conversation has used already; `newId` makes one that nobody has. */
  assemble(taken: ReadonlySet<string>, newId: () => string): Assembled {
    const used = new Set(taken);
    const calls = this.calls.map((c): ToolCall => {
      const id = c.id === null || used.has(c.id) ? newId() : c.id;
      used.add(id);
      return { id: callId.parse(id), name: c.name, arguments: c.arguments };
    });
    return { text: this.text, reasoning: this.reasoning, calls, end: this.end() };
  }

  private end(): ReplyEnd {
    switch (this.finish) {
      case 'length': case 'max_tokens': case 'model_length':
        return 'length';
      case 'content_filter': case 'safety': case 'refusal':
        return 'filtered';
      case 'stop': case 'tool_calls': case 'function_call': case 'tool_use': case 'end_turn': case 'eos':
        // A provider may say `tool_calls` although the arguments stop in the middle.
        return this.calls.every((c) => c.name !== '' && (c.arguments.trim() === '' || jsonState(c.arguments) !== 'open')) ? 'complete' : 'cut';
      default:
        return 'cut';
    }
  }

  private addCall(part: unknown): void {
    const p = (typeof part === 'object' && part !== null ? part : {}) as { readonly index?: unknown; readonly id?: unknown; readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null };
    const id = typeof p.id === 'string' && p.id !== '' ? p.id : null;
    const index = typeof p.index === 'number' ? p.index : null;
    const name = typeof p.function?.name === 'string' ? p.function.name : '';
    const given = p.function?.arguments;
    const text = typeof given === 'string' ? given : typeof given === 'object' && given !== null ? JSON.stringify(given) : '';
    const open = this.callFor(id, index, name);
    if (open === undefined) {
      if (id !== null || name !== '' || text !== '') this.calls.push({ id, index, name, arguments: text });
      return;
    }
    open.id ??= id;
    if (name !== open.name && !this.toolNames.has(open.name)) open.name += name;
    open.arguments += text;
  }

  /** The call that a part goes on with; undefined where it begins a new one. */
  private callFor(id: string | null, index: number | null, name: string): OpenCall | undefined {
    const same = id === null ? undefined : this.calls.findLast((c) => c.id === id && (index === null || c.index === null || c.index === index));
    if (same !== undefined) return same;
    const last = index === null ? this.calls.at(-1) : this.calls.findLast((c) => c.index === index);
    // Without a name it cannot begin a call, whatever its id says.
    if (last === undefined || name === '') return last;
    if (id !== null) return last.id === null && last.name === '' ? last : undefined;
    const isOver = last.arguments !== '' && argumentsObject(last.arguments) !== undefined;
    const isAnother = this.toolNames.has(last.name) && this.toolNames.has(name) && name !== last.name;
    return isOver || isAnother ? undefined : last;
  }
}

interface OpenCall {
  id: string | null;
  readonly index: number | null;
  name: string;
  arguments: string;
}

/** Text is a string, or with some providers a list of parts, of which some are thoughts. */
function contentOf(content: unknown): { readonly text: string; readonly thought: string } {
  if (typeof content === 'string') return { text: content, thought: '' };
  if (!Array.isArray(content)) return { text: '', thought: '' };
  const sum = { text: '', thought: '' };
  for (const one of content as readonly unknown[]) {
    if (typeof one !== 'object' || one === null) continue;
    const part = one as { readonly type?: unknown; readonly text?: unknown; readonly thinking?: unknown };
    if (part.type === 'thinking') sum.thought += Array.isArray(part.thinking) ? contentOf(part.thinking).text : (firstString(part.thinking) ?? '');
    else sum.text += firstString(part.text) ?? '';
  }
  return sum;
}

function firstString(...values: readonly unknown[]): string | undefined {
  return values.find((v): v is string => typeof v === 'string');
}
