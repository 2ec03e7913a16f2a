import { CUT_REPLY, FINISH_ALONE, LOST_RESULT, MESSAGE_FIRST, MOST_NUDGES, nudge } from '../prompt/hostMessages.ts';
import { turnWarning } from '../prompt/turnWarnings.ts';
import { compactionDue, compactionUnderWay } from './compaction.ts';
import type { Conversation } from './conversation.ts';
import { delegationHint } from './delegationHint.ts';
import { graceTurn } from './graceTurn.ts';
import type { ToolCall } from './model.ts';
import { personsWords } from './personsWords.ts';
import type { Circumstances, Step } from './step.ts';
import { stuckQuestion } from './stuck.ts';

/**
 * Pure: transcript and circumstances alone decide. Each concern is a small decider of its own; the first one that has
 * something to say is followed.
 */
export function nextStep(c: Conversation, now: Circumstances): Step {
  for (const decide of DECIDERS) {
    const step = decide(c, now);
    if (step !== null) return step;
  }
  return { do: 'ask model' };
}

/** The order is part of the rules: calls have an answer before anything is said, and the person's words come before the host's. */
const DECIDERS: readonly ((c: Conversation, now: Circumstances) => Step | null)[] = [beginning, done, compactionUnderWay, openCall, personsWords, graceTurn, stuck, idleReply, compactionDue, warning, delegationHint];

/** A crash may come between the first messages: without the goal there is nothing to ask a model. */
function beginning(c: Conversation): Step | null {
  return c.messages.some((m) => m.role === 'user') ? null : { do: 'say first messages' };
}

function done(c: Conversation): Step | null {
  return c.finished === null ? null : { do: 'wait' };
}

function openCall(c: Conversation, now: Circumstances): Step | null {
  const call = c.pending[0];
  return call === undefined ? null : stepForCall(c, now, call);
}

function stepForCall(c: Conversation, now: Circumstances, call: ToolCall): Step {
  if (c.begun.has(call.id)) {
    return { do: 'answer call', call, text: LOST_RESULT };
  }
  if (call.name !== 'finish') return { do: 'run call', call };
  if (c.lastReply !== null && c.lastReply.calls > 1) {
    return { do: 'answer call', call, text: FINISH_ALONE };
  }
  // What the person said while the model wrote its last words would be read by nobody.
  if (personsWords(c, now) !== null) return { do: 'answer call', call, text: MESSAGE_FIRST };
  return { do: 'finish', call };
}

function stuck(c: Conversation): Step | null {
  const question = stuckQuestion(c);
  return question === null ? null : { do: 'ask person', question };
}

function idleReply(c: Conversation): Step | null {
  if (c.lastReply === null || c.lastReply.calls > 0) return null;
  if (c.idle > MOST_NUDGES) return { do: 'hand in', why: `The model answered ${c.idle} times in a row without a call that could be run.`, otherwise: 'failed' };
  return { do: 'say', text: c.lastReply.end === 'complete' ? nudge(c.idle) : CUT_REPLY };
}

function warning(c: Conversation, { turns, mayDelegate }: Circumstances): Step | null {
  // Turns of another clone, or of a transcript that was lost, are used although no reply of them is here.
  const elsewhere = turns.used - c.replies;
  const due = turnWarning({ ...turns, mayDelegate, lastDelegation: 0, given: c.warned.map(({ warning, after }) => ({ warning, after: after + elsewhere })) });
  return due === null ? null : { do: 'say', text: due.text, warning: due.warning };
}
