import type { FilePath } from '../../core/ids.ts';
import { shortCommit } from '../../core/ids.ts';
import { baseName, ROOT } from '../../core/paths.ts';
import { megabytes } from '../../core/projections/amounts.ts';
import { branchName } from '../../core/projections/episodeWords.ts';
import { worldRows, type WorldRow } from '../../core/projections/worldRows.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import type { Head } from '../../runtime/ports/repository.ts';
import { worldKey, type Worlds } from '../worlds.ts';
import { repositoryName } from './reviewView.ts';
import type { Row } from './rowTree.ts';
import type { RowSubject } from './rowSubjects.ts';

/** What a repository's checkout is at, as far as it was read: the Worlds view never waits for git. */
export interface HeadFacts {
  readonly head: Head;
  readonly contextFiles: readonly FilePath[];
}

export function worldsViewRows({ worlds, head, now }: { readonly worlds: Worlds; readonly head: (world: OpenWorld) => HeadFacts | undefined; readonly now: () => number }): Row[] {
  const all = worlds.all();
  return all.map((world) => {
    const facts = head(world);
    return worldRow(world, worldRows(world.state(), { now: now(), repositoryName: repositoryName(world, all), head: facts ? headWords(facts.head) : '', contextFiles: facts?.contextFiles ?? [] }));
  });
}

/** Reads what the view shows of a checkout's commit. May throw `Refused`. */
export async function readHeadFacts(world: OpenWorld): Promise<HeadFacts> {
  const head = await world.repository.head();
  if (head.kind === 'unborn') return { head, contextFiles: [] };
  const entries = await world.repository.list(head.commit, ROOT);
  return { head, contextFiles: entries.flatMap((entry) => (baseName(entry.path) === 'CONTEXT.md' ? [entry.path] : [])) };
}

function headWords(head: Head): string {
  switch (head.kind) {
    case 'branch': return `${branchName(head.ref)} ${shortCommit(head.commit)}`;
    case 'detached': return shortCommit(head.commit);
    case 'unborn': return 'no commit yet';
  }
}

function diskLine(world: OpenWorld): string[] {
  const use = world.diskUse();
  return use === null ? [] : [`Worktrees of this machine take ${megabytes(use.total)}`];
}

function worldRow(world: OpenWorld, row: WorldRow): Row {
  const isRoot = row.folder === ROOT;
  return {
    id: `${worldKey(world)}:${row.folder}`,
    label: row.label,
    description: row.description,
    tooltip: [isRoot ? world.repository.checkout : row.folder, row.description, ...(isRoot ? diskLine(world) : [])].join('\n'),
    icon: { name: isRoot ? 'repo' : row.described ? 'notebook' : 'folder' },
    context: ['world', ...(row.described ? ['described'] : [])].join(' '),
    expanded: isRoot,
    children: row.children.map((child) => worldRow(world, child)),
    subject: { kind: 'world', world, folder: row.folder } satisfies RowSubject,
  };
}
