import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { LineEnds } from '../../core/editing/lineEnds.ts';
import { decodeText, encodeText, notTextWords } from '../../core/editing/textFile.ts';
import { filePath } from '../../core/ids.ts';
import type { ToolArguments } from '../../core/tools/catalogue.ts';
import type { ToolResult } from '../../runtime/ports/tools.ts';
import { existingFile } from './existingFile.ts';
import { outsideNote, placeToWrite } from './insideWorktree.ts';
import { keptOut } from './keptOut.ts';
import { isRealFolder, replaceFile, type ExistingFile } from './replaceFile.ts';
import { failed, fileErrorWords, wrote, type ToolCall } from './toolCall.ts';

/** Writes a whole file. One that was there keeps its mode, its byte order mark and, where they are all alike, its line ends. */
export async function writeFileTool(args: ToolArguments<'write_file'>, call: ToolCall): Promise<ToolResult> {
  const found = await placeToWrite(args.path, call, args.outside ?? false);
  if (!found.ok) return failed(found.words);
  const { path: relative, absolute } = found.place;
  let existing: ExistingFile | null;
  try {
    existing = await existingFile(found.place, call);
  } catch (error) {
    return failed(`${relative} was not written: ${fileErrorWords(error)}.`);
  }
  const content = contentFor(args.content, existing);
  if (!content.ok) return failed(`${relative} ${content.words}`);
  call.signal.throwIfAborted();
  try {
    await mkdir(path.dirname(absolute), { recursive: true });
    // Links were followed before; a folder that was made through one would lie elsewhere.
    if (!(await isRealFolder(path.dirname(absolute)))) return failed(`${relative} was not written: a folder of its path is a link.`);
    await replaceFile(absolute, content.bytes, existing?.mode ?? null);
  } catch (error) {
    return failed(`${relative} was not written: ${fileErrorWords(error)}.`);
  }
  const out = await keptOut(filePath.parse(relative), call);
  const lines = args.content === '' ? 0 : args.content.split('\n').length - (args.content.endsWith('\n') ? 1 : 0);
  const did = `${relative}: ${existing === null ? 'made' : 'replaced'}, ${lines} ${lines === 1 ? 'line' : 'lines'}.${content.words}${outsideNote(relative, call.folder)}`;
  if (out === null) return wrote(did, filePath.parse(relative), false);
  if (out.kind === 'ignored' && args.force === true) return wrote(`${did} An ignore rule matches it; it is included in your change because you said force.`, filePath.parse(relative), false);
  return wrote(`${did} ${out.words}`, filePath.parse(relative), true);
}

type Content = { readonly ok: true; readonly bytes: Uint8Array; readonly words: string } | { readonly ok: false; readonly words: string };

function contentFor(text: string, existing: ExistingFile | null): Content {
  if (existing === null || existing.bytes.length === 0) return { ok: true, bytes: encodeText(text, false), words: '' };
  const old = decodeText(existing.bytes);
  if (old.kind !== 'text') return { ok: false, words: `${notTextWords(old.kind)}. It was not replaced. If it really has to be, remove it with a command first.` };
  const ends = new LineEnds(old.text).kind;
  const lf = text.replaceAll('\r\n', '\n');
  const bytes = (t: string): Uint8Array => encodeText(t.replace(/^\ufeff/, ''), old.bom);
  if (ends === 'crlf' && lf.includes('\n')) return { ok: true, bytes: bytes(lf.replaceAll('\n', '\r\n')), words: ' It kept its CRLF line ends.' };
  return { ok: true, bytes: bytes(ends === 'lf' ? lf : text), words: '' };
}
