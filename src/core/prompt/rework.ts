import type { FilePath } from '../ids.ts';

/** What an agent is told when its change comes back. `edited`: files that the person changed in the diff meanwhile. */
export function reworkText(words: string, edited: readonly FilePath[]): string {
  const changed = edited.length === 0 ? '' : `\n\nThe person edited these files of your change themselves. Your worktree holds their version: read them again before you change them, and keep what they wrote unless they ask otherwise.\n${edited.map((path) => `  ${path}`).join('\n')}`;
  return `Your change was read and comes back to you. The person says:\n\n${words}${changed}\n\nGo on from the state of your worktree. When that is done and checked, call finish again; the report is about the whole change, not only about what is new.`;
}
