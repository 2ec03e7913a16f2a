/**
 * git is read-only for agents: the harness commits, and a linked worktree shares branches, stash and config with the
 * person's checkout. These lists answer a simple command at once, and make the guard that commands find on their path.
 * Where a subcommand also writes, every word must be known: git takes options abbreviated, bundled and anywhere.
 */

/** Subcommands that change nothing of a repository; without `WRITING_OPTIONS`, at most a file or folder that is all that they are for. */
export const READ_ONLY_GIT: readonly string[] = [
  'status', 'log', 'diff', 'show', 'blame', 'annotate', 'grep', 'ls-files', 'ls-tree', 'cat-file', 'rev-parse', 'rev-list', 'describe', 'merge-base', 'merge-file', 'shortlog', 'name-rev', 'for-each-ref', 'show-ref', 'show-branch', 'diff-tree', 'diff-index', 'diff-files', 'check-ignore', 'check-attr', 'check-mailmap', 'check-ref-format', 'var', 'version', 'help', 'archive', 'count-objects', 'cherry', 'range-diff', 'whatchanged', 'clone', 'ls-remote', 'patch-id', 'stripspace', 'verify-commit', 'verify-tag', 'column', 'get-tar-commit-id', 'mailinfo', 'mailsplit',
];

/**
 * Options of these by which they write a file or run a program where they would only print. `-O`, bundled or not, is the
 * second for grep.
 */
export const WRITING_OPTIONS: readonly string[] = ['--output', '--open-files-in-pager'];

interface ReadOnlyForm {
  readonly subcommand: string;
  /** The word after the subcommand; `''` where nothing comes after. */
  readonly first: readonly string[];
  /** What may follow. One that ends in `=` has its value joined. */
  readonly options: readonly string[];
  /** Whether words that are no options may follow: those of a list are patterns, where there is none they may be what is made. */
  readonly names: boolean;
}

const LISTED_BRANCHES = ['-a', '-r', '-v', '-vv', '--all', '--remotes', '--verbose', '--no-color', '--format=', '--sort='];
const LISTING = ['-l', '--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'];

export const READ_ONLY_FORMS: readonly ReadOnlyForm[] = [
  { subcommand: 'branch', first: ['', '--show-current', ...LISTED_BRANCHES], options: LISTED_BRANCHES, names: false },
  { subcommand: 'branch', first: LISTING, options: [...LISTING, ...LISTED_BRANCHES], names: true },
  { subcommand: 'tag', first: ['', '--format=', '--sort='], options: ['--format=', '--sort='], names: false },
  { subcommand: 'tag', first: LISTING, options: [...LISTING, '-n', '--format=', '--sort='], names: true },
  { subcommand: 'remote', first: ['', '-v', '--verbose', 'show'], options: [], names: false },
  { subcommand: 'remote', first: ['get-url'], options: ['--all', '--push'], names: true },
  { subcommand: 'stash', first: ['list'], options: ['--oneline', '--stat', '-p', '--format=', '--date='], names: false },
  { subcommand: 'stash', first: ['show'], options: ['-p', '--patch', '--stat', '--name-only', '--name-status', '-u', '--include-untracked'], names: true },
  { subcommand: 'worktree', first: ['list'], options: ['--porcelain', '-z', '-v', '--verbose'], names: false },
  { subcommand: 'reflog', first: [''], options: [], names: false },
  { subcommand: 'reflog', first: ['show'], options: ['--all', '--oneline', '-n', '--format=', '--date='], names: true },
  { subcommand: 'submodule', first: ['', 'status', 'summary'], options: ['--recursive', '--cached'], names: true },
  { subcommand: 'notes', first: ['list', 'show'], options: [], names: true },
  { subcommand: 'bisect', first: ['log'], options: [], names: false },
  { subcommand: 'sparse-checkout', first: ['list'], options: [], names: false },
];

/**
 * `git config` reads where every word is known and either one of `reads` stands or there is a single name, as many
 * programs ask for a setting (`git config --local remote.origin.url`). Newer gits have words for it (`git config get`),
 * which are what they seem only in first place.
 */
export const CONFIG_WORDS = {
  firstReads: ['get', 'list'],
  reads: ['--get', '--get-all', '--get-regexp', '--get-urlmatch', '--get-color', '--get-colorbool', '--list', '-l'],
  options: ['--local', '--global', '--system', '--worktree', '--bool', '--int', '--bool-or-int', '--bool-or-str', '--path', '--expiry-date', '-z', '--null', '--name-only', '--show-origin', '--show-scope', '--includes', '--no-includes', '--all', '--regexp', '--show-names', '--fixed-value', '--type=', '--file=', '--blob=', '--default=', '--url=', '--value='],
  /** Take the next word as their value. */
  valued: ['-f', '--file', '--blob', '--type', '--default'],
} as const;

/** Options of git itself that take the next word as their value. */
export const GIT_OPTIONS_WITH_VALUE: readonly string[] = ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--super-prefix', '--config-env', '--attr-source', '--shallow-file'];

/** What to do instead, for the model; null where the command is no git command or one that only reads. */
export function gitAdvice(args: readonly string[]): string | null {
  if (!isGit(args[0]) || isReadOnlyGit(args)) return null;
  const { name } = gitSubcommand(args);
  if (name === null) return null;
  return `git ${name} was not run: ${insteadOf(name)}`;
}

