/** What is told of a repository whatever version, folder or goal: it stands before everything that differs. */
export interface RepositoryFacts {
  /** The checkout's folder name. */
  readonly name: string;
  /** Entries of the root, folders with a trailing slash, sorted. */
  readonly topLevel: readonly string[];
  /** Test, lint and build commands that were found, ready to be run. */
  readonly commands: readonly string[];
}

/** Entries of the root that are listed; more are counted. */
const TOP_LEVEL_SHOWN = 60;

export function repositoryFactsText({ name, topLevel, commands }: RepositoryFacts): string {
  const shown = topLevel.slice(0, TOP_LEVEL_SHOWN).join('  ');
  const more = topLevel.length > TOP_LEVEL_SHOWN ? `  and ${topLevel.length - TOP_LEVEL_SHOWN} more` : '';
  const found = commands.length === 0 ? 'No test or build command was found.' : `Commands found here (run them in the root):\n${commands.map((c) => `  ${c}`).join('\n')}`;
  return `The repository: ${name}\n\nAt its root:\n  ${shown}${more}\n\n${found}`;
}
