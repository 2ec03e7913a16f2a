/** How often a reply without a usable tool call is answered with a nudge before the episode hands in. */
export const NUDGES = 3;

export type NudgeCause = 'no call' | 'cut' | 'too long' | 'filtered';

const NUDGE_CAUSES: readonly NudgeCause[] = ['no call', 'cut', 'too long', 'filtered'];

/** Whether a message is a nudge of ours: only someone else's words give the model its nudges anew. */
export function isNudge(text: string): boolean {
  return NUDGE_CAUSES.some((cause) => text === nudgeText(cause, 1) || text === nudgeText(cause, 0));
}

/** @param left nudges that remain after this one. */
export function nudgeText(cause: NudgeCause, left: number): string {
  const last = left === 0 ? ' This is the last reminder: without a tool call now, your work ends and is handed in as it is.' : '';
  switch (cause) {
    case 'no call': return `Your reply had no tool call, so nothing happened. Call a tool to go on. When the work is done and checked, call finish.${last}`;
    case 'cut': return `Your reply broke off before it was complete, so none of its calls was run. Send it again.${last}`;
    case 'too long': return `Your reply reached the output limit before it was complete, so none of its calls was run. Send it again in smaller pieces: write a long file in several steps, with edit_file for the later parts.${last}`;
    case 'filtered': return `The provider withheld your reply. Nothing was run. Go on in another way.${last}`;
  }
}
