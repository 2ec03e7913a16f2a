import { plainLine } from './api/apiItem.ts';

/** What a readme says a folder is for. */
export interface Readme {
  /** Its first heading of the first level, as plain text. */
  readonly title: string | null;
  /** The first paragraph of prose, cut at a sentence. */
  readonly intent: string | null;
  /** Headings under which it tells what does not work, as written. */
  readonly knownIssues: readonly string[];
}

const INTENT_WIDTH = 420;

export function parseReadme(text: string, reStructured = false): Readme {
  const source = text.replaceAll('\r\n', '\n').replace(/^\ufeff/, '').replace(/^---\n[\s\S]*?\n---\n/, '');
  const blocks = reStructured ? rstBlocks(source) : markdownBlocks(source);
  const title = blocks.find((b) => b.kind === 'heading');
  // A readme that begins with how to install or to contribute has no paragraph that says what the folder is for.
  const end = blocks.findIndex((b) => b.kind === 'heading' && /^(install|installation|setup|getting started|quick ?start|usage|contribut|develop|license|licence|requirements|prerequisites|table of contents|contents|changelog|support|sponsors?|backers|build|building|community|docs|documentation|links)/i.test(plain(b.text)));
  const paragraph = blocks.slice(0, end < 0 ? undefined : end).filter((b) => b.kind === 'paragraph').map((b) => plain(b.text)).find(isProse);
  return {
    title: title ? plain(title.text) || null : null,
    intent: paragraph === undefined ? null : cutAtSentence(paragraph, INTENT_WIDTH),
    knownIssues: blocks.filter((b) => b.kind === 'heading' && /^(known (issues?|bugs?|problems?|limitations?)|limitations?|caveats?|gotchas?)\b/i.test(plain(b.text))).map((b) => plain(b.text)),
  };
}

/** Whole sentences up to about this width; at least the first one, cut at a word where even that is longer. */
export function cutAtSentence(text: string, width: number): string {
  if (text.length <= width) return text;
  const sentences = text.match(/[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]+(?=\s|$)\s*/g) ?? [];
  let kept = '';
  for (const sentence of sentences) {
    if (kept !== '' && kept.length + sentence.trim().length > width) break;
    kept += sentence;
    if (kept.length > width) break;
  }
  kept = kept.trim();
  if (kept !== '' && kept.length <= width * 1.3) return kept;
  const head = text.slice(0, width);
  return `${head.slice(0, head.lastIndexOf(' ')).replace(/[\s,;:.(]+$/, '')}…`;
}

interface Block {
  readonly kind: 'heading' | 'paragraph' | 'other';
  readonly text: string;
}

function markdownBlocks(source: string): Block[] {
  const text = source.replace(/<!--[\s\S]*?-->/g, '').replace(/^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1[^\n]*$/gm, '\n```\n');
  return text.split(/\n[ \t]*\n+/).flatMap((chunk): Block[] => splitHeadings(chunk.replace(/^\n+|\s+$/g, '')));
}

/** Headings need no blank line around them. */
function splitHeadings(chunk: string): Block[] {
  if (chunk.trim() === '') return [];
  const lines = chunk.split('\n');
  const setext = /^ {0,3}(=+|-+)\s*$/.test(lines[1] ?? '') && /\S/.test(lines[0] ?? '');
  if (setext) return [{ kind: 'heading', text: lines[0] ?? '' }, ...splitHeadings(lines.slice(2).join('\n'))];
  const at = lines.findIndex((line) => /^ {0,3}#{1,6}\s/.test(line) || /^\s*<h[1-6][\s>].*<\/h[1-6]>\s*$/i.test(line));
  if (at >= 0) {
    const heading = (lines[at] ?? '').replace(/^ {0,3}#+\s*|\s*#+\s*$/g, '');
    return [...splitHeadings(lines.slice(0, at).join('\n')), { kind: 'heading', text: heading }, ...splitHeadings(lines.slice(at + 1).join('\n'))];
  }
  return [{ kind: isOther(chunk) ? 'other' : 'paragraph', text: chunk }];
}

/** Quotes, lists, tables, code, HTML, link definitions, rules. */
function isOther(chunk: string): boolean {
  return /^(\s*>| {4}|\t|\s*[-*+]\s|\s*\d+[.)]\s|\s*\||```|~~~|\s*<\/?(?!(?:a|b|i|em|strong|code|kbd|sub|sup|span)\b)[a-z!?]|\s*\[[^\]]+\]:\s|\s*([-*_]\s*){3,}$|:::|\{%|\[\[)/i.test(chunk) || /^\s*\|?\s*:?-{2,}:?\s*\|/m.test(chunk);
}

function rstBlocks(source: string): Block[] {
  const chunks = source.replace(/^\.\. [^\n]*(?:\n(?:[ \t]+[^\n]*|[ \t]*))*(?=\n\S|$)/gm, '').split(/\n[ \t]*\n+/);
  return chunks.flatMap((chunk): Block[] => {
    const lines = chunk.replace(/^\n+|\s+$/g, '').split('\n').filter((line, i) => !(i === 0 && /^([=\-~^*#"'`+])\1{2,}\s*$/.test(line)));
    if (lines.join('').trim() === '') return [];
    if (/^([=\-~^*#"'`+])\1{2,}\s*$/.test(lines[1] ?? '')) return [{ kind: 'heading', text: lines[0] ?? '' }, ...(lines.length > 2 ? [{ kind: 'paragraph' as const, text: lines.slice(2).join('\n') }] : [])];
    return [{ kind: /^(\s|[-*+|]\s|\d+\.|:\w|\.\.|>>>|\|)/.test(lines[0] ?? '') ? 'other' : 'paragraph', text: lines.join('\n') }];
  });
}

function plain(text: string): string {
  return plainLine(text.replace(/\[!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])\](?:\([^)]*\)|\[[^\]]*\])?/g, '').replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g, '').replace(/`([^`<]+?)\s*<[^>]+>`_{1,2}/g, '$1').replace(/\|[^|\s]+\|/g, ''))
    .replace(/(^|[\s(])[*_]{1,3}([^*_\s][^*_]*)[*_]{1,3}(?=[\s).,;:!?]|$)/g, '$1$2')
    .replace(/\[([^\]]+)\](?!\()/g, '$1')
    .replace(/&nbsp;|&bull;/g, ' ').replace(/&amp;/g, '&').replace(/&lt;/g, '<').replace(/&gt;/g, '>')
    .replace(/:[a-z_]+:(?=\s|$)/g, '')
    .replace(/\\\s*$|\\(?=\s)/g, '')
    .replace(/\s+/g, ' ').trim();
}

/** A sentence that says something, not a bar of links, a language switch, a thank-you or a pointer to elsewhere. */
function isProse(text: string): boolean {
  const words = text.split(' ').filter((w) => /[A-Za-z\u00c0-\uffff]/.test(w));
  const says = words.length >= 5 || (words.length >= 3 && /[.!]$/.test(text));
  const bar = (text.match(/[|•·]/g) ?? []).length >= 2 || /^(english|简体中文|translations?|read this in|languages?)\b/i.test(text);
  const elsewhere = /^(please )?(see|visit|read|check out|check|for (more|full|complete|details|documentation|installation)|documentation|docs|thanks?|thank you|sponsored|supported by|backed by|made with|join|follow|star|note|warning|important|looking for|this (repo|repository) (has|was) moved|built with|powered by|note that|tip)\b/i.test(text);
  return says && !bar && !elsewhere && !/:$/.test(text) && !/https?:\/\/\S+$/.test(text);
}
