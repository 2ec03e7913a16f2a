import { splitCommand } from '../runPermission/simpleCommand.ts';
import type { RepositoryFacts } from './repositoryFacts.ts';

/** Programs that an agent would start: those of the commands that the repository declares, and what its languages are run with. */
export function programsFor({ commands, languages }: RepositoryFacts): readonly string[] {
  // Of a line that is more than one simple command nothing is said: its first word may be the shell's.
  const declared = commands.flatMap(({ run }) => {
    const split = splitCommand(run);
    return split.simple && !OF_THE_SHELL.has(split.args[0]) ? [split.args[0]] : [];
  });
  // A path is looked up in the worktree, not on the path.
  return [...new Set([...declared, ...languages.flatMap((language) => RUN_WITH[language] ?? [])])].filter((name) => /^[\w.+-]+$/.test(name));
}

/** What an agent is told of them; null where everything is there. */
export function programsNote(programs: readonly string[], there: ReadonlySet<string>): string | null {
  const missing = programs.filter((name) => !there.has(name));
  if (missing.length === 0) return null;
  const found = programs.filter((name) => there.has(name));
  return `Not on the path of your commands: ${missing.join(', ')}. ${found.length === 0 ? '' : `There are: ${found.join(', ')}. `}What is missing may come with the project's dependencies.`;
}

const OF_THE_SHELL: ReadonlySet<string> = new Set([
  '.', 'alias', 'bg', 'bind', 'break', 'builtin', 'caller', 'cd', 'command', 'continue', 'declare', 'dirs', 'echo', 'eval', 'exec', 'exit', 'export', 'false', 'fg', 'getopts', 'hash', 'help', 'history', 'jobs', 'kill', 'let', 'local', 'mapfile', 'popd', 'printf', 'pushd', 'pwd', 'read', 'readarray', 'readonly', 'return', 'set', 'shift', 'shopt', 'source', 'suspend', 'test', 'times', 'trap', 'true', 'type', 'typeset', 'ulimit', 'umask', 'unalias', 'unset', 'wait',
]);

const RUN_WITH: Readonly<Record<string, readonly string[]>> = {
  TypeScript: ['node', 'npm'], JavaScript: ['node', 'npm'], Vue: ['node', 'npm'], Svelte: ['node', 'npm'],
  Python: ['python', 'python3', 'pip'], Rust: ['cargo'], Go: ['go'], Ruby: ['ruby', 'bundle'], PHP: ['php', 'composer'],
  Java: ['java'], Kotlin: ['java'], Scala: ['java'], 'C#': ['dotnet'], 'F#': ['dotnet'], Swift: ['swift'], Dart: ['dart'], Elixir: ['mix'], Haskell: ['ghc'],
  C: ['cc', 'make'], 'C++': ['c++', 'make'],
};
