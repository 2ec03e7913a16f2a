import { NOT_RUN_SUMMARY, summaryInstruction } from '../prompt/compactionMessages.ts';
import type { Conversation } from './conversation.ts';
import type { Circumstances, Step } from './step.ts';
import { windowTokens } from './window.ts';

/** Tokens of conversation from which on it is compacted; for a person who has said nothing. */
export const COMPACT_AT = 150_000;

/** Turns since the last compaction before there is enough to summarise: else one that begins too long would be summarised for ever. */
const LEAST_TURNS = 4;

/** Characters below which a reply is an excuse and no summary. */
const SHORTEST_SUMMARY = 80;

const MOST_TRIES = 2;

interface Room {
  readonly compactAt: number;
  /** Tokens that the model can take in all; null where nobody told. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number;
}

/** Where to compact: before the model's own window is full, with room for the summary. */
export function compactionThreshold({ compactAt, contextWindow, maxOutputTokens }: Room): number {
  if (contextWindow === null) return compactAt;
  const room = contextWindow - Math.min(maxOutputTokens, contextWindow / 2);
  return Math.min(compactAt, Math.floor(room * 0.9));
}

/** The instruction is added to the unchanged history, so that all of it is in the provider's cache. */
export function compactionDue(c: Conversation, { compactAt }: Circumstances): Step | null {
  return c.sinceCompaction >= LEAST_TURNS && windowTokens(c) > compactAt ? instruction(1) : null;
}

/** From the instruction to the summary. Its reply is words: calls in it are answered and not run. */
export function compactionUnderWay({ compaction, pending, lastReply }: Conversation): Step | null {
  if (compaction === null) return null;
  const call = pending[0];
  if (call !== undefined) return { do: 'answer call', call, text: NOT_RUN_SUMMARY };
  if (compaction.tries === 0) return instruction(1);
  if (lastReply === null) return { do: 'ask model' };
  // What stands beside calls is the beginning of ordinary work, not a summary of what was done.
  if (lastReply.end === 'complete' && lastReply.calls === 0 && lastReply.text.trim().length >= SHORTEST_SUMMARY) return { do: 'compact', summary: lastReply.text };
  return compaction.tries < MOST_TRIES ? instruction(compaction.tries + 1) : { do: 'compact', summary: null };
}

function instruction(nth: number): Step {
  return { do: 'say', text: summaryInstruction(nth), asksFor: 'summary' };
}
