import { isInspectingGit } from './gitCommands.ts';
import { splitCommand } from './simpleCommand.ts';

/** Arguments of one simple command that the person said may always run in a repository, with anything after them. */
type CommandPrefix = readonly string[];

/**
 * Whether a remembered prefix lets a command run without asking: its arguments begin with exactly the prefix's, and it
 * is one simple command. A prefix that would let anything run is never honoured, wherever it came from.
 */
export function prefixAllows(prefix: CommandPrefix, command: string): boolean {
  const split = splitCommand(command);
  if (!split.simple || isTooBroad(prefix) || prefix.length > split.args.length) return false;
  const { inner } = behindRunners(split.args);
  return prefix.every((arg, i) => split.args[i] === arg) && (programOf(inner[0]) !== 'git' || isInspectingGit(inner));
}

/**
 * What "always run this here" would remember: as many arguments as say which task it is (`npm run lint`, `cargo test`,
 * `python -m pytest`), else the whole command. Null where nothing narrow enough can be said: then only this once.
 */
export function prefixToRemember(command: string): CommandPrefix | null {
  const split = splitCommand(command);
  if (!split.simple) return null;
  return propose(split.args);
}

/** Run whatever follows them, reach other machines, or destroy: asked about each time. */
const NEVER: ReadonlySet<string> = new Set([
  'sudo', 'doas', 'su', 'env', 'xargs', 'parallel', 'eval', 'exec', 'source', '.', 'command', 'builtin', 'trap', 'nohup', 'setsid', 'nice', 'ionice', 'timeout', 'watch', 'script', 'expect', 'find', 'fd', 'strace', 'ltrace', 'chroot', 'unshare', 'busybox', 'entr', 'flock', 'start', 'open', 'xdg-open',
  'stdbuf', 'unbuffer', 'chronic', 'caffeinate', 'taskset', 'chrt', 'numactl', 'prlimit', 'setarch', 'setpriv', 'systemd-run', 'systemd-inhibit', 'runuser', 'pkexec', 'gosu', 'su-exec', 'nsenter', 'bwrap', 'firejail', 'fakeroot', 'proot', 'faketime', 'perf', 'rr', 'valgrind', 'rlwrap', 'tmux', 'screen', 'tini', 'dumb-init', 'distrobox', 'toolbox', 'flatpak', 'snap', 'wsl',
  'dotenv', 'dotenvx', 'direnv', 'env-cmd', 'cross-env', 'cross-env-shell', 'envdir', 'doppler', 'op', 'chamber', 'aws-vault', 'conda', 'mamba', 'micromamba', 'nix', 'nix-shell', 'guix', 'devbox', 'asdf', 'volta', 'fnm', 'nvm', 'rbenv', 'pyenv', 'nodenv', 'goenv', 'rvm', 'rustup', 'corepack', 'ccache', 'sccache', 'bear', 'concurrently', 'nodemon', 'watchexec', 'hyperfine', 'foreman', 'overmind', 'honcho', 'lerna', 'rush',
  'ssh', 'scp', 'sftp', 'rsync', 'curl', 'wget', 'nc', 'ncat', 'socat', 'telnet', 'ftp', 'docker', 'docker-compose', 'podman', 'podman-compose', 'kubectl', 'helm', 'aws', 'gcloud', 'az', 'gh', 'glab', 'heroku', 'terraform', 'ansible', 'vagrant', 'systemctl', 'service', 'launchctl', 'crontab', 'at',
  'rm', 'rmdir', 'mv', 'cp', 'ln', 'dd', 'tee', 'truncate', 'shred', 'install', 'chmod', 'chown', 'chgrp', 'kill', 'pkill', 'killall', 'mount', 'umount', 'mkfs', 'fdisk', 'reboot', 'shutdown',
  'cmd', 'cmd.exe', 'powershell', 'powershell.exe', 'pwsh', 'osascript', 'rundll32', 'wscript', 'cscript', 'uvx', 'pipx', 'pnpx', 'bunx', 'pip', 'pip3', 'gem', 'brew', 'apt', 'apt-get', 'dnf', 'yum', 'pacman', 'choco', 'winget',
]);

