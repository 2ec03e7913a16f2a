import { EMPTY_CONVERSATION, evolveConversation, type Conversation } from '../../src/core/episode/conversation.ts';
import type { Message, ReplyEnd, ToolCall } from '../../src/core/episode/model.ts';
import { COMPACT_AT } from '../../src/core/episode/compaction.ts';
import { nextStep } from '../../src/core/episode/nextStep.ts';
import type { Circumstances, Step } from '../../src/core/episode/step.ts';
import { transcriptEntry, type TranscriptEntry } from '../../src/core/episode/transcript.ts';
import type { TurnWarning } from '../../src/core/prompt/turnWarnings.ts';
import { ROOT } from '../../src/core/paths.ts';
import { callId, filePath } from '../../src/core/ids.ts';

/** Entries of a transcript, with everything that a test is not about filled in. */
export const call = (id: string, name = 'run', args: unknown = { command: 'npm test' }): ToolCall => ({ id: callId.parse(id), name, arguments: typeof args === 'string' ? args : JSON.stringify(args) });
export const finish = (id: string): ToolCall => call(id, 'finish', { subject: 'Cap retries', report: 'Retries end after five.' });

type Said = Extract<TranscriptEntry, { type: 'said' }>;

const systemSaid = (text: string): TranscriptEntry => ({ type: 'said', at: 0, by: 'host', message: { role: 'system', text } });
/** Words of the person, and of the host: a nudge, a warning. */
export const said = (text: string): TranscriptEntry => ({ type: 'said', at: 0, by: 'person', message: { role: 'user', text } });
export const hostSaid = (text: string, warning?: TurnWarning, asksFor?: Said['asksFor']): TranscriptEntry => ({ type: 'said', at: 0, by: 'host', message: { role: 'user', text }, ...(warning === undefined ? {} : { warning }), ...(asksFor === undefined ? {} : { asksFor }) });
export const reply = (text: string, calls: readonly ToolCall[] = [], end: ReplyEnd = 'complete'): TranscriptEntry => ({ type: 'replied', at: 0, request: 1, message: { role: 'assistant', text, calls: [...calls] }, end });
export const called = (id: string): TranscriptEntry => ({ type: 'called', at: 0, call: callId.parse(id) });
export const result = (id: string, text: string, wrote: string | null = null, forced = false): TranscriptEntry => ({ type: 'result', at: 0, call: callId.parse(id), text, ok: true, wrote: wrote === null ? null : filePath.parse(wrote), forced, reviewed: false });
/** `finish` was answered with what it would leave out. */
export const reviewed = (id: string, text = 'Not finished yet.'): TranscriptEntry => ({ type: 'result', at: 0, call: callId.parse(id), text, ok: false, wrote: null, forced: false, reviewed: true });
export const finished = (id: string, number: number): TranscriptEntry => ({ type: 'finished', at: 0, call: callId.parse(id), number });

/** Messages that the person sent to an agent at work, up to the one with this number. */
export const passedOn = (text: string, upTo: number): TranscriptEntry => ({ type: 'said', at: 0, by: 'person', message: { role: 'user', text }, upTo });
export const summaryAsked = (text = 'Write a summary.'): TranscriptEntry => hostSaid(text, undefined, 'summary');
export const compacted = (summary: string): TranscriptEntry => ({ type: 'compacted', at: 0, by: 'model', summary });
export const overflowed = (): TranscriptEntry => ({ type: 'overflowed', at: 0, words: 'The conversation is too long for the model.' });

/** A conversation that has begun: what every transcript starts with. */
export const OPENING: readonly TranscriptEntry[] = [systemSaid('You work on a folder.'), hostSaid('Goal: cap the retries.')];

/** What a transcript says, read back from its lines as after a restart. */
export function transcript(...entries: readonly TranscriptEntry[]): Conversation {
  return entries.map((entry) => transcriptEntry.parse(JSON.parse(JSON.stringify(entry)))).reduce(evolveConversation, EMPTY_CONVERSATION);
}

/** So many turns as a delegation by hand has; no test comes near it unless it is about turns. */
export const MOST_TURNS = 128;

/** What surrounds a conversation whose every reply counted as a turn, with everything that a test is not about filled in. */
export function circumstances(c: Conversation, over: Partial<Omit<Circumstances, 'turns'>> & { readonly most?: number } = {}): Circumstances {
  const { most = MOST_TURNS, ...more } = over;
  return { turns: { used: c.replies, most }, messages: [], cancelling: false, mayDelegate: false, folder: ROOT, compactAt: COMPACT_AT, ...more };
}

/** What the loop does next after a transcript. */
export function next(...entries: readonly TranscriptEntry[]): Step {
  return nextIn({}, ...entries);
}

export function nextIn(over: Parameters<typeof circumstances>[1], ...entries: readonly TranscriptEntry[]): Step {
  const conversation = transcript(...entries);
  return nextStep(conversation, circumstances(conversation, over));
}

/** What providers insist on: every call has exactly one answer, before anything else is said. Gives what breaks it. */
export function unanswered(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.call)) problems.push(`an answer to ${message.call}, which was not called or was answered before`);
      open = open.filter((id) => id !== message.call);
      continue;
    }
    problems.push(...open.map((id) => `"${message.role}" speaks before ${id} was answered`));
    open = message.role === 'assistant' ? message.calls.map((c) => c.id) : [];
  }
  return problems;
}
