/**
 * git is read-only for agents: the harness commits, and a linked worktree shares branches, stash and config with the
 * person's checkout. These lists answer a simple command at once, and make the guard that commands find on their path.
 */

/** Subcommands that change nothing but, at most, a folder that they make themselves. */
export const READ_ONLY_GIT: readonly string[] = [
  'status', 'log', 'diff', 'show', 'blame', 'annotate', 'grep', 'ls-files', 'ls-tree', 'cat-file', 'rev-parse', 'rev-list', 'describe', 'merge-base', 'merge-file', 'shortlog', 'name-rev', 'for-each-ref', 'show-ref', 'show-branch', 'diff-tree', 'diff-index', 'diff-files', 'check-ignore', 'check-attr', 'check-mailmap', 'check-ref-format', 'var', 'version', 'help', 'archive', 'count-objects', 'cherry', 'range-diff', 'whatchanged', 'clone', 'ls-remote', 'patch-id', 'stripspace', 'interpret-trailers', 'verify-commit', 'verify-tag', 'column', 'get-tar-commit-id', 'mailinfo', 'mailsplit',
];

/** Subcommands that only read when the word after them is one of these, or nothing comes after where `''` stands. */
export const READ_ONLY_FORMS: Readonly<Record<string, readonly string[]>> = {
  branch: ['', '-a', '-r', '-v', '-vv', '--all', '--remotes', '--list', '-l', '--show-current', '--contains', '--merged', '--no-merged'],
  tag: ['', '-l', '--list', '--contains', '--points-at'],
  remote: ['', '-v', '--verbose', 'show', 'get-url'],
  stash: ['list', 'show'],
  worktree: ['list'],
  reflog: ['', 'show'],
  submodule: ['', 'status', 'summary'],
  notes: ['list', 'show'],
  bisect: ['log', 'view'],
  'sparse-checkout': ['list'],
};

/**
 * `git config` reads where none of `writes` stands and either one of `reads` does or there is a single name, as many
 * programs ask for a setting (`git config --local remote.origin.url`).
 */
export const CONFIG_WORDS = {
  reads: ['--get', '--get-all', '--get-regexp', '--get-urlmatch', '--get-color', '--get-colorbool', '--list', '-l', 'get', 'list'],
  writes: ['--add', '--append', '--replace-all', '--unset', '--unset-all', '--rename-section', '--remove-section', '--edit', '-e', 'set', 'unset', 'rename-section', 'remove-section', 'edit'],
  /** Take the next word as their value. */
  valued: ['-f', '--file', '--blob', '--type', '--default', '--comment', '--url', '--value'],
} as const;

/** Options of git itself that take the next word as their value. */
export const GIT_OPTIONS_WITH_VALUE: readonly string[] = ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--super-prefix', '--config-env', '--attr-source'];

/** What to do instead, for the model; null where the command is no git command or one that only reads. */
export function gitAdvice(args: readonly string[]): string | null {
  if (!isGit(args[0]) || isReadOnlyGit(args)) return null;
  const { name } = gitSubcommand(args);
  if (name === null) return null;
  return `git ${name} was not run: ${insteadOf(name)}`;
}

function isReadOnlyGit(args: readonly string[]): boolean {
  const { name, next, rest } = gitSubcommand(args);
  if (name === null) return true;
  if (READ_ONLY_GIT.includes(name)) return true;
  if (name === 'config') return isReadingConfig(rest);
  return Object.hasOwn(READ_ONLY_FORMS, name) && (READ_ONLY_FORMS[name]?.includes(next) ?? false);
}

/**
 * A read-only command that may be remembered: nothing in it can name a program to run, a file to write or another
 * repository, as `-c`, `--output`, `--ext-diff`, `-O` and `-C` do.
 */
export function isInspectingGit(args: readonly string[]): boolean {
  const [, name, ...rest] = args;
  if (name === undefined || name.startsWith('-') || FETCHING_GIT.includes(name) || !isReadOnlyGit(args)) return false;
  return !rest.some((arg) => /^(--output|--ext-diff|--textconv|--filters|--exec|--upload-pack|--remote|--open-files|--no-index|-O|-o|-c|-C)/.test(arg));
}

const FETCHING_GIT: readonly string[] = ['clone', 'ls-remote', 'archive', 'help', 'mailsplit', 'mailinfo', 'merge-file'];

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
  const is = (list: readonly string[]) => (word: string): boolean => list.includes(word);
  if (words.some(is(CONFIG_WORDS.writes))) return false;
  const names = words.filter((word, i) => !word.startsWith('-') && !is(CONFIG_WORDS.valued)(words[i - 1] ?? ''));
  return words.some(is(CONFIG_WORDS.reads)) || names.length === 1;
}

function gitSubcommand(args: readonly string[]): { readonly name: string | null; readonly next: string; readonly rest: readonly string[] } {
  for (let i = 1; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (GIT_OPTIONS_WITH_VALUE.includes(arg)) i++;
    else if (!arg.startsWith('-')) return { name: arg, next: args[i + 1] ?? '', rest: args.slice(i + 1) };
  }
  return { name: null, next: '', rest: [] };
}

function isGit(program: string | undefined): boolean {
  return program !== undefined && /(^|[/\\])git(\.exe)?$/.test(program);
}