function isReadOnlyGit(args: readonly string[]): boolean {
  const { name, rest } = gitSubcommand(args);
  if (name === null) return true;
  if (READ_ONLY_GIT.includes(name)) return !rest.some((word) => abbreviates(WRITING_OPTIONS, word) || (name === 'grep' && bundlesPager(word)));
  return name === 'config' ? isReadingConfig(rest) : isReadOnlyForm(name, rest);
}

function isReadOnlyForm(name: string, [first = '', ...more]: readonly string[]): boolean {
  const form = READ_ONLY_FORMS.find((one) => one.subcommand === name && isOneOf(one.first, first));
  return form !== undefined && more.every((word) => isOneOf(form.options, word) || (form.names && !word.startsWith('-')));
}

/** What `git config` may be told besides the name that it looks for is more than can be said of a remembered command. */
function isInspectingConfig([first, ...names]: readonly string[]): boolean {
  return first === '--get' && names.every((name) => !name.startsWith('-'));
}

/** Subcommands that may be remembered: they make nothing, and reach no other machine. */
const INSPECTING_GIT: readonly string[] = ['status', 'log', 'diff', 'show', 'blame', 'annotate', 'grep', 'ls-files', 'ls-tree', 'cat-file', 'rev-parse', 'rev-list', 'describe', 'merge-base', 'shortlog', 'name-rev', 'for-each-ref', 'show-ref', 'diff-tree', 'diff-index', 'diff-files', 'check-ignore', 'check-attr', 'count-objects', 'cherry', 'range-diff', 'whatchanged', 'version'];
/** What these subcommands have besides that runs a program, or looks at something that is not of the repository. */
const REACHING_OPTIONS: readonly string[] = ['--ext-diff', '--textconv', '--filters', '--no-index'];

/** A read-only command that may be remembered: nothing in it can name a program to run, a file to write or another repository. */
export function isInspectingGit(args: readonly string[]): boolean {
  const [, name, ...rest] = args;
  if (name === undefined || rest.some(looksElsewhere)) return false;
  if (name === 'config') return isInspectingConfig(rest);
  if (!INSPECTING_GIT.includes(name)) return isReadOnlyForm(name, rest);
  return !rest.some((word) => abbreviates(WRITING_OPTIONS, word) || abbreviates(REACHING_OPTIONS, word) || bundlesPager(word));
}

/** git takes any beginning of an option's name. */
function abbreviates(options: readonly string[], word: string): boolean {
  const [beginning = ''] = word.split('=', 1);
  return /^--./.test(beginning) && options.some((option) => option.startsWith(beginning));
}

function bundlesPager(word: string): boolean {
  return /^-[^-].*O|^-O/.test(word);
}

/** A path out of the folder, alone or as an option's value: `git diff` reads any two files. */
function looksElsewhere(word: string): boolean {
  return /(^|=|^-\w)(\/|~|[A-Za-z]:[/\\])/.test(word) || /(^|[=/\\])\.\.([/\\]|$)/.test(word);
}

export function insteadOf(subcommand: string): string {
  switch (subcommand) {
    case 'add': case 'commit': case 'rm': case 'mv':
      return 'git is read-only here, and everything that you change in your folder becomes your change by itself. Use mv and rm for files, and call finish when you are done.';
    case 'checkout': case 'restore': case 'switch': case 'reset': case 'clean': case 'read-tree': case 'checkout-index':
      return 'git is read-only here. To put a file back as it was, run `git show HEAD:PATH > PATH` with its path from the repository root; to look at another version, run `git show COMMIT:PATH`.';
    case 'stash':
      return 'git is read-only here. Your worktree is your own, nobody else changes it: just go on, and undo by editing.';
    case 'push': case 'pull': case 'fetch': case 'merge': case 'rebase': case 'cherry-pick': case 'revert': case 'am':
      return 'git is read-only here. Your change is carried over to the branch when it is accepted; work on the files as they are.';
    case 'apply':
      return 'git is read-only here. Use edit_file, or `patch -p1 < FILE`.';
    default:
      return 'git is read-only here. Edit files with the tools, and call finish when you are done.';
  }
}

function isReadingConfig(words: readonly string[]): boolean {
  const [first = ''] = words;
  const readsByWord = isOneOf(CONFIG_WORDS.firstReads, first);
  // `edit`, `unset` and the like, of which there will be more.
  if (!readsByWord && !first.startsWith('-') && !first.includes('.')) return false;
  let reads = readsByWord;
  let names = 0;
  for (let i = readsByWord ? 1 : 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (isOneOf(CONFIG_WORDS.reads, word)) reads = true;
    else if (isOneOf(CONFIG_WORDS.valued, word)) i++;
    else if (!word.startsWith('-')) names += word.includes('.') ? 1 : 2;
    else if (!isOneOf(CONFIG_WORDS.options, word)) return false;
  }
  return reads || names === 1;
}

function isOneOf(known: readonly string[], word: string): boolean {
  return known.some((one) => one === word || (one.endsWith('=') && word.startsWith(one)));
}

function gitSubcommand(args: readonly string[]): { readonly name: string | null; readonly rest: readonly string[] } {
  for (let i = 1; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (GIT_OPTIONS_WITH_VALUE.includes(arg)) i++;
    else if (!arg.startsWith('-')) return { name: arg, rest: args.slice(i + 1) };
  }
  return { name: null, rest: [] };
}

function isGit(program: string | undefined): boolean {
  return program !== undefined && /(^|[/\\])git(\.exe)?$/i.test(program);
}
