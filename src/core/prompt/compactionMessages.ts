/** What the host says where a conversation has become long: the request for a summary, and what stands in the window after it. */

/** Asks for the summary. `nth` counts from 1. */
export function summaryInstruction(nth: number): string {
  return nth === 1 ? INSTRUCTION : `That was no summary. ${INSTRUCTION}`;
}

const INSTRUCTION = `This conversation has become long. Everything after the goal is now taken out of your view, and a summary that you write takes its place. Answer with the summary itself, in words; call no tool in this reply.

Write it for somebody who goes on with your work and sees nothing but the goal and your summary. Say:
- how far the goal is reached;
- what you found out that still matters: files with their full paths, names, how things work, how tests and linters are run here;
- what you changed: each file with its full path, and what;
- what you ran last and how it came out, with the words of errors that are not mended yet;
- what was decided and why, and what turned out not to work;
- what is left to do, the next step first.`;

/** The answer to a call in the reply that was to be a summary. */
export const NOT_RUN_SUMMARY = 'Not run: this reply was to be the summary, in words only. Nothing was done. Call again after the summary if it is still needed.';

/** Takes the place of everything between the goal and now. */
export function summaryMessage(summary: string, personsWords: readonly string[]): string {
  return [
    'What came after the goal was long and is no longer in your view. Your worktree is as you left it. This is the summary of it:',
    summary.trim(),
    ...(personsWords.length === 0 ? [] : ['What the person said on the way, word for word, oldest first. It still holds, except where something later says otherwise:', ...personsWords.map((words) => `---\n${words.trim()}`), '---']),
    'read_history shows what you did and what tools answered, word for word. Look there, or read the files again, before you rely on something that the summary does not say. Now go on with the next step.',
  ].join('\n\n');
}

/** A tool's answer of which only the beginning and the end stay in view. */
export function cutOutput(text: string, kept: number): string {
  const half = Math.floor(kept / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters taken out of your view, since the conversation is too long for you. read_history shows them.]\n${text.slice(-half)}`;
}
