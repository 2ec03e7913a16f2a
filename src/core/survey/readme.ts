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
  const heading = blocks.find((b) => b.kind === 'heading' && b.level === 1);
  const first = heading ? plain(heading.text) : '';
  const title = first === '' || HOW.test(first) ? null : first;
  return {
    title,
    intent: intentOf(blocks, title),
    knownIssues: blocks.filter((b) => b.kind === 'heading' && /^(known (issues?|bugs?|problems?|limitations?)|limitations?|caveats?|gotchas?)\b/i.test(plain(b.text))).map((b) => plain(b.text)),
  };
}

/** The name as a word of its own: `worldtree.tape` is a setting of Worldtree, not Worldtree. */
function beginsWithName(text: string, name: string): boolean {
  const begin = text.replace(/^(the|a|an)\s/i, '').replace(/^[`"]/, '').toLowerCase();
  return begin.startsWith(name.toLowerCase()) && !/^[./:-]?[\p{L}\p{N}_]/u.test(begin.slice(name.length));
}

/**
 * The paragraph that says what the thing is: one that begins with its name, else the first under the title or under a
 * heading like "About". What comes under "Installation" or "Usage" tells how, not what.
 */
function intentOf(blocks: readonly Block[], title: string | null): string | null {
  const paragraphs: { text: string; section: number; about: boolean; leads: boolean }[] = [];
  /** A line under the title may be set as a quotation. */
  let quoted: string | null = null;
  let section = 0;
  let about = true;
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const words = plain(block.text);
      if (paragraphs.length > 0 || section > 0) section++;
      else if (words !== title) section = 1;
      about = section === 0 || /^(about|intro|introduction|overview|what|why|description|summary|purpose|background|motivation)\b/i.test(words);
      if (HOW.test(words)) about = false;
      if (HOW.test(words)) break;
    } else if (block.kind === 'paragraph') {
      const text = plain(block.text).replace(/^[^\p{L}\p{N}`"'(<@#$]+/u, '');
      const rest = withoutLead(text);
      // All of it leads up to something: worth a line only where it speaks of the thing by name.
      const leads = rest === '';
      const prose = leads ? text.replace(/:$/, '.') : rest;
      if (isProse(prose)) paragraphs.push({ text: prose, section, about, leads });
    } else if (/^(```|~~~| {4}|\t)/.test(block.text)) about = false;
    else if (/^\s*>(?!\s*\[!)/.test(block.text) && section === 0 && paragraphs.length === 0) {
      const text = plain(block.text.replace(/^\s*> ?/gm, ''));
      // What goes on from the title (`> lets you…`) is no sentence.
      if (isProse(text) && /^[\p{Lu}`"@]/u.test(text)) quoted ??= text;
    }
  }
  const name = /[\p{L}\p{N}][\p{L}\p{N}._/@-]*/u.exec((title ?? '').replace(/^(the|a|an)\s/i, ''))?.[0] ?? null;
  const says = /\b(is|are|provides?|lets|helps?|allows?|makes|implements?|contains?|offers?|aims|enables?|adds|gives)\b/;
  const named = name === null ? undefined : paragraphs.slice(0, 8).find(({ text }) => beginsWithName(text, name) && says.test(text.slice(0, 160)));
  const found = (named ?? paragraphs.find((p) => p.about && !p.leads))?.text ?? quoted ?? paragraphs.find((p) => p.section > 0 && p.section <= 2 && !p.leads)?.text;
  return found === undefined ? null : cutAtSentence(found, INTENT_WIDTH);
}

const HOW = /^[^\p{L}]*(install|installation|setup|set up|getting started|get started|quick ?start|usage|how to|contribut|develop|license|licence|requirements|prerequisites|table of contents|contents|changelog|support|sponsors?|backers|build|building|community|documentation|links|migrat|upgrad|test|running|run|example)/iu;

/** A paragraph that leads up to a list says what it says before its last sentence. */
function withoutLead(text: string): string {
  return text.endsWith(':') ? text.replace(/(^|[.!?]\s)[^.!?]*:$/, '$1').trim() : text;
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

type Block = { readonly kind: 'heading'; readonly text: string; readonly level: number } | { readonly kind: 'paragraph' | 'other'; readonly text: string };

function markdownBlocks(source: string): Block[] {
  const text = source.replace(/<!--[\s\S]*?-->/g, '').replace(/^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1[^\n]*$/gm, '\n```\n')
    .replace(/(<\/(?:p|div|h[1-6]|center)>)[ \t]*\n(?=[ \t]*<(?:p|div|h[1-6]|center)\b)/gi, '$1\n\n');
  return text.split(/\n[ \t]*\n+/).flatMap((chunk): Block[] => splitHeadings(chunk.replace(/^\n+/, '').trimEnd()));
}

/** Headings need no blank line around them. */
function splitHeadings(chunk: string): Block[] {
  const blocks: Block[] = [];
  const lines = chunk.split('\n');
  let from = 0;
  const endText = (to: number) => {
    const text = lines.slice(from, to).join('\n');
    if (text.trim() !== '') blocks.push({ kind: isOther(text) ? 'other' : 'paragraph', text });
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const underline = i === from && line.trim() !== '' ? /^ {0,3}(=+|-+)\s*$/.exec(lines[i + 1] ?? '')?.[1] : undefined;
    const html = /^\s*<h([1-6])[\s>].*<\/h[1-6]>\s*$/i.exec(line)?.[1];
    const hashes = /^ {0,3}(#{1,6})\s/.exec(line)?.[1];
    const level = underline !== undefined ? (underline.startsWith('=') ? 1 : 2) : html !== undefined ? Number(html) : (hashes?.length ?? null);
    if (level === null) continue;
    endText(i);
    blocks.push({ kind: 'heading', text: line.replace(/^ {0,3}#+\s*|\s#+\s*$/g, ''), level });
    if (underline !== undefined) i++;
    from = i + 1;
  }
  endText(lines.length);
  return blocks;
}

/** Quotes, lists, tables, code, HTML, link definitions, rules. A centred line of text in HTML is text all the same. */
function isOther(whole: string): boolean {
  const chunk = whole.slice(0, LONGEST_PARAGRAPH);
  if (/^\s*<(p|div|center|h[1-6])[\s>]/i.test(chunk) && !/<(img|a|picture|table|ul|video|br)[\s>/]/i.test(chunk) && /<\/\w+>$/.test(whole.trimEnd().slice(-20))) return false;
  return /^(\s*>| {4}|\t|\s*[-*+]\s|\s*\d+[.)]\s|\s*\||```|~~~|\s*<\/?(?!(?:a|b|i|em|strong|code|kbd|sub|sup|span)\b)[a-z!?]|\s*\[[^\]]+\]:\s|\s*([-*_]\s*){3,}$|:::|\{%|\[\[)/i.test(chunk) || /^\s*\|?\s*:?-{2,}:?\s*\|/m.test(chunk);
}

function rstBlocks(source: string): Block[] {
  /** The first kind of underline that is used is the title's. */
  let underline: string | null = null;
  const chunks = source.replace(/^\.\. [^\n]*(?:\n(?:[ \t]+[^\n]*|[ \t]*))*(?=\n\S|$)/gm, '').split(/\n[ \t]*\n+/);
  return chunks.flatMap((chunk): Block[] => {
    const lines = chunk.replace(/^\n+/, '').trimEnd().split('\n').filter((line, i) => !(i === 0 && /^([=\-~^*#"'`+])\1{2,}\s*$/.test(line)));
    if (lines.join('').trim() === '') return [];
    if (/^([=\-~^*#"'`+])\1{2,}\s*$/.test(lines[1] ?? '')) {
      underline ??= (lines[1] ?? '').charAt(0);
      return [{ kind: 'heading', text: lines[0] ?? '', level: (lines[1] ?? '').startsWith(underline) ? 1 : 2 }, ...(lines.length > 2 ? [{ kind: 'paragraph' as const, text: lines.slice(2).join('\n') }] : [])];
    }
    return [{ kind: /^(\s|[-*+|]\s|\d+\.|:\w|\.\.|>>>|\|)/.test(lines[0] ?? '') ? 'other' : 'paragraph', text: lines.join('\n') }];
  });
}

/** Of a paragraph that goes on for pages its beginning: what is looked for stands there, and expressions below must end. */
const LONGEST_PARAGRAPH = 2000;

function plain(paragraph: string): string {
  const text = paragraph.slice(0, LONGEST_PARAGRAPH).replace(/\s+/g, ' ');
  return plainLine(text.replace(/\[!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])\](?:\([^)]*\)|\[[^\]]*\])?/g, '').replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g, '').replace(/`([^`<]+?)\s*<[^>]+>`_{1,2}/g, '$1').replace(/\|[^|\s]+\|/g, ''))
    .replace(/(^|[\s(])[*_]{1,3}([^*_\s][^*_]*)[*_]{1,3}(?=[\s).,;:!?]|$)/g, '$1$2')
    .replace(/\[([^\]]+)\](?!\()/g, '$1')
    .replace(/&nbsp;|&bull;/g, ' ').replace(/&amp;/g, '&').replace(/&lt;/g, '<').replace(/&gt;/g, '>')
    .replace(/:[a-z_]+:(?=\s|$)/g, '')
    .replace(/\\\s*$|\\(?=\s)/g, '')
    .replace(/\s+/g, ' ').trim();
}

/** A sentence that says something: not a bar of links, a step to take, news, thanks or a pointer to elsewhere. */
function isProse(text: string): boolean {
  const words = text.split(' ').filter((w) => /[A-Za-z\u00c0-\uffff]/.test(w));
  const says = words.length >= 6 || (words.length >= 4 && /[.!]$/.test(text));
  const bar = (text.match(/[|•·]/g) ?? []).length >= 2;
  return says && !bar && !NOT_SAID.test(text) && !/https?:\/\/\S+$/.test(text);
}

const NOT_SAID = new RegExp(`^(?:${[
  'please', 'see', 'visit', 'read', 'check', 'for (?:more|full|complete|details|documentation|installation|the latest)', 'documentation', 'docs', 'thanks?', 'thank you', 'sponsored', 'supported by', 'backed by', 'made with', 'join', 'follow', 'star', 'note', 'notice', 'warning', 'important', 'looking for', 'built with', 'powered by', 'tip', 'english', 'translations?', 'languages?',
  'then', 'now', 'first', 'next', 'run', 'install', 'to (?:install|run|build|use|start|get|see|learn|view|contribute)', 'in addition', 'also', 'you (?:can|may|need|should|must)', 'simply', 'just', 'once', 'after', 'before', 'if', 'when', 'let.s', 'copy', 'clone', 'open', 'with (?:npm|yarn|pnpm|bun)', 'here', 'these', 'all (?:credit|thanks)', 'copyright', 'licensed', 'latest', 'current version', 'version', 'last updated', 'like ', 'click', 'download', 'pull requests', 'bug', 'issues?',
  'we(?:.re| are)', 'we have', 'i ', 'i.m', 'this (?:repo|repository|project|package) (?:has|was) (?:been )?(?:moved|archived)', 'this project has (?:a|an) ',
].join('|')})\\b|\\b(?:announc|excited|we're hiring|now available)`, 'i');
