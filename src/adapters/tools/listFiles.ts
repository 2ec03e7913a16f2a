import { stat } from 'node:fs/promises';
import { displayFolder } from '../../core/paths.ts';
import { folderPath } from '../../core/ids.ts';
import { committedListing } from '../../core/tools/formats.ts';
import type { ToolArguments } from '../../core/tools/catalogue.ts';
import type { ToolResult } from '../../runtime/ports/tools.ts';
import { BoundedLines } from './boundedLines.ts';
import { placeToRead } from './insideWorktree.ts';
import { done, failed, fileErrorWords, leftOutKind, MAX_OUTPUT_BYTES, type ToolCall } from './toolCall.ts';
import { walk } from './walk.ts';

const NOTE_BYTES = 512;
const DEFAULT_DEPTH = 3;

/** Lists files and folders below a folder, whole paths, one a line. */
export async function listFilesTool(args: ToolArguments<'list_files'>, call: ToolCall): Promise<ToolResult> {
  const asked = args.folder ?? call.folder;
  const found = await placeToRead(asked, call);
  if (!found.ok) return failed(found.words);
  const { path: relative, absolute } = found.place;
  const shown = displayFolder(folderPath.parse(relative));
  try {
    if (!(await stat(absolute)).isDirectory()) return failed(`${shown} is a file. Use read_file.`);
  } catch (error) {
    const kind = leftOutKind(relative, error, call);
    if (kind === 'file') return failed(`${shown} is a file. Use read_file.`);
    if (kind === null) return failed(`${shown} cannot be listed: ${fileErrorWords(error)}. Folders are relative to the repository's root.`);
  }
  const depth = args.depth ?? DEFAULT_DEPTH;
  const lines = new BoundedLines(MAX_OUTPUT_BYTES - NOTE_BYTES);
  let closed = 0;
  let cut = false;
  let committed = false;
  for await (const entry of walk({ root: call.root, folder: relative, rules: call.rules, tracked: await call.tracked(), committed: call.committed, depth, signal: call.signal })) {
    const mark = entry.kind === 'folder' ? '/' : entry.kind === 'link' ? ' (link)' : '';
    if (!lines.add(`${entry.path}${mark}${entry.closed ? ' …' : ''}`)) {
      cut = true;
      break;
    }
    if (entry.closed) closed++;
    committed ||= entry.committed;
  }
  if (lines.count === 0) return done(`${shown} is empty, or everything in it is ignored.`);
  const notes = [
    ...(closed > 0 ? ['Folders that end in … were not looked into: list them on their own, or give more depth.'] : []),
    ...(committed && call.committed !== null ? [committedListing(call.committed.commit)] : []),
    ...(cut ? ['The list was cut here: list a folder further down, give less depth, or use search with a glob.'] : []),
  ];
  return done([`Below ${shown}:`, lines.text, ...notes].join('\n'));
}
