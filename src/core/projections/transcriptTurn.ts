import { unreachable } from '../exhaustive.ts';
import { pricesOf, type ModelRef, type ReplyEnd, type ToolCall } from '../episode/model.ts';
import type { TranscriptEntry } from '../episode/transcript.ts';
import { maskSecrets } from '../secretLooks.ts';
import { argumentsObject } from '../tools/parseArguments.ts';
import type { RequestSpent } from '../world/state.ts';
import { count, exactUsd, oneLine, tokens } from './amounts.ts';
import { indented, type Part } from './transcriptPart.ts';
import { inputOf } from './whereItWent.ts';

export type Replied = Extract<TranscriptEntry, { type: 'replied' }>;

export interface Call {
  readonly call: ToolCall;
  /** The reply was cut off, so that it was never run. */
  readonly cut: boolean;
  readonly begun: boolean;
  /** No answer comes any more. */
  readonly over: boolean;
  readonly answer: { readonly ok: boolean; readonly text: string; /** The change that `finish` made. */ readonly proposed: number | null } | null;
}

interface Turn {
  readonly number: number;
  /** The request of the turn before. */
  readonly after: number;
  readonly reply: Replied;
  readonly model: ModelRef;
}

/** `Turn 7 · 3 calls · 12.4 k in (96 % cached) · 310 out · $0.0021`. */
export function turnHeading({ number, after, reply, model }: Turn, requests: readonly RequestSpent[]): string {
  const calls = reply.message.role === 'assistant' ? reply.message.calls.length : 0;
  const spent = requests.findLast(({ request }) => request === reply.request);
  const failed = requests.filter(({ request, answered }) => !answered && request > after && request < reply.request);
  return [
    `Turn ${number}`,
    ...endWords(reply.end),
    ...(calls === 0 ? [] : [count(calls, 'call')]),
    ...(spent === undefined ? [] : usageWords(spent, model)),
    ...(failed.length === 0 ? [] : [`${count(failed.length, 'request')} failed before${costWords(failed.reduce((sum, { usd }) => sum + usd, 0), model)}`]),
  ].join(' · ');
}

export function replyParts({ message }: Replied): readonly Part[] {
  if (message.role !== 'assistant') return [];
  const { text, reasoning = '' } = message;
  return [
    ...(reasoning.trim() === '' ? [] : [{ heading: '  ▸ Thoughts', body: indented(reasoning, 8), folded: true }]),
    ...(text.trim() === '' ? [] : [{ heading: null, body: indented(text, 4), folded: false }]),
  ];
}

/** `▸ edit_file packages/a/b.ts — ok`, with arguments and answer beneath. */
export function callPart(call: Call): Part {
  const { name, arguments: args } = call.call;
  const given = argumentsObject(args);
  const answer = call.answer === null || call.answer.text === '' ? [] : ['      Answer', ...indented(call.answer.text, 8)];
  return {
    heading: `  ▸ ${oneLine(maskSecrets(`${name} ${tellingArgument(given)}`), LONGEST_CALL)} — ${stateWords(call)}`,
    body: [...(given === undefined ? indented(args, 8) : Object.entries(given).flatMap(argumentLines)), ...answer],
    folded: true,
  };
}

/** Who spoke, and what it was about. */
export function hostHeading({ warning, asksFor }: Extract<TranscriptEntry, { type: 'said' }>): string {
  if (warning !== undefined) return 'Worldtree warned about turns';
  switch (asksFor) {
    case undefined: return 'Worldtree said';
    case 'summary': return 'Worldtree asked for a summary';
    case 'last turn': return 'Worldtree said that the last turn has come';
    case 'finishing up': return 'Worldtree said that you let it finish up';
    default: return unreachable(asksFor);
  }
}

/** Characters of a call's one line; all of its arguments stand beneath. */
const LONGEST_CALL = 160;

/** The one argument that says most. */
function tellingArgument(given: Readonly<Record<string, unknown>> | undefined): string {
  const telling = ['command', 'path', 'pattern', 'folder', 'subject', 'text'].map((key) => given?.[key]).find((value) => typeof value === 'string');
  return typeof telling === 'string' ? telling : '';
}

function argumentLines([key, value]: readonly [string, unknown]): readonly string[] {
  const name = /^\w+$/.test(key) ? key : JSON.stringify(key);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\r\n]/.test(text) ? [`      ${name}:`, ...indented(text, 8)] : indented(`${name}: ${text}`, 6);
}

function stateWords({ cut, begun, over, answer }: Call): string {
  if (cut) return 'not run: the reply was cut off';
  if (answer !== null) return answer.proposed === null ? (answer.ok ? 'ok' : 'failed') : `proposed as change ${answer.proposed}`;
  if (over) return begun ? 'began, and was not answered' : 'not answered';
  return begun ? 'began, not answered yet' : 'not answered yet';
}

function endWords(end: ReplyEnd): readonly string[] {
  switch (end) {
    case 'complete': return [];
    case 'cut': return ['cut off'];
    case 'length': return ['cut off: too long'];
    case 'filtered': return ['cut off by the provider’s filter'];
    default: return unreachable(end);
  }
}

function usageWords({ usage, usd, estimated }: RequestSpent, model: ModelRef): readonly string[] {
  const input = inputOf(usage);
  if (input === 0 && usage.output === 0) return [];
  const about = estimated ? '~' : '';
  return [
    `${about}${tokens(input)} in${usage.cached === 0 ? '' : ` (${Math.floor((100 * usage.cached) / input)} % cached)`}`,
    `${about}${tokens(usage.output)} out`,
    ...(pricesOf(model).known ? [`${about}${exactUsd(usd)}`] : []),
  ];
}

function costWords(usd: number, model: ModelRef): string {
  return usd > 0 && pricesOf(model).known ? `, ${exactUsd(usd)}` : '';
}
