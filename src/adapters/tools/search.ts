import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { BOUNDED_GLOB_WORDS, isBoundedGlob } from '../../core/boundedGlob.ts';
import { displayFolder } from '../../core/paths.ts';
import { folderPath } from '../../core/ids.ts';
import type { ToolArguments } from '../../core/tools/catalogue.ts';
import type { ToolResult } from '../../runtime/ports/tools.ts';
import { BoundedLines } from './boundedLines.ts';
import { placeToRead } from './insideWorktree.ts';
import { LineMatcher, PatternTooSlow } from './lineMatcher.ts';
import { committedListing } from '../../core/tools/formats.ts';
import { looksSecret } from '../../core/tools/secretFiles.ts';
import { done, failed, fileErrorWords, leftOutKind, MAX_OUTPUT_BYTES, type ToolCall } from './toolCall.ts';
import { walk } from './walk.ts';

const NOTE_BYTES = 768;
/** Larger files are data; they are named, not read. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const BATCH_CHARACTERS = 512 * 1024;
/** Files that git is asked for together: one after the other it would be waited for as many times. */
const ASKED_TOGETHER = 32;

/** Finds lines that match a regular expression in files that are not ignored. */
export async function searchTool(args: ToolArguments<'search'>, call: ToolCall): Promise<ToolResult> {
  const found = await placeToRead(args.folder ?? '', call);
  if (!found.ok) return failed(found.words);
  const { path: relative, absolute } = found.place;
  let single = false;
  let committed = false;
  try {
    single = (await stat(absolute)).isFile();
  } catch (error) {
    const kind = leftOutKind(relative, error, call);
    single = committed = kind === 'file';
    if (kind === null) return failed(`${displayFolder(folderPath.parse(relative))} cannot be searched: ${fileErrorWords(error)}. Folders are relative to the repository's root.`);
  }
  // Matched in this thread, unlike the pattern: it must not be able to backtrack for long.
  if ((args.glob?.length ?? 0) > 300 || !isBoundedGlob(args.glob ?? '')) return failed(`The glob is too long, or would take too long to match. Use ${BOUNDED_GLOB_WORDS}, such as "**/*.ts".`);
  const { source, ignoreCase } = plainSource(args.pattern, args.ignore_case ?? false);
  try {
    new RegExp(source, ignoreCase ? 'i' : '');
  } catch (error) {
    return failed(`The pattern is no valid regular expression: ${error instanceof Error ? error.message : String(error)}. Put a backslash before . * + ? ( ) [ ] { } | ^ $ to match them as they are.`);
  }
  const matcher = new LineMatcher(source, ignoreCase);
  const search = new Search(matcher, call, globOf(args.glob, relative));
  try {
    if (single) await search.file(relative, committed);
    else {
      for await (const entry of walk({ root: call.root, folder: relative, rules: call.rules, tracked: await call.tracked(), committed: call.committed, depth: Infinity, signal: call.signal })) {
        if (entry.kind === 'file') await search.file(entry.path, entry.committed);
        if (search.isFull) break;
      }
    }
    await search.flush();
  } catch (error) {
    if (!(error instanceof PatternTooSlow)) throw error;
    search.notes.push(`The search was stopped: the pattern takes too long on ${error.about}. Avoid nested repetitions like (a+)+, or search for a plain part of it.`);
    return failed(search.text(args.pattern));
  } finally {
    await matcher.close();
  }
  return done(search.text(args.pattern));
}

class Search {
  readonly notes: string[] = [];
  isFull = false;
  private readonly lines = new BoundedLines(MAX_OUTPUT_BYTES - NOTE_BYTES);
  private readonly matcher: LineMatcher;
  private readonly call: ToolCall;
  private readonly wants: (path: string) => boolean;
  private batch: { readonly path: string; readonly text: string }[] = [];
  private batched = 0;
  /** Not checked out, and not read yet. */
  private asked: string[] = [];
  private hasCommitted = false;
  private tooLarge: string[] = [];
  private secret = 0;
  private searched = 0;

  constructor(matcher: LineMatcher, call: ToolCall, wants: (path: string) => boolean) {
    this.matcher = matcher;
    this.call = call;
    this.wants = wants;
  }

