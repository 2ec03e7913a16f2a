/**
 * How every call of git is made (rule 11). Each flag names what it keeps from happening:
 * - fsmonitor, hooksPath, diff.external: a repository's config must not run programs in our calls (`git diff` without
 *   `--no-ext-diff` fails on the empty name rather than run one)
 * - quotePath: names as they are
 * - gc.auto, maintenance.auto: no process of ours goes on behind the person's back
 * - submodule.recurse: a checkout of ours must not walk into submodules
 */
export const CONFIG: readonly string[] = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'diff.external=',
  'submodule.recurse=false',
];

/** Variables of git that are the person's own and that say where their config is; all other `GIT_*` are scrubbed. */
const KEPT = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']);

/** Programs that git would start to talk with a person: none of our calls does, and simple-git refuses an environment that names one. */
const INTERACTIVE = new Set(['EDITOR', 'VISUAL', 'PAGER', 'LESS', 'LANGUAGE']);

/** Of the same kind, but a key may be unlocked through it when an accepted commit is signed. */
const ASKS_FOR_KEY = 'SSH_ASKPASS';

/**
 * For calls that speak to a remote. Nobody is asked for a password, a passphrase or whether a host is known: without a
 * terminal and without the programs that would ask in a window, what the person's config cannot answer fails, and is
 * told. `core.askPass` and credential helpers of their config still answer.
 */
export const NEVER_ASKS = { SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never', GCM_INTERACTIVE: 'never' } as const;

interface EnvironmentOptions {
  /** False sets GIT_OPTIONAL_LOCKS=0, so that a read never writes an index. */
  readonly write: boolean;
  readonly extra?: Readonly<Record<string, string>>;
}

/** The environment of a git process: messages in English for failure.ts, no prompt, nothing inherited that names a repository. */
export function gitEnvironment(from: Readonly<Record<string, string | undefined>>, options: EnvironmentOptions): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    const git = name.toUpperCase().startsWith('GIT_');
    const dropped = INTERACTIVE.has(name.toUpperCase()) || (name.toUpperCase() === ASKS_FOR_KEY && !options.write);
    if (value !== undefined && !dropped && (!git || KEPT.has(name.toUpperCase()))) environment[name] = value;
  }
  return { ...environment, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...(options.write ? {} : { GIT_OPTIONAL_LOCKS: '0' }), ...options.extra };
}
