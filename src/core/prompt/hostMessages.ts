import type { ChangedFile } from '../candidate/candidate.ts';
import { shortCommit, type CommitId, type FilePath, type FolderPath } from '../ids.ts';
import { displayFolder } from '../paths.ts';
import type { Refusal } from '../refusal.ts';

/** What the host says to an agent in the course of its work, as user messages; every text says what to do next (rule 12). */

/** How often a reply without a tool call is nudged before the episode ends. */
export const MOST_NUDGES = 3;

/** `nth` counts from 1 to `MOST_NUDGES`. */
export function nudge(nth: number): string {
  const what = 'Your reply called no tool, so nothing happened. Go on with a tool call; if the work is done, or cannot be done, call finish and say so in its report.';
  return nth < MOST_NUDGES ? what : `${what} This is the last reminder: another reply without a tool call ends your work as it is.`;
}

/** A reply that was cut off, whose calls were not executed. */
export const CUT_REPLY = 'Your reply was cut off before it was complete, so none of its tool calls was executed. Send it again; write long files in several parts (write_file, then edit_file).';

/** What an agent has to know about its change besides the words with which it is sent back. */
export interface SentBack {
  /** Files that the person changed themselves since. */
  readonly edited: readonly FilePath[];
  /** Files of it that the line has taken already; the worktree holds the rest. */
  readonly accepted: readonly FilePath[];
  /** What is to be known of a worktree that had to be made again; null where it is the one that it was. */
  readonly madeAgain: readonly string[] | null;
  /** Where it passes its checks alone and fails one together with its line. `ontoTip`: the commit that the worktree stands on for that; null where it stays on its own base. */
  readonly together: { readonly constraint: string; readonly tip: CommitId; readonly line: string; readonly ontoTip: CommitId | null; readonly output: string } | null;
}

/** The person, or a parent, sends the waiting change back. */
export function reworkMessage(words: string, { edited, accepted, together, madeAgain }: SentBack = { edited: [], accepted: [], together: null, madeAgain: null }): string {
  return [
    'Your change was read and is sent back to you. Your worktree holds it as it waited, so go on from there.',
    ...(madeAgain === null ? [] : [['It had to be made again, so ignored files that you had built are gone.', ...madeAgain.map((note) => `- ${note.trim().replaceAll('\n', '\n  ')}`)].join('\n')]),
    ...(accepted.length === 0 ? [] : [`These files of your change were accepted already. Your worktree holds the rest of it, without them; leave them as they are:\n${listed(accepted)}`]),
    ...(together === null ? [] : [togetherWords(together)]),
    ...(edited.length === 0 ? [] : [`These files were edited by the person in the meantime. Read them again before you change them, and keep what they wrote unless their words say otherwise:\n${listed(edited)}`]),
    `Their words:\n${words.trim()}`,
    'When that is done and checked, call finish again. Its report is read on its own, so say again what the whole change does.',
  ].join('\n\n');
}

/** Follows the goal of an agent whose conversation is not here: another clone held it, or it was lost with the history. */
export function goesOnWithoutConversation({ report, files, words }: { readonly report: string; readonly files: readonly ChangedFile[]; readonly words: string }): string {
  return [
    'A change for this goal was proposed before, and is sent back to you. The conversation that led to it was held in another clone and is not here, so this is all that is known of it. Your worktree holds the change as it waited: read it first, then go on from there.',
    `These files differ from the commit that it started from:\n${listed(files.map(({ path, kind, lines }) => `${path} (${kind}${lines === null ? '' : `, +${lines.added} -${lines.removed}`})`))}`,
    ...(report.trim() === '' ? [] : [`Its report:\n${report.trim()}`]),
    `The words with which it is sent back:\n${words.trim()}`,
    'When that is done and checked, call finish. Its report is read on its own, so say what the whole change does.',
  ].join('\n\n');
}

/** A word from the person to an agent at work. */
export function personSays(words: string): string {
  return `The person says:\n${words.trim()}`;
}

