import type { FilePath } from '../../ids.ts';

/** One thing that others may use. */
export interface ApiItem {
  readonly name: string;
  /** `function`, `class`, `type`, `module`…; null where the source did not tell. */
  readonly kind: string | null;
  /** Where it is defined, as far as it was followed. */
  readonly file: FilePath;
  /** First sentence of its documentation; null where it has none. */
  readonly doc: string | null;
  /** Only at compile time: types, interfaces. Listed after what exists when the program runs. */
  readonly typeOnly: boolean;
  readonly deprecated: boolean;
  /** The package of others that it is re-exported from, the name `*` standing for all of that; null where it is the folder's own. */
  readonly external: string | null;
}

const DOC_WIDTH = 120;

/** The first sentence of a documentation text, on one line; null where there is none to speak of. */
export function firstSentence(text: string, width = DOC_WIDTH): string | null {
  // Ends at a blank line, a heading, a list, an example or a tag.
  const paragraph = /^(?:(?!\s*(?:#|```|@[a-z]|[-*] |\d+\. |>>> |\|)).*\S.*\n?)+/m.exec(text.trim())?.[0] ?? '';
  const line = plainLine(withoutTail(paragraph));
  const sentence = /^.*?(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|Mr|Dr|No)|\b[A-Z])[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  const trimmed = sentence.replace(/[.:;,]+$/, '').trim();
  if (trimmed.length < 3 || !/[A-Za-z\u00c0-\uffff]{2}/.test(trimmed)) return null;
  if (trimmed.length <= width) return trimmed;
  const cut = trimmed.slice(0, width - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), width / 2)).replace(/[\s,;:.(]+$/, '')}…`;
}

/** A line that ends although the next word had room, which begins another sentence, is where a sentence without a full stop ends. */
function withoutTail(paragraph: string): string {
  const lines = paragraph.split('\n');
  const end = lines.findIndex((line, i) => {
    const next = /^\s*([A-Z][a-z']*)(?=[\s,])/.exec(lines[i + 1] ?? '')?.[1];
    return next !== undefined && line.trim() !== '' && line.length + 1 + next.length <= NARROWEST;
  });
  return end < 0 ? paragraph : lines.slice(0, end + 1).join('\n');
}

/** Nobody wraps what a comment says narrower than this. */
const NARROWEST = 66;

/** Of a comment that goes on for pages its beginning is enough, and every expression below has to end. */
const LONGEST = 4000;

/** Text of a comment on one line, with the markup of links taken off. */
export function plainLine(comment: string): string {
  return comment.slice(0, LONGEST)
    .replace(/\{@link(?:code|plain)?\s+([^\s|}]+)[^}]*\}/g, '`$1`')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])/g, '$1')
    .replace(/\[(`[^`\]]+`)\]/g, '$1')
    .replace(/:(?:class|func|meth|mod|attr|data|exc|ref|doc|obj|const|term):`(?:~?[\w.]+\.)?([\w.]+)(?:\s*<[^>]*>)?`/g, '`$1`')
    .replace(/:(?:class|func|meth|mod|attr|data|exc|ref|doc|obj|const|term):`([^`<]+?)(?:\s*<[^>]*>)?`/g, '$1')
    .replace(/``([^`]+)``/g, '`$1`')
    // A tag in code is what the text speaks of.
    .replace(/(`[^`]+`)|<\/?[a-z][^>]*>/gi, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
