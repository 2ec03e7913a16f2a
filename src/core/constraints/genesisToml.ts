import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import { BOUNDED_GLOB_WORDS, isBoundedGlob } from '../boundedGlob.ts';
import type { ScopeRule } from '../candidate/companions.ts';
import { folderPath, type FolderPath } from '../ids.ts';
import type { Limits } from '../limits/limits.ts';
import type { Refusal } from '../refusal.ts';
import type { Constraint } from './constraint.ts';
import { lineOfKey } from './tomlLines.ts';

/** What a repository's genesis.toml says, understood. Nothing in it can raise a limit or accept a change by itself (rule 10). */
export interface GenesisConfig {
  readonly setup: SetupScripts | null;
  /** Folders that whoever runs commands needs on disk besides the one it works on; null where everything may be needed. */
  readonly needs: readonly FolderPath[] | null;
  readonly commands: readonly NamedCommand[];
  readonly foreignRepos: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly constraints: readonly Constraint[];
  readonly scopes: readonly ScopeRule[];
  /** Upper bounds; `narrowLimits` applies them. */
  readonly limits: Partial<Limits>;
}

interface SetupScripts {
  /** By platform, as Node names it; `default` serves the others. */
  readonly scripts: Readonly<Partial<Record<Platform | 'default', string>>>;
  readonly timeoutMs: number;
}
export type Platform = 'linux' | 'darwin' | 'win32';

interface NamedCommand {
  readonly name: string;
  readonly run: string;
}

/** A thing in the file that has no effect, for its diagnostics. `line` counts from 1; null where it could not be found. */
interface ConfigWarning {
  readonly line: number | null;
  readonly message: string;
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: GenesisConfig; readonly warnings: readonly ConfigWarning[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly line: number | null };

export const GENESIS_TOML = 'genesis.toml';

/** The configuration of a repository that has no genesis.toml. */
export const NO_CONFIG: GenesisConfig = { setup: null, needs: null, commands: [], foreignRepos: new Map(), constraints: [], scopes: [], limits: {} };

/**
 * Reads a genesis.toml. A file that cannot be understood is refused in words, never taken for one without constraints:
 * an agent could otherwise switch its checks off with a typing error (rule 5). `where` says which version it is of.
 */
export function parseGenesisToml(text: string, where = 'this commit'): ParsedConfig {
  let raw: Record<string, unknown>;
  try {
    raw = parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return broken(where, error.line, error.message.split('\n')[0] ?? 'not valid TOML');
  }
  const read = file.safeParse(raw);
  if (!read.success) {
    const issue = read.error.issues[0];
    const path = (issue?.path ?? []).map((part) => (typeof part === 'symbol' ? String(part) : part));
    return broken(where, lineOfKey(text, path), `${keyName(path)}: ${issue?.message ?? 'not understood'}`);
  }
  const twice = firstDuplicate(read.data.constraint.map((c) => c.name));
  if (twice !== null) return broken(where, lineOfKey(text, ['constraint', twice, 'name']), `two constraints are called "${read.data.constraint[twice]?.name ?? ''}"; each needs a name of its own`);
  return { ok: true, config: understood(read.data), warnings: unknownKeys(raw).map((path) => ({ line: lineOfKey(text, path), message: warningFor(path) })) };
}

/** The setup of a worktree on this platform; null where there is none. */
export function setupFor(config: GenesisConfig, platform: string): { readonly script: string; readonly timeoutMs: number } | null {
  const scripts: Readonly<Record<string, string>> = config.setup?.scripts ?? {};
  const script = scripts[platform] ?? scripts['default'];
  return config.setup === null || script === undefined ? null : { script, timeoutMs: config.setup.timeoutMs };
}

/** The stricter of a machine's limits and a repository's (rule 10). */
export function narrowLimits(limits: Limits, narrower: Partial<Limits>): Limits {
  const least = (key: keyof Limits) => Math.min(limits[key], narrower[key] ?? Infinity);
  return { costUsd: least('costUsd'), freshTokens: least('freshTokens'), allTokens: least('allTokens'), wallMs: least('wallMs'), turns: least('turns'), depth: least('depth'), children: least('children') };
}

/** A limit in the file that is above what the person allows, and so has no effect (rule 10), in words for its diagnostics. */
export function limitsAbove(limits: Limits, file: Partial<Limits>): string[] {
  return LIMIT_KEYS.filter(([limit]) => (file[limit] ?? 0) > limits[limit]).map(([, key]) => `limits, ${key} has no effect: it is above the limit of this delegation, which a repository can only narrow.`);
}

const LIMIT_KEYS: readonly (readonly [keyof Limits, string])[] = [['costUsd', 'cost_usd'], ['freshTokens', 'fresh_tokens'], ['allTokens', 'tokens'], ['wallMs', 'minutes'], ['turns', 'turns'], ['depth', 'depth'], ['children', 'children']];

/** Of a constraint, and of setup, that says none. */
export const DEFAULT_TIMEOUT_MS = 10 * 60_000;
const LONGEST_TIMEOUT_MS = 24 * 3_600_000;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** A number of seconds, or a text with its unit: `90s`, `10m`, `1h`. */
const timeout = z.union([z.number(), z.string()], { error: 'a number of seconds, or a text like "90s", "10m" or "1h"' }).transform((value, context) => {
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)$/.exec(value.trim()) : null;
  const ms = typeof value === 'number' ? value * 1000 : match ? Number(match[1]) * (UNITS[match[2] ?? ''] ?? NaN) : NaN;
  if (Number.isFinite(ms) && ms > 0 && ms <= LONGEST_TIMEOUT_MS) return ms;
  context.addIssue('a time above zero and up to 24 hours: a number of seconds, or a text like "90s", "10m" or "1h"');
  return z.NEVER;
});

