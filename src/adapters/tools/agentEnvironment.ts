import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandEnvironment } from '../commands/commandEnvironment.ts';

/** The environment of an agent's command: that of any command of the repository, and what keeps an agent's from harm. */
export function agentEnvironment(inherited: NodeJS.ProcessEnv, options: { readonly worktree: string; /** Put first on the path; null where there is no guard. */ readonly guard: string | null }): Record<string, string> {
  const environment = commandEnvironment(inherited);
  const pathName = Object.keys(environment).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  if (options.guard !== null) environment[pathName] = [options.guard, environment[pathName]].filter((p) => p !== undefined && p !== '').join(path.delimiter);
  return {
    ...environment,
    // Agents are told to put scratch files there, and not every system sets it.
    TMPDIR: environment['TMPDIR'] ?? tmpdir(),
    // A repository above the worktree is none of the agent's business.
    GIT_CEILING_DIRECTORIES: path.dirname(options.worktree),
    // Nothing may wait for a person: no prompt, no editor, no pager.
    GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', GIT_PAGER: 'cat', EDITOR: 'true', VISUAL: 'true', PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
    TERM: 'dumb', NO_COLOR: '1',
  };
}
