import type { FilePath } from '../ids.ts';
import { ROOT } from '../paths.ts';
import { commandsOf, type FoundCommand } from '../survey/commands.ts';
import { languageOf } from './languages.ts';

/** What everyone who works in a repository is told, whatever the version, folder or goal. */
export interface RepositoryFacts {
  readonly name: string;
  /** In alphabetical order. */
  readonly topLevelFolders: readonly string[];
  /** By number of files, most first; no counts, which would change with every version. */
  readonly languages: readonly string[];
  readonly commands: readonly FoundCommand[];
}

/**
 * Facts from the list of a version's files. `name` is what people call the repository (its folder's name, not its
 * path); `read` gives a file's text.
 */
export function repositoryFacts(name: string, files: readonly FilePath[], read: (path: FilePath) => string | null): RepositoryFacts {
  const there = new Set<string>(files);
  const counts = new Map<string, number>();
  for (const file of files) {
    const language = languageOf(file);
    if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  const languages = [...counts].filter(([, n]) => n * 20 >= total).sort((a, b) => b[1] - a[1] || compare(a[0], b[0])).slice(0, 5).map(([language]) => language);
  const folders = new Set(files.filter((f) => f.includes('/')).map((f) => f.slice(0, f.indexOf('/'))));
  return {
    name,
    topLevelFolders: [...folders].sort(compare).slice(0, 60),
    languages,
    commands: commandsOf(ROOT, { has: (path) => there.has(path), read }),
  };
}

/** By code units: the same on every machine, unlike a locale's order. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
