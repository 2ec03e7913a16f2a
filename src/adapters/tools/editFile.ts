import { exactEdit } from '../../core/editing/exactEdit.ts';
import { filePath } from '../../core/ids.ts';
import type { ToolArguments } from '../../core/tools/catalogue.ts';
import type { ToolResult } from '../../runtime/ports/tools.ts';
import { existingFile } from './existingFile.ts';
import { keptOut } from './keptOut.ts';
import { whyNotShown } from './mayShow.ts';
import { outsideNote, placeToWrite } from './insideWorktree.ts';
import { replaceFile, type ExistingFile } from './replaceFile.ts';
import { failed, fileErrorWords, wrote, type ToolCall } from './toolCall.ts';

/** Replaces text in an existing file; see `exactEdit` for what "exactly" means. */
export async function editFileTool(args: ToolArguments<'edit_file'>, call: ToolCall): Promise<ToolResult> {
  const found = await placeToWrite(args.path, call, args.outside ?? false);
  if (!found.ok) return failed(found.words);
  const { path, absolute } = found.place;
  // Whether its old text occurs, and what comes next to it, tells what is in it.
  const kept = await whyNotShown(path, call);
  if (kept !== null) return failed(kept);
  let existing: ExistingFile | null;
  try {
    existing = await existingFile(found.place, call);
  } catch (error) {
    return failed(`${path} was not changed: ${fileErrorWords(error)}.`);
  }
  if (existing === null) return failed(`${path} does not exist. Paths are relative to the repository's root; use write_file to make a new file.`);
  const edit = exactEdit(existing.bytes, { oldText: args.old_text, newText: args.new_text, all: args.all ?? false });
  if (edit.kind === 'refused') return failed(`${path} ${edit.words}`);
  call.signal.throwIfAborted();
  try {
    await replaceFile(absolute, edit.bytes, existing.mode);
  } catch (error) {
    return failed(`${path} was not changed: ${fileErrorWords(error)}.`);
  }
  const out = await keptOut(filePath.parse(path), call);
  const [line] = edit.lines;
  const words = edit.lines.length === 1 ? `Replaced; the new text begins at line ${line}.` : `Replaced ${edit.lines.length} times, first at line ${line}.`;
  return wrote(`${path}: ${words}${outsideNote(path, call.folder)}${out === null ? '' : ` ${out.words}`}`, filePath.parse(path), out !== null);
}