const text = (what: string) => z.string({ error: what }).refine((s) => s.trim() !== '', what);
const list = <T>(one: z.ZodType<T>) => z.union([one.transform((v) => [v]), z.array(one)], { error: 'a text or a list of texts' });
const glob = text('a glob relative to the repository\'s root').refine(isBoundedGlob, BOUNDED_GLOB_WORDS).refine((g) => g.length <= 1000, 'a glob of 1,000 characters at most').refine((g) => !/^([a-z]:|[/\\])|(^|[/\\])\.\.([/\\]|$)/i.test(g), 'a glob relative to the repository\'s root, without ".."');
const folder = z.string({ error: 'a folder relative to the repository\'s root' }).transform((value, context): FolderPath => {
  const parsed = folderPath.safeParse(value.replace(/^\.\/?/, '').replace(/\/+$/, ''));
  if (parsed.success) return parsed.data;
  context.addIssue('a folder relative to the repository\'s root, with forward slashes and without ".."');
  return z.NEVER;
});

const scripts = z.union([
  text('a shell command').transform((s) => ({ default: s })),
  z.object({ linux: text('a shell command'), macos: text('a shell command'), darwin: text('a shell command'), windows: text('a shell command'), win32: text('a shell command'), default: text('a shell command') }).partial(),
], { error: 'a shell command, or a table with one for linux, macos, windows or default' });

const command = z.union([text('a shell command').transform((run) => ({ run })), z.object({ run: text('a shell command') })], { error: 'a shell command, or a table with run' });

const file = z.object({
  worktree: z.object({ script: scripts.optional(), setup: scripts.optional(), timeout: timeout.default(DEFAULT_TIMEOUT_MS), needs: list(folder).optional() }).optional(),
  commands: z.record(z.string(), command).default({}),
  foreign_repos: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  constraint: z.array(z.object({ name: text('a name'), run: text('a shell command'), paths: list(glob).refine((paths) => paths.some((p) => !p.startsWith('!')), 'at least one glob that is not an exception; leave paths out to cover everything').default(['**']), timeout: timeout.default(DEFAULT_TIMEOUT_MS), required: z.boolean().default(true) }), { error: 'tables, each begun by [[constraint]]' }).default([]),
  scope: z.array(z.object({ path: folder, also: list(glob) }), { error: 'tables, each begun by [[scope]]' }).default([]),
  limits: z.object({ cost_usd: z.number().positive(), fresh_tokens: z.number().positive(), tokens: z.number().positive(), minutes: z.number().positive(), turns: z.number().int().positive(), depth: z.number().int().nonnegative(), children: z.number().int().nonnegative() }).partial().default({}),
});
type File = z.infer<typeof file>;

