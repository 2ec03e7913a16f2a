import type { AssistantMessage, Message, ToolCall } from '../episode/model.ts';
import type { CallId, FilePath, FolderPath } from '../ids.ts';
import { displayFolder, fileIn } from '../paths.ts';
import { contextPage } from './contextPage.ts';
import { readConversation, type Conversation } from './conversation.ts';
import { explore } from './explore.ts';
import type { FileTree } from './fileTree.ts';
import { Reading } from './reading.ts';
import { hasPage, selectFolders } from './selectFolders.ts';

/** Calls in one reply: few turns without answers that are too much for one. */
const CALLS_A_TURN = 24;
/** After as many replies it writes what it knows. */
const MOST_LOOKING_TURNS = 34;
/** Of those, for listing before reading begins. */
const LISTING_SHARE = 0.6;
/** Writing, finishing, and one more in case that finish is answered. */
const TURNS_TO_END = 3;

/**
 * The embedded model that every survey is done with: fixed rules, no network, no cost. It is a pure function of the
 * conversation, like any model it speaks through tool calls, and each reply is worked out anew from what the answers so
 * far say: list, read, draw the pages, and when drawing them wants nothing more, write them and finish.
 */
export function surveyReply(messages: readonly Message[]): AssistantMessage {
  const conversation = readConversation(messages);
  const { folder } = conversation;
  const reply = (text: string, calls: readonly { name: string; args: Readonly<Record<string, unknown>> }[]): AssistantMessage => ({
    role: 'assistant', text, calls: calls.map((c, i): ToolCall => ({ id: `survey-${conversation.turns + 1}-${i + 1}` as CallId, name: c.name, arguments: JSON.stringify(c.args) })),
  });
  const finish = (subject: string, report: string) => reply('', [{ name: 'finish', args: { subject, report } }]);

  if (folder === null) return finish('Survey nothing', 'This survey was not told its folder, so it looked at nothing and changed nothing. Start it again from the folder\'s menu.');
  if (conversation.sentBack) return finish(subjectFor(folder), `${reportOf(conversation, folder, null)}\n\nA survey follows fixed rules and cannot act on words. Edit the pages in the diff, or reject this change and delegate the folder to an agent with a model.`);

  const { tree, wanted } = explore(conversation, folder);
  const lookingTurns = Math.min(MOST_LOOKING_TURNS, (conversation.mostTurns ?? Infinity) - TURNS_TO_END);
  const mayLook = conversation.turns < lookingTurns && conversation.writes.size === 0;
  // A list of everything is worth little without having read any of it.
  if (mayLook && conversation.turns < lookingTurns * LISTING_SHARE && wanted.length > 0) {
    return reply(conversation.turns === 0 ? `Listing ${displayFolder(folder)}.` : 'Listing folders that did not fit.', wanted.slice(0, CALLS_A_TURN).map(({ folder: f, depth }) => ({ name: 'list_files', args: { folder: f, depth } })));
  }

  const reading = new Reading(conversation, tree);
  const pages = selectFolders(tree, folder);
  const drawn = draw(tree, reading, pages, conversation);
  if (mayLook && reading.wanted.length > 0) {
    const reads = reading.wanted.slice(0, CALLS_A_TURN);
    return reply(`Reading ${reads.length === 1 ? (reads[0]?.path ?? '') : `${reads.length} files`}.`, reads.map((r) => ({ name: 'read_file', args: { path: r.path, ...(r.from === 1 ? {} : { from_line: r.from }), ...(r.lines === null ? {} : { lines: r.lines }) } })));
  }

  const toWrite = drawn.filter(({ path }) => !conversation.writes.has(path));
  // One folder may have a page that no listing shows (it is ignored): looked for once, right before writing.
  const unlooked = toWrite.filter(({ path }) => !conversation.files.has(path));
  if (mayLook && unlooked.length > 0) return reply('Making sure that no CONTEXT.md is there already.', unlooked.map(({ path }) => ({ name: 'read_file', args: { path, lines: 1 } })));
  if (toWrite.length > 0) return reply(`Writing ${toWrite.length === 1 ? 'one page' : `${toWrite.length} pages`}.`, toWrite.map(({ path, text }) => ({ name: 'write_file', args: { path, content: text } })));

  return finish(subjectFor(folder), reportOf(conversation, folder, tree));
}

interface DrawnPage {
  readonly path: FilePath;
  readonly text: string;
}

/** Pages lead to each other, so when one turns out to have nothing to say, the others are drawn without it. */
function draw(tree: FileTree, reading: Reading, folders: readonly FolderPath[], conversation: Conversation): DrawnPage[] {
  const drawn = drawOnce(tree, reading, folders, conversation);
  const left = folders.filter((f) => drawn.some((page) => page.path === fileIn(f, 'CONTEXT.md')));
  return left.length === folders.length ? drawn : draw(tree, reading, left, conversation);
}

function drawOnce(tree: FileTree, reading: Reading, pages: readonly FolderPath[], conversation: Conversation): DrawnPage[] {
  return pages.flatMap((folder) => {
    const path = fileIn(folder, 'CONTEXT.md');
    // It is there after all: ignored by git, so in no listing.
    if ((conversation.files.get(path)?.lines ?? null) !== null) return [];
    const text = contextPage(tree, reading, folder, pages, folder === conversation.folder);
    return text === null ? [] : [{ path, text }];
  });
}

function subjectFor(folder: FolderPath): string {
  const subject = folder === '' ? 'Describe the repository for agents and people' : `Describe ${folder} for agents and people`;
  return subject.length <= 72 ? subject : 'Describe this folder for agents and people';
}

function reportOf(conversation: Conversation, folder: FolderPath, tree: FileTree | null): string {
  const written = [...conversation.writes].filter(([, w]) => w.ok && !w.ignored).map(([path]) => path);
  const ignored = [...conversation.writes].filter(([, w]) => w.ok && w.ignored).map(([path]) => path);
  const failed = [...conversation.writes].filter(([, w]) => !w.ok);
  const kept = tree === null ? [] : [folder, ...tree.foldersBelow(folder)].filter((f) => hasPage(tree, f) && !conversation.writes.has(fileIn(f, 'CONTEXT.md')));
  const parts = [
    written.length === 0
      ? `Nothing to propose for ${displayFolder(folder)}${kept.length > 0 ? ': it has a CONTEXT.md, and no folder below it needs one that has none' : ': no file was found that says what it is for or what others may use of it'}. Nothing was changed.`
      : `Collected by fixed rules from listings, readmes, manifests and exported definitions; no model was asked. ${written.length === 1 ? 'One page' : `${written.length} pages`}, to be corrected where wrong:`,
    written.map((path) => `- ${path}`).join('\n'),
    kept.length > 0 && written.length > 0 ? `Left as they are: ${kept.slice(0, 12).map((f) => fileIn(f, 'CONTEXT.md')).join(', ')}.` : '',
    ignored.length > 0 ? `Written, but kept out of the change by an ignore rule: ${ignored.join(', ')}.` : '',
    failed.map(([path, w]) => `Could not be written: ${path} (${(w.answer.split('\n')[0] ?? '').slice(0, 200)}).`).join('\n'),
    written.length > 0 ? 'Not checked: nothing was run. Commands and constraints are copied from the files that declare them.' : '',
  ];
  return parts.filter((p) => p !== '').join('\n\n');
}