/** Run the code or file that they are given. */
const INTERPRETERS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'fish', 'dash', 'ksh', 'ash', 'node', 'nodejs', 'deno', 'bun', 'tsx', 'ts-node', 'python', 'python2', 'python3', 'py', 'pypy', 'pypy3', 'ruby', 'perl', 'php', 'lua', 'luajit', 'java', 'rscript', 'julia', 'awk', 'gawk', 'mawk', 'sed', 'ed', 'ex', 'vi', 'vim', 'nvim', 'emacs', 'groovy', 'scala', 'kotlin', 'swift', 'elixir', 'erl', 'ghci', 'tclsh', 'gdb', 'lldb', 'sqlite3', 'psql', 'mysql']);

/** What comes after these first words is a command again. */
const RUNNERS: readonly (readonly string[])[] = [['bundle', 'exec'], ['poetry', 'run'], ['pipenv', 'run'], ['uv', 'run'], ['hatch', 'run'], ['pdm', 'run'], ['rye', 'run'], ['pixi', 'run'], ['pnpm', 'exec'], ['yarn', 'exec'], ['npx'], ['mise', 'exec', '--'], ['direnv', 'exec', '.'], ['dotenv', '--'], ['conda', 'run'], ['xvfb-run'], ['time']];

/** Their second word says what they do, and for some of them the third says which script. */
const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno', 'composer']);
const TOOLCHAINS: ReadonlySet<string> = new Set([...SCRIPT_RUNNERS, 'cargo', 'go', 'dotnet', 'mix', 'uv', 'poetry', 'pipenv', 'pdm', 'hatch', 'rye', 'pixi', 'bundle', 'flutter', 'dart', 'nx', 'turbo', 'rails', 'mise']);
/** These take a beginning for the whole word, or have names by the dozen: what is not known here may publish. */
const KNOWN_TASKS: Readonly<Record<string, readonly string[]>> = {
  npm: ['test', 't', 'tst', 'start', 'stop', 'restart', 'run', 'run-script', 'ls', 'list', 'outdated', 'explain', 'why', 'ci'],
  composer: ['test', 'lint', 'run', 'run-script', 'validate', 'show', 'outdated'],
  mise: ['run'],
};
/** Their `run` takes the name of what it runs. */
const RUN_NAMED: ReadonlySet<string> = new Set([...SCRIPT_RUNNERS, 'go', 'mise', 'mix', 'dart', 'nx', 'turbo']);
/** Bring in packages, and with them code of others, send something out, or run what comes after them. */
const REFUSED_TASKS: ReadonlySet<string> = new Set([
  'install', 'i', 'add', 'update', 'up', 'upgrade', 'exec', 'x', 'e', 'ex', 'exe', 'dlx', 'create', 'init', 'new', 'publish', 'unpublish', 'release', 'yank', 'login', 'logout', 'adduser', 'token', 'owner', 'access', 'team', 'org', 'hook', 'profile', 'dist-tag', 'dist-tags', 'tag', 'version', 'deprecate', 'undeprecate', 'star', 'unstar', 'config', 'set', 'env', 'use', 'self', 'source', 'link', 'unlink', 'require', 'global', 'remote', 'explore', 'eval', 'repl', 'fsi', 'script', 'shell', 'cmd', 'do', 'deploy', 'push', 'get', 'tool', 'plugin', 'policies', 'runner', 'console', 'toolchain', 'workspace', 'workspaces', 'recursive', 'run-many', 'watch', 'pub', 'npm', 'pip', 'pm', 'nuget', 'rum', 'urn',
]);
/** Their second word is a target or a task of their own, whatever it is called. */
const TARGET_RUNNERS: ReadonlySet<string> = new Set(['make', 'gmake', 'ninja', 'just', 'task', 'rake', 'gradle', 'gradlew', 'mvn', 'mvnw', 'ant', 'sbt', 'lein', 'vitest', 'cypress', 'golangci-lint', 'pre-commit']);

/** Modules of Python that run the file or code that they are given. */
const RUNNING_MODULES: ReadonlySet<string> = new Set(['pdb', 'cProfile', 'profile', 'trace', 'timeit', 'runpy', 'code', 'debugpy']);