function understood(read: File): GenesisConfig {
  const script = read.worktree?.script ?? read.worktree?.setup;
  return {
    setup: script && read.worktree ? { scripts: byPlatform(script), timeoutMs: read.worktree.timeout } : null,
    needs: read.worktree?.needs ?? null,
    commands: Object.entries(read.commands).map(([name, { run }]) => ({ name, run })),
    foreignRepos: new Map(Object.entries(read.foreign_repos).map(([id, table]) => [id, Object.fromEntries(Object.entries(table).filter((e): e is [string, string] => typeof e[1] === 'string'))])),
    constraints: read.constraint.map(({ timeout: timeoutMs, ...rest }) => ({ ...rest, timeoutMs })),
    scopes: read.scope,
    limits: limitsOf(read.limits),
  };
}

function byPlatform(script: z.infer<typeof scripts>): SetupScripts['scripts'] {
  const table: Readonly<Record<string, string | undefined>> = script;
  const pairs = [['linux', table['linux']], ['darwin', table['darwin'] ?? table['macos']], ['win32', table['win32'] ?? table['windows']], ['default', table['default']]] as const;
  return Object.fromEntries(pairs.filter((pair) => pair[1] !== undefined));
}

function limitsOf(read: File['limits']): Partial<Limits> {
  return {
    ...(read.cost_usd === undefined ? {} : { costUsd: read.cost_usd }),
    ...(read.fresh_tokens === undefined ? {} : { freshTokens: read.fresh_tokens }),
    ...(read.tokens === undefined ? {} : { allTokens: read.tokens }),
    ...(read.minutes === undefined ? {} : { wallMs: read.minutes * 60_000 }),
    ...(read.turns === undefined ? {} : { turns: read.turns }),
    ...(read.depth === undefined ? {} : { depth: read.depth }),
    ...(read.children === undefined ? {} : { children: read.children }),
  };
}

/** Keys by table; tables that are not named here take any. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': ['worktree', 'commands', 'foreign_repos', 'constraint', 'scope', 'limits'],
  worktree: ['script', 'setup', 'timeout', 'needs'],
  constraint: ['name', 'run', 'paths', 'timeout', 'required'],
  scope: ['path', 'also'],
  limits: ['cost_usd', 'fresh_tokens', 'tokens', 'minutes', 'turns', 'depth', 'children'],
};

/** What belongs to a machine and its person, whatever a repository says. */
const MACHINE_SETTING = /accept|gate|network|sandbox|model|provider|base_?url|api_?key|key|token_env|profile/i;

function unknownKeys(raw: Record<string, unknown>): (string | number)[][] {
  const found: (string | number)[][] = Object.keys(raw).filter((key) => !KNOWN['']?.includes(key)).map((key) => [key]);
  for (const [table, keys] of Object.entries(KNOWN)) {
    const value = table === '' ? undefined : raw[table];
    const rows: readonly unknown[] = Array.isArray(value) ? value : [value];
    rows.forEach((row, i) => {
      if (typeof row !== 'object' || row === null) return;
      for (const key of Object.keys(row)) if (!keys.includes(key)) found.push(Array.isArray(value) ? [table, i, key] : [table, key]);
    });
  }
  return found;
}

function warningFor(path: readonly (string | number)[]): string {
  const key = String(path.at(-1) ?? '');
  if (MACHINE_SETTING.test(key)) return `${keyName(path)} has no effect: it is a setting of the machine, which a repository cannot make.`;
  const known = KNOWN[path.length === 1 ? '' : String(path[0])] ?? [];
  return `${keyName(path)} is not known and has no effect. Known here: ${known.join(', ')}.`;
}

/** `constraint 2, run` for a person, who counts from one. */
function keyName(path: readonly (string | number)[]): string {
  return path.map((part) => (typeof part === 'number' ? ` ${part + 1}` : `, ${part}`)).join('').replace(/^,? /, '');
}

function firstDuplicate(names: readonly string[]): number | null {
  const at = names.findIndex((name, i) => names.indexOf(name) < i);
  return at < 0 ? null : at;
}

function broken(where: string, line: number | null, what: string): ParsedConfig {
  return {
    ok: false,
    line,
    refusal: {
      reason: 'config-broken',
      message: `genesis.toml of ${where} cannot be used: ${line === null ? '' : `line ${line}: `}${what}.`.replace(/\.\.$/, '.'),
      next: 'Correct the file and commit it. Until then its checks are not known, so nothing is started or accepted that they may cover.',
      files: [GENESIS_TOML],
    },
  };
}
