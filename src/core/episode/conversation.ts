import { unreachable } from '../exhaustive.ts';
import { filePath, type CallId, type FilePath, type FolderPath } from '../ids.ts';
import { LOST_RESULT, PASSED_OVER } from '../prompt/hostMessages.ts';
import type { TurnWarning } from '../prompt/turnWarnings.ts';
import { parseArguments } from '../tools/parseArguments.ts';
import type { Message, ReplyEnd, ToolCall } from './model.ts';
import { withoutTimes } from '../withoutTimes.ts';
import { withTouch, type Touches } from './touches.ts';
import type { TranscriptEntry } from './transcript.ts';
import { compactedWindow, withCutOutputs } from './window.ts';

/**
 * What an episode's transcript says so far: everything that the next step depends on. Rebuilt from the file after a
 * restart, so that a crash costs at most the turn in flight.
 */
export interface Conversation {
  /** As sent to the model; append-only, so that the provider's cache hits, until a summary takes the place of what follows the goal. */
  readonly messages: readonly Message[];
  /** Calls of the newest reply that have no result yet, in order. */
  readonly pending: readonly ToolCall[];
  /** Calls that had begun when the transcript ends; a restart finds at most one. */
  readonly begun: ReadonlySet<CallId>;
  /** How the newest reply ended, and whether it called anything; null before the first and after any other message. */
  readonly lastReply: { readonly end: ReplyEnd; readonly calls: number; readonly text: string } | null;
  /** Replies in a row without a call that could be run. */
  readonly idle: number;
  readonly repeat: { readonly key: string; readonly times: number };
  /** Files that the write tools made or changed, and those of them that were asked for despite an ignore rule. */
  readonly written: ReadonlySet<FilePath>;
  readonly forced: ReadonlySet<FilePath>;
  /** Files that were read and written, with how often. */
  readonly touched: ReadonlyMap<FilePath, Touches>;
  /** Folders whose delegation was proposed. */
  readonly hinted: ReadonlySet<FolderPath>;
  readonly replies: number;
  /** Warnings about turns, each with the reply after which it was given. */
  readonly warned: readonly { readonly warning: TurnWarning; readonly after: number }[];
  /** True once `finish` has been told about outside or ignored files, until the person says something: the next `finish` stands. */
  readonly finishReviewed: boolean;
  /** Number of the candidate that the newest accepted `finish` made, until something is said again. */
  readonly finished: number | null;
  /** What the person said, word for word: repeated after a summary. */
  readonly personsWords: readonly string[];
  /** The number, in the ledger, of the newest message of the person that the model was told. */
  readonly toldUpTo: number;
  /** The newest turn that was announced as the last, with the reply after which it was; null once the person has said something since. */
  readonly grace: { readonly kind: 'last turn' | 'finishing up'; readonly after: number } | null;
  /** A summary is wanted, and was asked for so often; null else. */
  readonly compaction: { readonly tries: number } | null;
  /** Replies since the window began. */
  readonly sinceCompaction: number;
  /** True where the provider found the conversation too long, until a turn succeeds: a second time in a row is not tried again by itself. */
  readonly overflowed: boolean;
  /** Tokens that the provider counted in the first so many of the messages. */
  readonly counted: { readonly tokens: number; readonly messages: number } | null;
}

export const EMPTY_CONVERSATION: Conversation = {
  messages: [], pending: [], begun: new Set(), lastReply: null, idle: 0, repeat: { key: '', times: 0 },
  written: new Set(), forced: new Set(), touched: new Map(), hinted: new Set(), replies: 0, warned: [], finishReviewed: false, finished: null,
  personsWords: [], toldUpTo: 0, grace: null, compaction: null, sinceCompaction: 0, overflowed: false, counted: null,
};