  async file(relative: string, committed: boolean): Promise<void> {
    if (!this.wants(relative)) return;
    if (this.call.isBrought(relative) && looksSecret(relative)) {
      this.secret++;
      return;
    }
    if (committed) {
      this.asked.push(relative);
      if (this.asked.length >= ASKED_TOGETHER) await this.takeAsked();
      return;
    }
    await this.takeAsked();
    await this.take(relative, await this.textOf(relative));
  }

  async flush(): Promise<void> {
    await this.takeAsked();
    await this.match();
  }

  private async takeAsked(): Promise<void> {
    const asked = this.asked;
    this.asked = [];
    const texts = await Promise.all(asked.map((path) => this.committedText(path)));
    for (const [i, path] of asked.entries()) await this.take(path, texts[i] ?? null);
  }

  private async take(path: string, text: string | null): Promise<void> {
    if (text === null) return;
    this.searched++;
    this.batch.push({ path, text });
    this.batched += text.length;
    if (this.batched >= BATCH_CHARACTERS) await this.match();
  }

  private async match(): Promise<void> {
    const files = this.batch;
    [this.batch, this.batched] = [[], 0];
    if (files.length === 0 || this.isFull) return;
    for (const hit of await this.matcher.match(files, this.call.signal)) {
      if (!this.lines.add(`${hit.path}:${hit.line}: ${hit.text}`)) {
        this.isFull = true;
        return;
      }
    }
  }

  text(pattern: string): string {
    if (this.isFull) this.notes.push('There are more matches: narrow the search with folder, glob or a longer pattern.');
    if (this.tooLarge.length > 0) this.notes.push(`Not searched, larger than 4 MiB: ${this.tooLarge.slice(0, 5).join(', ')}${this.tooLarge.length > 5 ? ` and ${this.tooLarge.length - 5} more` : ''}.`);
    if (this.secret > 0) this.notes.push(`Not searched: ${this.secret} copied-in file(s) that may hold secrets.`);
    if (this.hasCommitted && this.call.committed !== null) this.notes.push(committedListing(this.call.committed.commit));
    const head = this.lines.count === 0 ? [`No line matches ${pattern} (${this.searched} files searched).`] : [this.lines.text];
    return [...head, ...this.notes].join('\n');
  }

  private async committedText(relative: string): Promise<string | null> {
    const { committed } = this.call;
    if (committed === null) return null;
    this.hasCommitted = true;
    if ((committed.sizeOf(relative) ?? 0) > MAX_FILE_BYTES) {
      this.tooLarge.push(relative);
      return null;
    }
    const bytes = Buffer.from(await committed.read(relative));
    return bytes.includes(0) ? null : bytes.toString('utf8');
  }

  private async textOf(relative: string): Promise<string | null> {
    let file;
    try {
      // Links are not followed: where they lead was not looked at.
      file = await open(path.join(this.call.root, relative), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    } catch {
      return null;
    }
    try {
      const { size } = await file.stat();
      if (size > MAX_FILE_BYTES) {
        this.tooLarge.push(relative);
        return null;
      }
      const bytes = await file.readFile();
      return bytes.includes(0) ? null : bytes.toString('utf8');
    } catch {
      return null;
    } finally {
      await file.close();
    }
  }
}

/** JavaScript has no `(?i)` for a whole pattern; models write it all the same. */
function plainSource(pattern: string, ignoreCase: boolean): { readonly source: string; readonly ignoreCase: boolean } {
  return pattern.startsWith('(?i)') ? { source: pattern.slice(4), ignoreCase: true } : { source: pattern, ignoreCase };
}

/** Relative to the root or to the folder that is searched, and without a slash to the name alone: models mean any of them. */
function globOf(glob: string | undefined, folder: string): (path: string) => boolean {
  if (glob === undefined || glob === '') return () => true;
  const plain = glob.replace(/^\.?\//, '');
  const matches = picomatch(plain, { dot: true, noextglob: true, basename: !plain.includes('/') });
  return (file) => matches(file) || (folder !== '' && file.startsWith(`${folder}/`) && matches(file.slice(folder.length + 1)));
}
