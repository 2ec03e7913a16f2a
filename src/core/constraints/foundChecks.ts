import { stringify } from 'smol-toml';
import type { FilePath, FolderPath } from '../ids.ts';
import { chainTo, parentFolder, ROOT } from '../paths.ts';
import { commandsOf, type FoundCommand, type Look } from '../survey/commands.ts';
import type { Constraint } from './constraint.ts';
import { DEFAULT_TIMEOUT_MS, parseGenesisToml, type ParsedConfig } from './genesisToml.ts';

/** A command that the project runs on itself, where nothing yet says that it must pass. */
export interface FoundCheck {
  /** As a constraint that binds nothing: what running it once runs. */
  readonly check: Constraint;
  /** As typed in `folder`. */
  readonly command: string;
  readonly folder: FolderPath;
}

/** More than that is a list to search in, not an offer. */
const MOST_FOUND = 6;

/** Formatters and builds change files; what is offered as a check only looks at them. */
const CHECKING: readonly FoundCommand['kind'][] = ['test', 'lint', 'types'];

/** Tests, linters and type checks that manifests at or above the changed files declare, the nearest first. */
export function foundChecks(changed: readonly FilePath[], look: Look): FoundCheck[] {
  const folders = [...new Set(changed.flatMap((path) => chainTo(parentFolder(path))))].filter(canBeEntered);
  const nearest = folders.sort((a, b) => depth(b) - depth(a) || (a < b ? -1 : 1));
  const commands = nearest.flatMap((folder) => commandsOf(folder, look)).filter((command) => CHECKING.includes(command.kind));
  return commands.slice(0, MOST_FOUND).map(({ run, folder }) => ({
    check: { name: folder === ROOT ? run : `${run} in ${folder}`, run: folder === ROOT ? run : `cd ${quoted(folder)} && ${run}`, paths: [filesOf(folder)], timeoutMs: DEFAULT_TIMEOUT_MS, required: false },
    command: run,
    folder,
  }));
}

/** Text to put at the end of a genesis.toml, or the refusal of a file that cannot be added to. Empty where it holds all of them already. */
export function constraintTables(existing: string, checks: readonly FoundCheck[]): { readonly ok: true; readonly text: string } | Extract<ParsedConfig, { ok: false }> {
  const before = parseGenesisToml(existing, 'your checkout');
  if (!before.ok) return before;
  const { constraints } = before.config;
  const taken = new Set(constraints.map(({ name }) => name));
  const tables = checks.filter(({ check }) => !constraints.some((there) => there.run === check.run && check.paths.every((path) => there.paths.includes(path)))).map(({ check: { name, run, paths } }) => {
    const free = freeName(name, taken);
    taken.add(free);
    return stringify({ constraint: [{ name: free, run, paths, required: true }] }).trim();
  });
  if (tables.length === 0) return { ok: true, text: '' };
  const gap = existing.trim() === '' ? '' : existing.endsWith('\n') ? '\n' : '\n\n';
  const text = `${gap}${tables.join('\n\n')}\n`;
  // Where the constraints are written as one inline list, tables after it are no TOML: told before it is in the person's editor.
  const after = parseGenesisToml(existing + text, 'your checkout');
  return after.ok ? { ok: true, text } : after;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name} (${String(n)})`;
    if (!taken.has(free)) return free;
  }
}

/** Names that no shell reads anything into, also between double quotes: constraints are run by that of each platform. */
function canBeEntered(folder: FolderPath): boolean {
  return !/["$`\\%!\u0000-\u001f\u007f]/.test(folder);
}

function quoted(folder: FolderPath): string {
  const path = folder.startsWith('-') ? `./${folder}` : folder;
  return /^[\w./-]+$/.test(path) ? path : `"${path}"`;
}

/** Everything in the folder as a glob. What a glob would read something into stands for any character there. */
function filesOf(folder: FolderPath): string {
  return folder === ROOT ? '**' : `${folder.replace(/[*?[\]{}()\\]|^!/g, '?')}/**`;
}

function depth(folder: FolderPath): number {
  return chainTo(folder).length;
}
