import { FINISHING_UP, LAST_TURN } from '../prompt/hostMessages.ts';
import type { Conversation } from './conversation.ts';
import type { Circumstances, Step } from './step.ts';

/**
 * One turn more: where the person lets the agent come to an end, and where its turns have run out. After the one, what
 * there is is handed in; after the other, the next request finds the limit reached and the person is asked.
 */
export function graceTurn(c: Conversation, { cancelling, turns }: Circumstances): Step | null {
  if (cancelling) {
    const had = c.grace?.kind === 'finishing up' && c.grace.after < c.replies;
    return had || turns.used > turns.most
      ? { do: 'hand in', why: 'Ended early, by the person’s word.', otherwise: 'cancelled' }
      : said(c, 'finishing up', FINISHING_UP);
  }
  return turns.used === turns.most ? said(c, 'last turn', LAST_TURN) : null;
}

function said(c: Conversation, kind: NonNullable<Conversation['grace']>['kind'], text: string): Step {
  return c.grace?.kind === kind && c.grace.after === c.replies ? { do: 'ask model' } : { do: 'say', text, asksFor: kind };
}
