import type { Question } from '../ledger/events.ts';
import { INTERRUPTED, type Conversation } from './conversation.ts';
import type { ToolCall } from './model.ts';
import { NUDGES, nudgeText, type NudgeCause } from './nudge.ts';
import { stuckQuestion } from './stuck.ts';

/** What an episode does next. The runtime performs it and appends what came of it to the transcript. */
export type Step =
  | { readonly do: 'say first messages' }
  | { readonly do: 'ask model' }
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'run call'; readonly call: ToolCall }
  /** Answered without being run. */
  | { readonly do: 'answer call'; readonly call: ToolCall; readonly text: string }
  | { readonly do: 'finish'; readonly call: ToolCall }
  | { readonly do: 'ask person'; readonly question: Question }
  /** The model will not go on by itself: take what there is. */
  | { readonly do: 'hand in'; readonly why: string; readonly otherwise: 'failed' | 'stuck' }
  | { readonly do: 'wait' };

/** Pure: the transcript alone decides. Each concern is a small decider of its own. */
export function nextStep(c: Conversation): Step {
  if (c.messages.length === 0) return { do: 'say first messages' };
  if (c.finished !== null) return { do: 'wait' };
  const call = c.pending[0];
  if (call !== undefined) return stepForCall(c, call);
  const question = stuckQuestion(c);
  if (question !== null) return { do: 'ask person', question };
  if (c.lastReply !== null && c.lastReply.calls === 0) return stepForIdleReply(c, causeOf(c.lastReply));
  return { do: 'ask model' };
}

function stepForCall(c: Conversation, call: ToolCall): Step {
  if (c.begun.has(call.id)) {
    return { do: 'answer call', call, text: INTERRUPTED };
  }
  if (call.name !== 'finish') return { do: 'run call', call };
  if (c.lastReply !== null && c.lastReply.calls > 1) {
    return { do: 'answer call', call, text: 'Not done: finish was called together with other calls. Look at their results first, then call finish alone.' };
  }
  return { do: 'finish', call };
}

function stepForIdleReply(c: Conversation, cause: NudgeCause): Step {
  if (c.idle > NUDGES) return { do: 'hand in', why: `The model answered ${c.idle} times in a row without a call that could be run.`, otherwise: 'failed' };
  return { do: 'say', text: nudgeText(cause, NUDGES - c.idle) };
}

function causeOf(reply: NonNullable<Conversation['lastReply']>): NudgeCause {
  switch (reply.end) {
    case 'complete': return 'no call';
    case 'cut': return 'cut';
    case 'length': return 'too long';
    case 'filtered': return 'filtered';
  }
}
