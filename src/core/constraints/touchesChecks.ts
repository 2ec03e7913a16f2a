import type { FilePath } from '../ids.ts';
import type { Constraint } from './constraint.ts';
import { configFilesOf, PACKAGE_MANIFEST, PACKAGE_RUNNERS, withoutWrappers } from './runners.ts';
import { simpleCommands } from './shellWords.ts';

/**
 * Which changed files decide what a check is or does: genesis.toml and other files that are in force by being there,
 * files that a constraint's command names, and the manifest and scripts that a known runner resolves (rule 5, B7). Such a
 * candidate always waits for a person. `read` gives a file of the version the constraints are of, null where it is not
 * there: the names are followed from what was accepted, not from what the candidate made of them.
 * Rather one file too many than one too few: a flag costs a look.
 */
export function touchesChecks(changed: readonly FilePath[], constraints: readonly Constraint[], read: (path: FilePath) => string | null): FilePath[] {
  const named: Named = { paths: new Set(), patterns: [], visited: new Set(), read };
  for (const constraint of constraints) follow(constraint.run, '', named);
  return changed.filter((path) => ALWAYS.test(path) || named.patterns.some((p) => p.test(path)) || isNamed(path, named.paths));
}

/** In force by being there, whatever the checks are: our own files, the editor's settings, hooks, pipelines. */
const ALWAYS = /^(genesis\.toml|\.worktreeinclude)$|(^|\/)\.vscode\/|(^|\/)(\.husky|\.githooks|git-?hooks|\.git-hooks|\.hooks)\/|^hooks\/|(^|\/)\.?lefthook(-local)?\.(ya?ml|toml|json)$|(^|\/)\.pre-commit-(config|hooks)\.yaml$|(^|\/)\.(simple-git-hooks|lintstagedrc|commitlintrc)[^/]*$|^\.github\/(workflows|actions|hooks)\/|^(\.gitlab-ci\.yml|azure-pipelines\.yml|Jenkinsfile|\.travis\.yml)$|^\.(circleci|buildkite|ci)\//;

/** Folders that hold what checks, rather than what is checked: `pytest tests` names its tests, `eslint src` does not own its sources. */
const CHECKING_FOLDER = /^(tests?|specs?|__tests__|e2e|checks?|scripts?|tools?|bin|ci|\.ci|hack)$/i;

interface Named {
  /** Repository-relative paths of files or folders. */
  readonly paths: Set<string>;
  readonly patterns: RegExp[];
  readonly visited: Set<string>;
  readonly read: (path: FilePath) => string | null;
}

function isNamed(path: FilePath, named: ReadonlySet<string>): boolean {
  if (named.has(path)) return true;
  const parts = path.split('/');
  return parts.some((_, i) => {
    const folder = parts.slice(0, i + 1);
    return i + 1 < parts.length && named.has(folder.join('/')) && folder.some((part) => CHECKING_FOLDER.test(part));
  });
}

function follow(line: string, folder: string, named: Named): void {
  const key = `${folder}\0${line}`;
  if (named.visited.has(key) || named.visited.size > 500) return;
  named.visited.add(key);
  let here: string | null = folder;
  for (const command of simpleCommands(line)) {
    const words = withoutWrappers(command.words);
    const [first, ...args] = words;
    for (const file of command.redirected) name(file, here, named);
    if (first === undefined) continue;
    if (first === 'cd' || first === 'pushd') {
      here = args[0] === undefined ? '' : within(here, args[0]);
      continue;
    }
    name(first.includes('/') ? first : null, here, named);
    followProgram(first.slice(first.lastIndexOf('/') + 1), args, here ?? '', named);
  }
}

