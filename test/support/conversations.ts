import { EMPTY_CONVERSATION, evolveConversation, type Conversation } from '../../src/core/episode/conversation.ts';
import type { Message, ReplyEnd, ToolCall } from '../../src/core/episode/model.ts';
import { nextStep, type Step } from '../../src/core/episode/nextStep.ts';
import { transcriptEntry, type TranscriptEntry } from '../../src/core/episode/transcript.ts';
import { callId, filePath } from '../../src/core/ids.ts';

/** Entries of a transcript, with everything that a test is not about filled in. */
export const call = (id: string, name = 'run', args: unknown = { command: 'npm test' }): ToolCall => ({ id: callId.parse(id), name, arguments: typeof args === 'string' ? args : JSON.stringify(args) });
export const finish = (id: string): ToolCall => call(id, 'finish', { subject: 'Cap retries', report: 'Retries end after five.' });

export const systemSaid = (text: string): TranscriptEntry => ({ type: 'said', at: 0, message: { role: 'system', text } });
export const said = (text: string): TranscriptEntry => ({ type: 'said', at: 0, message: { role: 'user', text } });
export const reply = (text: string, calls: readonly ToolCall[] = [], end: ReplyEnd = 'complete'): TranscriptEntry => ({ type: 'replied', at: 0, request: 1, message: { role: 'assistant', text, calls: [...calls] }, end });
export const called = (id: string): TranscriptEntry => ({ type: 'called', at: 0, call: callId.parse(id) });
export const result = (id: string, text: string, wrote: string | null = null, forced = false): TranscriptEntry => ({ type: 'result', at: 0, call: callId.parse(id), text, ok: true, wrote: wrote === null ? null : filePath.parse(wrote), forced });
export const finished = (id: string, number: number): TranscriptEntry => ({ type: 'finished', at: 0, call: callId.parse(id), number });

/** A conversation that has begun: what every transcript starts with. */
export const OPENING: readonly TranscriptEntry[] = [systemSaid('You work on a folder.'), said('Goal: cap the retries.')];

/** What a transcript says, read back from its lines as after a restart. */
export function transcript(...entries: readonly TranscriptEntry[]): Conversation {
  return entries.map((entry) => transcriptEntry.parse(JSON.parse(JSON.stringify(entry)))).reduce(evolveConversation, EMPTY_CONVERSATION);
}

/** What the loop does next after a transcript. */
export function next(...entries: readonly TranscriptEntry[]): Step {
  return nextStep(transcript(...entries));
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