export function evolveConversation(c: Conversation, entry: TranscriptEntry): Conversation {
  switch (entry.type) {
    case 'said': {
      // Said again after a crash between the first messages.
      if (entry.message.role === 'system' && c.messages.length > 0) return c;
      const closed = c.pending.reduce((all, call) => answered(all, call.id, all.begun.has(call.id) ? LOST_RESULT : PASSED_OVER), c);
      const said = { ...closed, messages: [...closed.messages, entry.message], lastReply: null, finished: null };
      const { by } = entry;
      switch (by) {
        case 'host': return saidByHost(said, entry);
        case 'person': return { ...said, idle: 0, finishReviewed: false, grace: null, compaction: null, personsWords: [...c.personsWords, entry.message.text], toldUpTo: Math.max(c.toldUpTo, entry.upTo ?? 0) };
        default: return unreachable(by);
      }
    }
    case 'replied': {
      const { message } = entry;
      if (message.role !== 'assistant') return c;
      // A reply that was cut is never executed, nor are half-written calls sent back to the model.
      const calls = entry.end === 'complete' ? message.calls : [];
      const kept: Message = { ...message, calls };
      const said = kept.text !== '' || calls.length > 0;
      return {
        ...c,
        messages: said ? [...c.messages, kept] : c.messages,
        pending: calls, begun: new Set(),
        lastReply: { end: entry.end, calls: calls.length, text: message.text },
        idle: c.compaction !== null ? c.idle : calls.length > 0 ? 0 : c.idle + 1,
        replies: c.replies + 1,
        sinceCompaction: c.sinceCompaction + 1,
        overflowed: c.compaction !== null && c.overflowed,
        counted: entry.input === undefined ? c.counted : { tokens: entry.input, messages: c.messages.length },
      };
    }
    case 'called':
      return { ...c, begun: new Set(c.begun).add(entry.call) };
    case 'result': {
      const call = c.pending.find((p) => p.id === entry.call);
      return {
        ...answered(c, entry.call, entry.text),
        repeat: call === undefined ? c.repeat : repeated(c, call, entry.text),
        written: entry.wrote === null ? c.written : new Set(c.written).add(entry.wrote),
        forced: entry.wrote !== null && entry.forced ? new Set(c.forced).add(entry.wrote) : c.forced,
        touched: touchedBy(c, call, entry),
        finishReviewed: c.finishReviewed || entry.reviewed,
      };
    }
    case 'finished':
      return { ...answered(c, entry.call, `Your change was proposed as number ${entry.number}. It waits for a verdict.`), finished: entry.number, finishReviewed: false };
    case 'overflowed':
      return { ...c, messages: withCutOutputs(c.messages), lastReply: null, compaction: { tries: 0 }, overflowed: true, counted: null };
    case 'compacted':
      return { ...c, messages: compactedWindow(c.messages, entry.summary, c.personsWords), pending: [], begun: new Set(), lastReply: null, compaction: null, sinceCompaction: 0, counted: null };
    default:
      return unreachable(entry);
  }
}

function saidByHost(said: Conversation, { warning, asksFor, hint }: Extract<TranscriptEntry, { type: 'said' }>): Conversation {
  if (warning !== undefined) return { ...said, warned: [...said.warned, { warning, after: said.replies }] };
  if (hint !== undefined) return { ...said, hinted: new Set(said.hinted).add(hint) };
  switch (asksFor) {
    case undefined: return said;
    case 'summary': return { ...said, compaction: { tries: (said.compaction?.tries ?? 0) + 1 } };
    case 'last turn': case 'finishing up': return { ...said, grace: { kind: asksFor, after: said.replies } };
    default: return unreachable(asksFor);
  }
}

/** A call has one answer, and has it before anything else is said: providers refuse a conversation with none or two. */
function answered(c: Conversation, call: CallId, text: string): Conversation {
  if (!c.pending.some((p) => p.id === call)) return c;
  return { ...c, messages: [...c.messages, { role: 'tool', call, text }], pending: c.pending.filter((p) => p.id !== call) };
}

function touchedBy(c: Conversation, call: ToolCall | undefined, { ok, wrote }: Extract<TranscriptEntry, { type: 'result' }>): Conversation['touched'] {
  if (wrote !== null) return withTouch(c.touched, wrote, 'writes');
  if (!ok || call?.name !== 'read_file') return c.touched;
  const parsed = parseArguments('read_file', call.arguments);
  const path = parsed.ok ? filePath.safeParse(parsed.args.path) : null;
  return path?.success === true ? withTouch(c.touched, path.data, 'reads') : c.touched;
}

/** The same call with the same result over and over, however long it took, is what counts as stuck; other arguments or another result do not. */
function repeated(c: Conversation, call: ToolCall, result: string): Conversation['repeat'] {
  const key = JSON.stringify([call.name, call.arguments, withoutTimes(result)]);
  return { key, times: c.repeat.key === key ? c.repeat.times + 1 : 1 };
}
