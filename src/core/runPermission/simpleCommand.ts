/** A shell command as its arguments, or why it is not one simple command. */
type SplitCommand =
  | { readonly simple: true; /** At least one. */ readonly args: readonly [string, ...string[]] }
  | { readonly simple: false; readonly why: string };

/**
 * Splits one simple command as a POSIX shell would. Anything by which a shell does more than pass on words — operators,
 * substitution, redirection, assignment, patterns, several lines — is not simple: what would run cannot be told from
 * the words then. When in doubt it is not simple.
 */
export function splitCommand(command: string): SplitCommand {
  const text = command.trim();
  const args: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === ' ' || c === '\t') {
      if (word !== null) args.push(word);
      word = null;
    } else if (c === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return notSimple('a quote is not closed');
      const inside = text.slice(at + 1, end);
      if (hasControl(inside)) return notSimple('it has several lines');
      word = (word ?? '') + inside;
      at = end;
    } else if (c === '"') {
      const quoted = doubleQuoted(text, at + 1);
      if (typeof quoted === 'string') return notSimple(quoted);
      word = (word ?? '') + quoted.inside;
      at = quoted.end;
    } else if (c === '\\') {
      const next = text.charAt(++at);
      if (next === '' || hasControl(next)) return notSimple('it has several lines');
      word = (word ?? '') + next;
    } else {
      const why = special(c, word === null, text.charAt(at - 1));
      if (why !== null) return notSimple(why);
      word = (word ?? '') + c;
    }
  }
  if (word !== null) args.push(word);
  const [program, ...rest] = args;
  if (program === undefined || program === '') return notSimple('it is empty');
  if (program.includes('=')) return notSimple('it sets a variable');
  if (RESERVED.has(program)) return notSimple('it is a shell construct');
  return { simple: true, args: [program, ...rest] };
}

const RESERVED: ReadonlySet<string> = new Set(['!', 'if', 'then', 'else', 'elif', 'fi', 'do', 'done', 'case', 'esac', 'while', 'until', 'for', 'in', 'function', 'select', 'time', 'coproc', '[[', ']]']);

function special(c: string, startsWord: boolean, before: string): string | null {
  if (hasControl(c)) return 'it has several lines';
  if (';|&'.includes(c)) return 'it has operators';
  if ('<>'.includes(c)) return 'it redirects input or output';
  if ('$`'.includes(c)) return 'it has a substitution';
  if ('(){}'.includes(c)) return 'it has groups or braces';
  if ('*?['.includes(c)) return 'it has patterns';
  if (c === '~' && (startsWord || before === '=' || before === ':')) return 'it names a home folder';
  if (c === '#' && startsWord) return 'it has a comment';
  return null;
}

/** The text up to the closing quote, with that quote's offset; words where a shell would put something in. */
function doubleQuoted(text: string, from: number): { readonly inside: string; readonly end: number } | string {
  let inside = '';
  for (let at = from; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === '"') return { inside, end: at };
    if (c === '$' || c === '`') return 'it has a substitution';
    if (hasControl(c)) return 'it has several lines';
    const next = text.charAt(at + 1);
    if (c === '\\' && '"\\$`'.includes(next) && next !== '') {
      inside += next;
      at++;
    } else if (c === '\\' && hasControl(next)) return 'it has several lines';
    else inside += c;
  }
  return 'a quote is not closed';
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function notSimple(why: string): SplitCommand {
  return { simple: false, why };
}
