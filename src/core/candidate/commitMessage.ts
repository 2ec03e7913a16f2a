import type { Evidence } from '../constraints/constraint.ts';
import { unreachable } from '../exhaustive.ts';
import { formatTrailers, withoutTrailers, type TrailerEvidence, type Trailers } from './trailers.ts';

const SUBJECT_WIDTH = 72;
const BODY_WIDTH = 72;

interface MessageParts {
  /** The agent's words, as they came. */
  readonly subject: string;
  readonly report: string;
  readonly trailers: Trailers;
}

/** The message of a candidate and of its accepted commit: subject, body from the report, trailers. Ends in a newline. */
export function commitMessage({ subject, report, trailers }: MessageParts): string {
  const title = subjectLine(subject);
  const body = wrapBody(report);
  return `${[title, ...(body === '' ? [] : [body]), formatTrailers(trailers)].join('\n\n')}\n`;
}

/** One line of at most 72 characters, cut at a word; never empty. */
export function subjectLine(subject: string): string {
  const line = withoutTrailers(clean(subject).replace(/\s+/g, ' ').trim()).replace(/^#+\s*/, '');
  if (line === '') return 'Change without a subject';
  const characters = Array.from(line);
  if (characters.length <= SUBJECT_WIDTH) return line;
  const head = characters.slice(0, SUBJECT_WIDTH - 1).join('');
  const space = head.lastIndexOf(' ');
  return `${(space > SUBJECT_WIDTH / 2 ? head.slice(0, space) : head).replace(/[\s,;:.]+$/, '')}…`;
}

/** Prose is wrapped; list items keep their indent; fenced and indented code stays as it is. */
export function wrapBody(report: string): string {
  const out: string[] = [];
  let fenced = false;
  // Wrapped first and neutralised last: wrapping may bring any word to the start of a line.
  for (const line of joinedParagraphs(clean(report))) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    // A line of dashes ends the message for tools that read patches, and with it our trailers.
    if (/^-{3,}\s*$/.test(line)) out.push('');
    else if (fenced || /^( {4}|\t)/.test(line)) out.push(line.trimEnd());
    else out.push(...wrapLine(line));
  }
  return withoutTrailers(out.join('\n')).replace(/\n{3,}/g, '\n\n').trim();
}

/** What checks gave, as trailers tell it; the newest result of each name. */
export function trailerEvidence(evidence: readonly Evidence[]): TrailerEvidence[] {
  const newest = new Map(evidence.map((e) => [e.constraint, e]));
  return [...newest.values()].map((e) => ({ name: e.constraint, result: resultWord(e.result), seconds: e.ms >= 1000 ? Math.round(e.ms / 1000) : null }));
}

function resultWord(result: Evidence['result']): string {
  switch (result) {
    case 'passed': return 'pass';
    case 'failed': return 'fail';
    case 'timed-out': return 'timed out';
    case 'could-not-run': return 'could not run';
    case 'refused': return 'refused';
    default: return unreachable(result);
  }
}

/** Lines that a model broke at some width of its own are one paragraph; lists, headings, quotes, tables and code are not. */
function joinedParagraphs(text: string): string[] {
  const lines: string[] = [];
  let fenced = false;
  for (const line of text.split('\n')) {
    const fence = /^\s*(```|~~~)/.test(line);
    if (fence) fenced = !fenced;
    const last = lines.at(-1);
    const continues = !fenced && !fence && last !== undefined && isProse(last) && /^ {0,3}[^\s]/.test(line) && isProse(line);
    if (continues) lines[lines.length - 1] = `${last} ${line.trim()}`;
    else lines.push(line);
  }
  return lines;
}

function isProse(line: string): boolean {
  return line.trim() !== '' && !/^\s*(?:[-*+•] |\d+[.)] |#|>|\||```|~~~)|^ {4}|^\t/.test(line) && !/^-{3,}\s*$/.test(line) && !/^[A-Za-z-]+: /.test(line);
}

function wrapLine(line: string): string[] {
  const lead = /^\s*(?:[-*+•] |\d+[.)] |> )?/.exec(line)?.[0] ?? '';
  const hang = lead.startsWith('> ') ? '> ' : ' '.repeat(lead.length);
  const lines: string[] = [];
  let current = lead;
  for (const word of line.slice(lead.length).split(/\s+/).filter((w) => w !== '')) {
    const empty = current === lead || current === hang;
    if (!empty && width(current) + 1 + width(word) > BODY_WIDTH) {
      lines.push(current.trimEnd());
      current = hang + word;
    } else current += empty ? word : ` ${word}`;
  }
  return [...lines, current.trimEnd()];
}

/** Characters, not UTF-16 units. */
function width(text: string): number {
  return Array.from(text).length;
}

/** Line ends of every kind become newlines; characters that hide or forge lines go. */
function clean(text: string): string {
  return text
    .replace(/\r\n?|[\u000b\u000c\u0085\u2028\u2029]/g, '\n')
    .replace(/[\u0000-\u0008\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u200c\u200d](?=[\u0020-\u007e])/g, '');
}