function followProgram(program: string, args: readonly string[], here: string, named: Named): void {
  const pattern = configFilesOf(program);
  if (pattern) named.patterns.push(pattern);
  if (/^(ba|da|z|k)?sh$|^(cmd|pwsh|powershell)$/.test(program)) {
    const script = args[args.findIndex((a) => /^-\w*c$|^\/c$/i.test(a)) + 1];
    if (args.some((a) => /^-\w*c$|^\/c$/i.test(a)) && script !== undefined) {
      follow(script, here, named);
      return;
    }
  }
  if (PACKAGE_RUNNERS.includes(program)) {
    followPackage(program, args, here, named);
    return;
  }
  const subcommands = pattern !== null && SUBCOMMANDS.test(program);
  for (const arg of args) {
    const value = arg.startsWith('-') ? /^--?[\w-]+=(.+)$/.exec(arg)?.[1] ?? null : arg;
    // `cargo test` and `make check` name no folder `test` or `check`; `pytest tests` does.
    if (value !== null && (!subcommands || /[./]/.test(value))) name(value, here, named);
  }
  if (/^g?make$/.test(program)) followMakefile(within(here, optionValue(args, '-C', '--directory') ?? '.') ?? here, named);
}

const SUBCOMMANDS = /^(cargo|g?make|go|just|task|tox|nox|poetry|hatch|uv|rake|composer|gradlew?|mvnw?|dotnet|bazel|mix|swift|dart|flutter|deno)$/;

function followPackage(program: string, args: readonly string[], from: string, named: Named): void {
  const here = within(from, optionValue(args, '--prefix', '-C', '--cwd', '--dir') ?? '.') ?? from;
  const manifest = join(here, 'package.json');
  named.paths.add(manifest);
  // Run in other packages too: any of their manifests says what is run there.
  if (args.some((a) => /^(-r|--recursive|--workspaces?|-ws|-w|-F|--filter.*|workspaces?)$/.test(a)) || /^(turbo|nx|lerna|rush)$/.test(program)) named.patterns.push(PACKAGE_MANIFEST);
  const scripts = scriptsOf(named.read(manifest as FilePath));
  for (const arg of args.filter((a) => !a.startsWith('-'))) {
    for (const [script, line] of scripts) {
      const base = arg === 't' || arg === 'tst' ? 'test' : arg;
      // `run-s test:*` and quoted lines of concurrently (`"npm:test"`, a whole command) name scripts by pattern.
      const wanted = script === base || script === `pre${base}` || script === `post${base}` || `npm:${script}` === base || (base.endsWith('*') && script.startsWith(base.replace(/\*+$/, '')));
      if (wanted) follow(line, here, named);
    }
    if (arg.includes(' ')) follow(arg, here, named);
    else if (/[./]/.test(arg)) name(arg, here, named);
  }
}

function scriptsOf(text: string | null): [string, string][] {
  if (text === null) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    const scripts: unknown = typeof parsed === 'object' && parsed !== null && 'scripts' in parsed ? parsed.scripts : null;
    return typeof scripts === 'object' && scripts !== null ? Object.entries(scripts).filter((e): e is [string, string] => typeof e[1] === 'string') : [];
  } catch {
    return [];
  }
}

/** Every recipe counts: which target leads to which is make's business. */
function followMakefile(folder: string, named: Named): void {
  for (const name of ['GNUmakefile', 'makefile', 'Makefile']) {
    const text = named.read(join(folder, name) as FilePath);
    for (const line of (text ?? '').replace(/\\\n/g, ' ').split('\n')) {
      if (line.startsWith('\t')) follow(line.trim().replace(/^[@+-]+/, '').replaceAll('$(MAKE)', 'make'), folder, named);
    }
  }
}

function optionValue(args: readonly string[], ...names: string[]): string | null {
  for (const [i, arg] of args.entries()) {
    if (names.includes(arg)) return args[i + 1] ?? null;
    const long = names.find((n) => n.startsWith('--') && arg.startsWith(`${n}=`));
    if (long !== undefined) return arg.slice(long.length + 1);
  }
  return null;
}

function name(word: string | null, here: string | null, named: Named): void {
  if (word === null || word === '' || word.includes('$')) return;
  // Of a glob, the folder in which it looks.
  const path = within(here, /[*?{[]/.test(word) ? word.replace(/[^/]*[*?{[].*$/, '') : word);
  if (path !== null && path !== '') named.paths.add(path);
}

/** Null where the place is not known or lies outside the repository. */
function within(here: string | null, path: string): string | null {
  if (here === null || path.startsWith('/') || path.startsWith('~') || path.includes('$')) return null;
  const parts = here === '' ? [] : here.split('/');
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

function join(folder: string, file: string): string {
  return folder === '' ? file : `${folder}/${file}`;
}
