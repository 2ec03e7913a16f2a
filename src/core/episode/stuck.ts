import type { Question } from '../ledger/events.ts';
import type { Conversation } from './conversation.ts';

/** So many times the same call with the same result, one after the other. */
export const STUCK_AFTER = 5;

/** The person is offered a word before the episode ends as stuck. Null while it moves. */
export function stuckQuestion(c: Conversation): Question | null {
  // Anything said since (the person's word, a nudge) gives the model one more turn before it is asked about again.
  if (c.repeat.times < STUCK_AFTER || c.messages.at(-1)?.role !== 'tool') return null;
  const [name, args] = JSON.parse(c.repeat.key) as [string, string, string];
  return { kind: 'stuck', call: `${name} ${args}`.slice(0, 300), times: c.repeat.times };
}
