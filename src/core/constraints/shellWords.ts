/** One simple command of a shell line: its words without quotes. Assignments before it and redirections are left out of `words`. */
interface SimpleCommand {
  readonly words: readonly string[];
  /** Files that it reads from or writes to. */
  readonly redirected: readonly string[];
}

/**
 * The simple commands of a shell line, in order, as far as they can be told without running it. Good enough to find
 * which files a command names; never a judgement on whether it is safe to run.
 */
export function simpleCommands(line: string): SimpleCommand[] {
  const commands: { words: string[]; redirected: string[] }[] = [];
  let current: { words: string[]; redirected: string[] } = { words: [], redirected: [] };
  let redirect = false;
  const end = () => {
    if (current.words.length > 0 || current.redirected.length > 0) commands.push(current);
    current = { words: [], redirected: [] };
  };
  for (const token of tokens(line)) {
    if (token.kind === 'word') {
      if (redirect) current.redirected.push(token.text);
      else if (current.words.length > 0 || !/^[A-Za-z_]\w*=/.test(token.text)) current.words.push(token.text);
      redirect = false;
    } else if (/[<>]/.test(token.text)) redirect = true;
    else end();
  }
  end();
  return commands;
}

type Token = { readonly kind: 'word' | 'operator'; readonly text: string };

function tokens(line: string): Token[] {
  const found: Token[] = [];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) found.push({ kind: 'word', text: word });
    word = null;
  };
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (c === "'" || c === '"') {
      const close = closingQuote(line, i);
      word = (word ?? '') + line.slice(i + 1, close).replace(c === '"' ? /\\(["\\$`])/g : /$^/, '$1');
      i = close;
    } else if (c === '\\' && i + 1 < line.length) {
      word = (word ?? '') + line.charAt(++i).replace('\n', '');
    } else if (/[;&|()<>\n`]/.test(c)) {
      // `2>` belongs to the redirection, not to a word.
      if (/[<>]/.test(c) && word !== null && /^\d$/.test(word)) word = null;
      endWord();
      found.push({ kind: 'operator', text: c });
    } else if (c === '#' && word === null) {
      const newline = line.indexOf('\n', i);
      i = newline < 0 ? line.length : newline - 1;
    } else if (/\s/.test(c)) endWord();
    else word = (word ?? '') + c;
  }
  endWord();
  return found;
}

function closingQuote(line: string, open: number): number {
  const quote = line.charAt(open);
  for (let i = open + 1; i < line.length; i++) {
    if (quote === '"' && line.charAt(i) === '\\') i++;
    else if (line.charAt(i) === quote) return i;
  }
  return line.length;
}