function propose(args: readonly [string, ...string[]]): CommandPrefix | null {
  const { runners, inner } = behindRunners(args);
  const prefix = proposeInner(inner);
  return prefix === null ? null : [...runners, ...prefix];
}

/** The words of the runners that a command begins with, and the command that they run: at least a word, which may be the runner's own. */
function behindRunners(args: readonly [string, ...string[]]): { readonly runners: readonly string[]; readonly inner: readonly [string, ...string[]] } {
  const runner = RUNNERS.find((words) => words.every((word, i) => word === (i === 0 ? programOf(args[0]) : args[i])));
  const [first, ...rest] = args.slice(runner?.length ?? args.length);
  if (runner === undefined || first === undefined) return { runners: [], inner: args };
  const behind = behindRunners([first, ...rest]);
  return { runners: [...args.slice(0, runner.length), ...behind.runners], inner: behind.inner };
}

function proposeInner(args: readonly [string, ...string[]]): CommandPrefix | null {
  const [first, second, third] = args;
  const program = programOf(first);
  if (first.startsWith('-') || NEVER.has(program) || RUNNERS.some(([name, ...more]) => name === program && more.length === 0)) return null;
  if (program === 'git') return ofGit(args);
  if (TOOLCHAINS.has(program)) {
    // An option before the task would leave the task to whoever writes the next command.
    if (second === undefined || second.startsWith('-') || REFUSED_TASKS.has(second) || INTERPRETERS.has(programOf(second))) return null;
    if (Object.hasOwn(KNOWN_TASKS, program) && KNOWN_TASKS[program]?.includes(second) !== true) return null;
    const namesScript = second === 'run-script' || second === 'task' || (second === 'run' && RUN_NAMED.has(program));
    if (!namesScript) return RUNNERS.some((words) => words[0] === program && words[1] === second) ? null : [first, second];
    return third === undefined || third.startsWith('-') || INTERPRETERS.has(programOf(third)) ? null : [first, second, third];
  }
  if (INTERPRETERS.has(program)) return ofInterpreter(args);
  if (second === undefined) return [first];
  // A program that is not known may be one more that runs what comes after it.
  if (!TARGET_RUNNERS.has(program) && runsWhatFollows(second)) return null;
  // A word that reads like a task, and no file, folder or option.
  return /^[A-Za-z][\w:-]*$/.test(second) ? [first, second] : args;
}

function runsWhatFollows(word: string): boolean {
  const program = programOf(word);
  return ['run', 'exec', 'x', 'shell', '--', 'git'].includes(word) || NEVER.has(program) || INTERPRETERS.has(program) || TOOLCHAINS.has(program) || RUNNERS.some(([name]) => name === program);
}

/** `git log`, and of what may also write the word that reads: `git stash list`, `git config --get`. */
function ofGit(args: readonly [string, ...string[]]): CommandPrefix | null {
  if (!isInspectingGit(args)) return null;
  return isInspectingGit(args.slice(0, 2)) ? args.slice(0, 2) : args.slice(0, 3);
}

function ofInterpreter(args: readonly [string, ...string[]]): CommandPrefix | null {
  const [first, second, third] = args;
  if (second === undefined) return null;
  const program = programOf(first);
  if (second === '-m' && third !== undefined && program.startsWith('py')) return third.startsWith('-') || runsWhatFollows(third) || RUNNING_MODULES.has(third) ? null : [first, second, third];
  if (second === '--test' && program === 'node') return [first, second];
  // Other options may load or evaluate code; a script elsewhere is none of this repository.
  return /^(-|\/|~|\.\.)/.test(second) || second.includes('/../') ? null : [first, second];
}

/** What would not be remembered if it were asked about on its own. */
function isTooBroad([first, ...rest]: CommandPrefix): boolean {
  return first === undefined || propose([first, ...rest]) === null;
}

function programOf(word: string): string {
  // Many disks fold case, and `Sudo` is sudo there.
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1).toLowerCase().replace(/\.(exe|cmd|bat)$/, '');
  // `python3.12` is python3.
  return /^(python|pypy|ruby|php|lua)[\d.]+$/.test(name) ? name.replace(/[\d.]+$/, '') : name;
}
