import type { Question } from '../ledger/events.ts';
import type { Conversation } from './conversation.ts';
import type { ToolCall } from './model.ts';
import { CUT_REPLY, FINISH_ALONE, LOST_RESULT, MOST_NUDGES, nudge } from '../prompt/hostMessages.ts';
import { turnWarning, type TurnWarning } from '../prompt/turnWarnings.ts';
import { stuckQuestion } from './stuck.ts';

/** What an episode does next. The runtime performs it and appends what came of it to the transcript. */
export type Step =
  | { readonly do: 'say first messages' }
  | { readonly do: 'ask model' }
  | { readonly do: 'say'; readonly text: string; readonly warning?: TurnWarning }
  | { readonly do: 'run call'; readonly call: ToolCall }
  /** Answered without being run. */
  | { readonly do: 'answer call'; readonly call: ToolCall; readonly text: string }
  | { readonly do: 'finish'; readonly call: ToolCall }
  | { readonly do: 'ask person'; readonly question: Question }
  /** The model will not go on by itself: take what there is. */
  | { readonly do: 'hand in'; readonly why: string; readonly otherwise: 'failed' | 'stuck' }
  | { readonly do: 'wait' };

/**
 * Pure: the transcript alone decides. Each concern is a small decider of its own.
 * @param most turns that the episode may take.
 */
export function nextStep(c: Conversation, most: number): Step {
  // A crash may come between the first messages: without the goal there is nothing to ask a model.
  if (!c.messages.some((m) => m.role === 'user')) return { do: 'say first messages' };
  if (c.finished !== null) return { do: 'wait' };
  const call = c.pending[0];
  if (call !== undefined) return stepForCall(c, call);
  const question = stuckQuestion(c);
  if (question !== null) return { do: 'ask person', question };
  if (c.lastReply !== null && c.lastReply.calls === 0) return stepForIdleReply(c, c.lastReply);
  const due = turnWarning({ used: c.replies, most, mayDelegate: false, lastDelegation: 0, given: c.warned });
  return due === null ? { do: 'ask model' } : { do: 'say', text: due.text, warning: due.warning };
}

function stepForCall(c: Conversation, call: ToolCall): Step {
  if (c.begun.has(call.id)) {
    return { do: 'answer call', call, text: LOST_RESULT };
  }
  if (call.name !== 'finish') return { do: 'run call', call };
  if (c.lastReply !== null && c.lastReply.calls > 1) {
    return { do: 'answer call', call, text: FINISH_ALONE };
  }
  return { do: 'finish', call };
}

function stepForIdleReply(c: Conversation, reply: NonNullable<Conversation['lastReply']>): Step {
  if (c.idle > MOST_NUDGES) return { do: 'hand in', why: `The model answered ${c.idle} times in a row without a call that could be run.`, otherwise: 'failed' };
  return { do: 'say', text: reply.end === 'complete' ? nudge(c.idle) : CUT_REPLY };
}