/** Before the one turn more that the person leaves an agent whose work they end. */
export const FINISHING_UP = 'The person ends your work now. This is your last turn. If what you have is worth keeping, call finish, and say in its report what is done and what is left. Otherwise your files are taken as they are.';

/** Before the one turn more of an agent whose turns are used up. */
export const LAST_TURN = 'Your turns are used up. This one more is your last. Call finish now, and say in its report what is done and what is left.';

/** The answer to a tool call whose result was lost in an interruption: every call needs one answer. */
export const LOST_RESULT = 'The work was interrupted while this call ran; its result is lost. Look at its effect before you repeat it.';

/** The answer to a call that was never begun, because something else came first. */
export const PASSED_OVER = 'Not run: your work was stopped before this call began. Call again if it is needed.';

/** The answer to `finish` while there are changes outside the folder. */
export function outsideAnswer(outside: readonly FilePath[]): string {
  return `Not finished yet: these files are outside your folder.\n${listed(outside)}\nRevert them (edit_file, write_file; for a file that you made: run "rm <path>"), then call finish again. If the goal cannot be reached without them, call finish with include_outside true and say in the report why; the person is then asked.`;
}

/** The answer to `finish` while files that the agent wrote are kept out by an ignore rule. */
export function ignoredAnswer(ignored: readonly FilePath[]): string {
  return `Not finished yet: an ignore rule keeps these files that you wrote out of your change.\n${listed(ignored)}\nIf they belong to the change, write them again with force true. If not, call finish again: they stay out.`;
}

/** The answer to `finish` while a repository of the agent's own lies in the worktree (rule 11). */
export function nestedAnswer(folders: readonly string[]): string {
  return `Not finished yet: these folders are git repositories of their own, which cannot be part of a change.\n${listed(folders)}\nRemove the folder .git in each, then call finish again.`;
}

/** The answer to `finish` while there is something in submodules, which are never part of a change of this repository. */
export function submoduleAnswer(files: readonly string[]): string {
  return `Not finished yet: these lie in submodules, which are repositories of their own, so they cannot be part of your change.\n${listed(files)}\nIf the change does not need them, remove what you made there. If it does, say so in the report. Then call finish again.`;
}

/** To an agent that may delegate and works in a folder below its own again and again. */
export function delegationHintText(folder: FolderPath, done: { readonly kind: 'written' | 'read'; readonly times: number }): string {
  return `You have ${done.kind} files ${done.times} times in ${displayFolder(folder)}. If what is left to do there can be said as a goal of its own, hand it on to a child of yours; if not, go on. You are told this once for a folder.`;
}

/** The answer to `finish` while a file's name cannot be read: no change can hold it, and the agent can rename it. */
export function unreadableNameAnswer({ files = [] }: Refusal): string {
  return `Not finished yet: the names of these files are not valid UTF-8 (\ufffd stands for what cannot be read), so they cannot be part of a change.\n${listed(files)}\nRename or remove them with run, then call finish again.`;
}

/** The answer to `finish` beside other calls; those are executed. */
export const FINISH_ALONE = 'Not finished: finish has to be the only call of a reply, so that you have seen every result before. Look at the results of the others, then call finish alone.';

/** The answer to `finish` where the person has said something that the model has not read. */
export const MESSAGE_FIRST = 'Not finished: the person has sent you a message, which follows. Do what it asks for, then call finish again.';

function togetherWords({ constraint, tip, line, ontoTip, output }: NonNullable<SentBack['together']>): string {
  const where = ontoTip === null ? `Your worktree still stands on the commit that you began from; ${shortCommit(tip)} can be read with git show.` : `Your worktree now stands on ${line} at ${shortCommit(ontoTip)}, with your change merged onto it: read again what you build on.`;
  return `The check “${constraint}” passes with your change alone and fails together with ${line} at ${shortCommit(tip)}. ${where}${output === '' ? '' : `\nThe end of what it printed:\n${output.slice(-2_000)}`}`;
}

function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, 50).map((line) => `- ${line.replace(/[\u0000-\u001f\u007f]/g, '?')}`);
  return [...shown, ...(lines.length > 50 ? [`- and ${lines.length - 50} more`] : [])].join('\n');
}
