import type { FilePath, FolderPath } from '../ids.ts';
import { chainTo, fileIn } from '../paths.ts';
import { splitFrontMatter } from './frontMatter.ts';

/** Bytes of one page that a model is shown. */
export const PAGE_BYTES = 64 * 1024;

/** One page of the chain, as it goes into the prompt. */
export interface ContextPage {
  readonly path: FilePath;
  /** Front matter taken off, no more than 64 KiB. */
  readonly text: string;
  /** `skill`, `constraints`, `owner` and whatever else its front matter says. */
  readonly frontMatter: Readonly<Record<string, unknown>>;
  /** For diagnostics: why its front matter could not be read. */
  readonly problem: string | null;
}

/** Every file that may be a page of the chain for a folder: what to read before `contextChain`. */
export function contextFiles(folder: FolderPath): FilePath[] {
  return chainTo(folder).flatMap((at) => ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'].map((name) => fileIn(at, name)));
}

/**
 * The pages from the root down to the folder, in the order in which they are read: in each folder AGENTS.md (else
 * CLAUDE.md), then CONTEXT.md. `read` gives a file's text at the episode's version, null where it is not there.
 */
export function contextChain(folder: FolderPath, read: (path: FilePath) => string | null): ContextPage[] {
  return chainTo(folder).flatMap((at) => {
    const page = (name: string) => pageOf(fileIn(at, name), read(fileIn(at, name)));
    return [page('AGENTS.md') ?? page('CLAUDE.md'), page('CONTEXT.md')].filter((p) => p !== null);
  });
}

/** Null for a file that is not there or says nothing. */
function pageOf(path: FilePath, text: string | null): ContextPage | null {
  if (text === null) return null;
  const { data, body, problem } = splitFrontMatter(text);
  const trimmed = body.replaceAll('\r\n', '\n').trim();
  if (trimmed === '') return null;
  const kept = firstBytes(trimmed, PAGE_BYTES);
  const note = kept.length < trimmed.length ? `\n[cut after 64 KiB; the rest: read_file ${path}]` : '';
  return { path, text: kept.trimEnd() + note, frontMatter: data, problem };
}

/** The longest beginning that takes no more than `bytes` in UTF-8; never half a character. */
function firstBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  let used = 0;
  let end = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    used += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (used > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
