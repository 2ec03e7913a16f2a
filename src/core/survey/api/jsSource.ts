/** JavaScript or TypeScript source with everything that is not code made blank, position for position. */
export interface JsSource {
  /** Comments and the content of templates and regular expressions are spaces; strings stay, since module names are strings. */
  readonly code: string;
  readonly comments: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

export function jsSource(text: string): JsSource {
  const out = text.split('');
  const comments: { start: number; end: number; text: string }[] = [];
  const blank = (from: number, to: number) => {
    for (let i = from; i < to; i++) if (out[i] !== '\n') out[i] = ' ';
  };
  /** Nesting of `${` in templates: for each, how many braces are open inside. */
  const templates: number[] = [];
  let i = 0;
  while (i < text.length) {
    const two = text.slice(i, i + 2);
    const c = text.charAt(i);
    if (two === '//' || (i === 0 && two === '#!')) {
      const end = endOf(text, '\n', i);
      blank(i, end);
      comments.push({ start: i, end, text: text.slice(i + 2, end) });
      i = end;
    } else if (two === '/*') {
      const at = text.indexOf('*/', i + 2);
      const end = at < 0 ? text.length : at + 2;
      blank(i, end);
      comments.push({ start: i, end, text: text.slice(i, end) });
      i = end;
    } else if (c === '"' || c === "'") i = endOfString(text, i);
    else if (c === '`') i = template(i + 1);
    else if (c === '}' && templates.at(-1) === 0) {
      templates.pop();
      i = template(i + 1);
    } else if (c === '/' && mayBeRegExp(out, i)) {
      const end = endOfRegExp(text, i);
      if (end > i) blank(i + 1, end);
      i = Math.max(end, i + 1);
    } else {
      const open = templates.length - 1;
      if (open >= 0 && c === '{') templates[open] = (templates[open] ?? 0) + 1;
      if (open >= 0 && c === '}') templates[open] = (templates[open] ?? 0) - 1;
      i++;
    }
  }
  return { code: out.join(''), comments };

  /** Blanks a template from inside; stops after its end, or after the `${` of an expression. */
  function template(from: number): number {
    for (let at = from; at < text.length; at++) {
      const c = text.charAt(at);
      if (c === '\\') at++;
      else if (c === '`') {
        blank(from, at);
        return at + 1;
      } else if (c === '$' && text.charAt(at + 1) === '{') {
        blank(from, at);
        templates.push(0);
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
function mayBeRegExp(out: readonly string[], at: number): boolean {
  let i = at - 1;
  while (i >= 0 && /[ \t\n\r]/.test(out[i] ?? '')) i--;
  if (i < 0) return true;
  const c = out[i] ?? '';
  if (/[(,=:[!&|?{};+\-*%~^<>]/.test(c)) return true;
  const word = /[\w$]+$/.exec(out.slice(Math.max(0, i - 10), i + 1).join(''))?.[0];
  return word !== undefined && ['return', 'typeof', 'case', 'in', 'of', 'do', 'else', 'void', 'delete', 'throw', 'new', 'await', 'yield'].includes(word);
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
