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
  return prefix.every((arg, i) => split.args[i] === arg) && (programOf(split.args[0]) !== 'git' || isInspectingGit(split.args));
}

/**
 * What "always run this here" would remember: as many arguments as say which task it is (`npm run lint`, `cargo test`,
 * `python -m pytest`), else the whole command. Null where nothing narrow enough can be said: then only this once.
 */
export function prefixToRemember(command: string): CommandPrefix | null {
  const split = splitCommand(command);
  if (!split.simple) return null;
  const prefix = propose(split.args);
  return prefix === null || isTooBroad(prefix) ? null : prefix;
}

/** Run whatever follows them, reach other machines, or destroy: asked about each time. */
const NEVER: ReadonlySet<string> = new Set([
  'sudo', 'doas', 'su', 'env', 'xargs', 'parallel', 'eval', 'exec', 'source', '.', 'command', 'builtin', 'trap', 'nohup', 'setsid', 'nice', 'ionice', 'timeout', 'watch', 'script', 'expect', 'find', 'fd', 'strace', 'ltrace', 'chroot', 'unshare', 'busybox', 'entr', 'flock', 'start', 'open', 'xdg-open',
  'ssh', 'scp', 'sftp', 'rsync', 'curl', 'wget', 'nc', 'ncat', 'socat', 'telnet', 'ftp', 'docker', 'podman', 'kubectl', 'helm', 'aws', 'gcloud', 'az', 'gh', 'glab', 'heroku', 'terraform', 'ansible', 'vagrant', 'systemctl', 'service', 'launchctl', 'crontab', 'at',
  'rm', 'rmdir', 'mv', 'cp', 'ln', 'dd', 'tee', 'truncate', 'shred', 'install', 'chmod', 'chown', 'chgrp', 'kill', 'pkill', 'killall', 'mount', 'umount', 'mkfs', 'fdisk', 'reboot', 'shutdown',
  'cmd', 'cmd.exe', 'powershell', 'powershell.exe', 'pwsh', 'osascript', 'rundll32', 'wscript', 'cscript', 'uvx', 'pipx', 'pnpx', 'bunx', 'pip', 'pip3', 'gem', 'brew', 'apt', 'apt-get', 'dnf', 'yum', 'pacman', 'choco', 'winget',
]);

/** Run the code or file that they are given. */
const INTERPRETERS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'fish', 'dash', 'ksh', 'ash', 'node', 'nodejs', 'deno', 'bun', 'tsx', 'ts-node', 'python', 'python2', 'python3', 'py', 'pypy', 'pypy3', 'ruby', 'perl', 'php', 'lua', 'luajit', 'java', 'Rscript', 'julia', 'awk', 'gawk', 'mawk', 'sed', 'ed', 'ex', 'vi', 'vim', 'nvim', 'emacs', 'groovy', 'scala', 'kotlin', 'swift', 'elixir', 'erl', 'ghci', 'tclsh', 'gdb', 'lldb', 'sqlite3', 'psql', 'mysql']);

/** What comes after these first words is a command again. */
const RUNNERS: readonly (readonly string[])[] = [['bundle', 'exec'], ['poetry', 'run'], ['pipenv', 'run'], ['uv', 'run'], ['hatch', 'run'], ['pdm', 'run'], ['rye', 'run'], ['pixi', 'run'], ['pnpm', 'exec'], ['yarn', 'exec'], ['npx'], ['mise', 'exec', '--'], ['direnv', 'exec', '.'], ['dotenv', '--']];

/** Their second word says what they do, and for some of them the third says which script. */
const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno', 'composer']);
const TOOLCHAINS: ReadonlySet<string> = new Set([...SCRIPT_RUNNERS, 'cargo', 'rustup', 'go', 'dotnet', 'mix', 'uv', 'poetry', 'pipenv', 'pdm', 'hatch', 'bundle', 'flutter', 'dart', 'nx', 'turbo', 'rails', 'mise']);
/** Bring in packages, and with them code of others, or send something out. */
const FETCHING: ReadonlySet<string> = new Set(['install', 'i', 'add', 'update', 'up', 'upgrade', 'exec', 'x', 'dlx', 'create', 'init', 'publish', 'login', 'logout', 'adduser', 'token', 'config', 'set', 'link', 'require', 'global', 'remote', 'explore', 'eval', 'repl', 'deploy', 'push', 'get', 'tool', 'runner', 'console', 'toolchain']);

function propose(args: readonly [string, ...string[]]): CommandPrefix | null {
  const [first, second, third] = args;
  const program = programOf(first);
  if (NEVER.has(program)) return null;
  if (program === 'git') return isInspectingGit(args) && second !== undefined ? [first, second] : null;
  for (const runner of RUNNERS) {
    if (!runner.every((word, i) => args[i] === word)) continue;
    const [inner, ...rest] = args.slice(runner.length);
    if (inner === undefined || inner.startsWith('-')) return null;
    const innerPrefix = propose([inner, ...rest]);
    return innerPrefix === null ? null : [...runner, ...innerPrefix];
  }
  if (TOOLCHAINS.has(program)) {
    // An option before the task would leave the task to whoever writes the next command.
    if (second === undefined || second.startsWith('-') || FETCHING.has(second)) return null;
    const namesScript = second === 'run-script' || second === 'task' || (second === 'run' && (SCRIPT_RUNNERS.has(program) || program === 'go'));
    if (!namesScript) return [first, second];
    return third === undefined || third.startsWith('-') ? null : [first, second, third];
  }
  if (INTERPRETERS.has(program)) return ofInterpreter(args);
  if (second === undefined) return [first];
  // A word that reads like a task, and no file, folder or option.
  return /^[A-Za-z][\w:-]*$/.test(second) ? [first, second] : args;
}

function ofInterpreter(args: readonly [string, ...string[]]): CommandPrefix | null {
  const [first, second, third] = args;
  if (second === undefined) return null;
  const program = programOf(first);
  if (second === '-m' && third !== undefined && program.startsWith('py')) return third === 'pip' || third.startsWith('-') ? null : [first, second, third];
  if (second === '--test' && program === 'node') return [first, second];
  // Other options may load or evaluate code; a script elsewhere is none of this repository.
  return /^(-|\/|~|\.\.)/.test(second) || second.includes('/../') ? null : [first, second];
}

/** A program that runs whatever it is given must not be remembered on its own. */
function isTooBroad(prefix: CommandPrefix): boolean {
  const [first] = prefix;
  if (first === undefined) return true;
  const program = programOf(first);
  if (NEVER.has(program)) return true;
  const generic = INTERPRETERS.has(program) || TOOLCHAINS.has(program) || program === 'git' || RUNNERS.some((runner) => runner[0] === program);
  if (!generic) return false;
  if (prefix.length === 1) return true;
  return RUNNERS.some((runner) => runner.length >= prefix.length && prefix.every((word, i) => runner[i] === word));
}

function programOf(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1).replace(/\.(exe|cmd|bat)$/i, '');
  // `python3.12` is python3.
  return /^(python|pypy|ruby|php|lua)[\d.]+$/.test(name) ? name.replace(/[\d.]+$/, '') : name;
}
