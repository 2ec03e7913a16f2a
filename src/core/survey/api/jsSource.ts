/** JavaScript or TypeScript source with everything that is not code made blank, position for position. */
export interface JsSource {
  /** Comments and the content of templates and regular expressions are spaces; strings stay, since module names are strings. */
  readonly code: string;
  readonly comments: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

export function jsSource(text: string): JsSource {
  const parts: string[] = [];
  const comments: { start: number; end: number; text: string }[] = [];
  /** Nesting of `${` in templates: for each, how many braces are open inside. */
  const templates: number[] = [];
  /** The last code before here, which tells a regular expression from a division. */
  let before = '';
  let copied = 0;
  const blank = (from: number, to: number) => {
    parts.push(text.slice(copied, from), text.slice(from, to).replace(/[^\n]/g, ' '));
    copied = to;
  };
  // Most of a file is neither quote nor comment: skipped at once.
  const plain = /[^/"'`{}]+/y;
  let i = 0;
  if (text.startsWith('#!')) {
    i = endOf(text, '\n', 0);
    blank(0, i);
  }
  while (i < text.length) {
    plain.lastIndex = i;
    const run = plain.exec(text)?.[0] ?? '';
    i += run.length;
    if (/\S/.test(run)) before = run.trimEnd().slice(-12);
    if (i >= text.length) break;
    const c = text.charAt(i);
    const next = text.charAt(i + 1);
    if (c === '/' && next === '/') i = comment(i, endOf(text, '\n', i));
    else if (c === '/' && next === '*') i = comment(i, text.includes('*/', i + 2) ? text.indexOf('*/', i + 2) + 2 : text.length);
    else if (c === '"' || c === "'") {
      i = endOfString(text, i);
      before = c;
    } else if (c === '`') i = template(i + 1);
    else if (c === '}' && templates.at(-1) === 0) {
      templates.pop();
      i = template(i + 1);
    } else if (c === '/' && mayBeRegExp(before) && endOfRegExp(text, i) > i) {
      const end = endOfRegExp(text, i);
      blank(i + 1, end);
      i = end;
      before = ')';
    } else {
      const open = templates.length - 1;
      if (open >= 0 && c === '{') templates[open] = (templates[open] ?? 0) + 1;
      if (open >= 0 && c === '}') templates[open] = (templates[open] ?? 0) - 1;
      before = c;
      i++;
    }
  }
  parts.push(text.slice(copied));
  return { code: parts.join(''), comments };

  function comment(start: number, end: number): number {
    blank(start, end);
    comments.push({ start, end, text: text.slice(start, end) });
    return end;
  }

  /** Blanks a template from inside; stops after its end, or after the `${` of an expression. */
  function template(from: number): number {
    for (let at = from; at < text.length; at++) {
      const c = text.charAt(at);
      if (c === '\\') at++;
      else if (c === '`') {
        blank(from, at);
        before = ')';
        return at + 1;
      } else if (c === '$' && text.charAt(at + 1) === '{') {
        blank(from, at);
        templates.push(0);
        before = '{';
        return at + 2;
      }
    }
    blank(from, text.length);
    return text.length;
  }
}

/** The text of the doc comment right before a position: decorators and line ends may stand between. Null where there is none. */
export function docBefore({ code, comments }: JsSource, position: number): string | null {
  const comment = comments.findLast((c) => c.end <= position && code.slice(c.end, position).trim() === '');
  return comment?.text.startsWith('/**') ? commentText(comment.text) : null;
}

/** What a block comment says, without its stars. */
export function commentText(comment: string): string {
  return comment.replace(/^\/\*+/, '').replace(/\*+\/$/, '').split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trimEnd()).join('\n').trim();
}

function endOf(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}

/** A string that is not closed ends with its line: one odd quote must not swallow the file. */
function endOfString(text: string, open: number): number {
  const quote = text.charAt(open);
  for (let i = open + 1; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === '\\') i++;
    else if (c === quote) return i + 1;
    else if (c === '\n') return i;
  }
  return text.length;
}

/** A slash begins a regular expression where an expression may begin: after an operator, a bracket or a word like `return`. */
function mayBeRegExp(before: string): boolean {
  const word = /[\w$]+$/.exec(before)?.[0];
  if (word !== undefined) return ['return', 'typeof', 'case', 'in', 'of', 'do', 'else', 'void', 'delete', 'throw', 'new', 'await', 'yield'].includes(word);
  return before === '' || /[(,=:[!&|?{};+\-*%~^<>]$/.test(before);
}

/** Position after the closing slash; `open` where the line ends first, which makes it a division. */
function endOfRegExp(text: string, open: number): number {
  let inClass = false;
  for (let i = open + 1; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === '\n') return open;
    if (c === '\\') i++;
    else if (c === '[') inClass = true;
    else if (c === ']') inClass = false;
    else if (c === '/' && !inClass) return i + 1;
  }
  return open;
}
