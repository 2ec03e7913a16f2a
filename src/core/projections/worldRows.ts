import type { FilePath, FolderPath } from '../ids.ts';
import { baseName, chainTo, parentFolder, ROOT } from '../paths.ts';
import type { WorldState } from '../world/state.ts';
import { age, count } from './amounts.ts';

/** A folder seen as a world, with those below it. */
export interface WorldRow {
  readonly folder: FolderPath;
  readonly label: string;
  readonly description: string;
  /** True where the folder has a CONTEXT.md at the commit. */
  readonly described: boolean;
  readonly working: number;
  readonly waiting: number;
  readonly children: readonly WorldRow[];
}

interface WorldRowsContext {
  readonly now: number;
  /** How the root is named: the repository's folder. */
  readonly repositoryName: string;
  /** The commit that is checked out, abbreviated, with its branch: `main 3f9a21c`. */
  readonly head: string;
  /** Every CONTEXT.md at that commit. */
  readonly contextFiles: readonly FilePath[];
}

/** The repository's root, and below it each folder that has had an agent or has a CONTEXT.md. */
export function worldRows(state: WorldState, context: WorldRowsContext): WorldRow {
  const described = new Set(context.contextFiles.map(parentFolder));
  const facts = new Map<FolderPath, FolderFacts>();
  for (const episode of state.episodes.values()) {
    const known = facts.get(episode.world.path) ?? { working: 0, waiting: 0, changedAt: 0 };
    const { name } = episode.phase;
    facts.set(episode.world.path, {
      working: known.working + (name === 'ended' || name === 'waiting' || name === 'judging' ? 0 : 1),
      waiting: known.waiting + (name === 'waiting' || name === 'judging' ? 1 : 0),
      changedAt: episode.phase.name === 'ended' && episode.phase.outcome === 'retained' ? Math.max(known.changedAt, episode.phase.at) : known.changedAt,
    });
  }
  const folders = new Set<FolderPath>([ROOT, ...described, ...facts.keys()]);
  const below = new Map<FolderPath, FolderPath[]>();
  for (const folder of folders) {
    if (folder === ROOT) continue;
    const holder = chainTo(folder).slice(0, -1).findLast((f) => folders.has(f)) ?? ROOT;
    below.set(holder, [...(below.get(holder) ?? []), folder]);
  }
  const row = (folder: FolderPath, holder: FolderPath): WorldRow => {
    const { working, waiting, changedAt } = facts.get(folder) ?? { working: 0, waiting: 0, changedAt: 0 };
    return {
      folder,
      label: folder === ROOT ? context.repositoryName : labelBelow(folder, holder),
      described: described.has(folder),
      working,
      waiting,
      description: [
        context.head,
        working > 0 ? `${count(working, 'agent')} at work` : '',
        waiting > 0 ? `${count(waiting, 'change')} ${waiting === 1 ? 'waits' : 'wait'}` : '',
        changedAt > 0 ? `accepted ${age(changedAt, context.now)}` : '',
        described.has(folder) ? 'CONTEXT.md' : '',
      ].filter((part) => part !== '').join(' · '),
      children: (below.get(folder) ?? []).toSorted().map((child) => row(child, folder)),
    };
  };
  return row(ROOT, ROOT);
}

interface FolderFacts {
  readonly working: number;
  readonly waiting: number;
  /** When a change here was accepted last; 0 where none was. */
  readonly changedAt: number;
}

function labelBelow(folder: FolderPath, holder: FolderPath): string {
  return holder === ROOT ? folder : folder.slice(holder.length + 1) || baseName(folder);
}
