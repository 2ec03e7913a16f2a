import { personSays } from '../prompt/hostMessages.ts';
import type { Conversation } from './conversation.ts';
import type { Circumstances, Step } from './step.ts';

/** What the person sent since the model was told last, all in one go. The ledger holds it until the transcript says that it was told. */
export function personsWords(c: Conversation, { messages }: Circumstances): Step | null {
  const unsaid = messages.filter((m) => m.number > c.toldUpTo);
  const newest = unsaid.at(-1);
  return newest === undefined ? null : { do: 'pass on', text: personSays(unsaid.map((m) => m.words.trim()).join('\n\n')), upTo: newest.number };
}
