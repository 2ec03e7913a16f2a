import type { CommitId, FilePath } from '../core/ids.ts';
import type { Repository } from './ports/repository.ts';

/** Runs pure code that reads files as it goes: again with what it asked for, until it asks for nothing new. */
export async function readingAll<T>(repository: Repository, commit: CommitId, work: (read: (path: FilePath) => string | null) => T): Promise<T> {
  const known = new Map<FilePath, string | null>();
  for (;;) {
    const asked = new Set<FilePath>();
    const result = work((path) => {
      if (!known.has(path)) asked.add(path);
      return known.get(path) ?? null;
    });
    if (asked.size === 0) return result;
    for (const path of asked) {
      const bytes = await repository.read(commit, path);
      known.set(path, bytes === null ? null : new TextDecoder().decode(bytes));
    }
  }
}
