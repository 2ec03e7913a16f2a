import { displayFolder } from '../../core/paths.ts';
import { count } from '../../core/projections/amounts.ts';
import type { FileRow } from '../../core/projections/fileRows.ts';
import { reviewRows, type ReviewRow } from '../../core/projections/reviewRows.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import { worldKey, type Agent, type Worlds } from '../worlds.ts';
import type { CommandId } from '../contributions.ts';
import type { Row } from './rowTree.ts';
import type { RowSubject } from './rowSubjects.ts';

interface ReviewViewDependencies {
  readonly worlds: Worlds;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The rows of Review: what waits in every repository, then what was decided today. */
export function reviewViewRows({ worlds, now }: ReviewViewDependencies): Row[] {
  const all = worlds.all();
  const today = new Date(now()).setHours(0, 0, 0, 0);
  const rows = all.flatMap((world) => reviewRows(world.state(), { now: now(), today, live: (id) => world.live(id)?.words, foreseen: (id) => world.foreseen(id), retention: (move) => world.retention(move) }).map((row) => ({ world, row })));
  const open = rows.filter(({ row }) => isOpen(row));
  const decided = rows.filter(({ row }) => !isOpen(row));
  return [...open, ...decided].map(({ world, row }) => changeRow(world, row, all));
}

function isOpen(row: ReviewRow): boolean {
  return row.status === 'waiting' || row.status === 'judging';
}

function changeRow(world: OpenWorld, row: ReviewRow, all: readonly OpenWorld[]): Row {
  const agent: Agent = { world, id: row.episode };
  const id = `${worldKey(world)}#${row.episode}`;
  const folder = displayFolder(row.folder);
  const subject: RowSubject = { kind: 'change', agent, candidate: row.candidate };
  const fileChild = (file: FileRow, index: number) => fileChildRow(`${id}/${file.part}/${String(index)}/${file.file.path}`, agent, row, file);
  return {
    id,
    // In front: what stands behind a long subject is cut off in a narrow side bar.
    label: whichRepository(world, all) + row.label,
    description: row.description,
    tooltip: [...row.facts, ...row.notices].join('\n'),
    icon: statusIcon(row),
    context: ['change', row.status, ...(row.lookedBefore ? ['looked'] : []), ...(row.partly ? ['partly'] : []), ...(row.together ? ['together'] : [])].join(' '),
    expanded: row.status === 'waiting',
    command: 'worldtree.openChanges' satisfies CommandId,
    subject,
    children: [
      ...row.notices.map((notice, index): Row => ({ id: `${id}/notice/${String(index)}`, label: notice, tooltip: notice, icon: { name: 'warning', color: 'list.warningForeground' }, context: 'notice', children: [], subject: { kind: 'notice', agent } satisfies RowSubject })),
      ...row.files.map(fileChild),
      ...outsideRow(id, agent, row, folder, fileChild),
    ],
  };
}

function outsideRow(id: string, agent: Agent, row: ReviewRow, folder: string, child: (file: FileRow, index: number) => Row): Row[] {
  if (row.outside.length === 0) return [];
  return [{
    id: `${id}/outside`,
    label: `Outside ${folder}`,
    description: `${count(row.outside.length, 'file')} · not part of the change until you allow them`,
    icon: { name: 'question', color: 'list.warningForeground' },
    context: row.status === 'waiting' ? 'outside group' : 'group',
    expanded: true,
    children: row.outside.map(child),
    subject: { kind: 'outside', agent, candidate: row.candidate, files: row.outside.map((f) => f.file) } satisfies RowSubject,
  }];
}

function fileChildRow(id: string, agent: Agent, row: ReviewRow, file: FileRow): Row {
  const subject: RowSubject = file.part === 'outside'
    ? { kind: 'outside', agent, candidate: row.candidate, files: [file.file] }
    : { kind: 'file', agent, candidate: row.candidate, file: file.file, part: file.part };
  return {
    id,
    label: file.name,
    description: file.description,
    tooltip: `${file.file.path}\n${file.description}`,
    file: file.file.path,
    context: ['file', ...(row.status !== 'waiting' ? [] : file.part === 'outside' ? ['outside'] : row.files.length > 1 ? ['takeable'] : [])].join(' '),
    command: 'worldtree.openFileChange' satisfies CommandId,
    children: [],
    subject,
  };
}

function statusIcon(row: ReviewRow): NonNullable<Row['icon']> {
  switch (row.status) {
    case 'judging': return { name: 'loading~spin' };
    case 'accepted': return { name: 'pass-filled', color: 'testing.iconPassed' };
    case 'rejected': return { name: 'circle-slash' };
    case 'decided': return { name: 'circle-outline' };
    case 'waiting': return row.check === 'failed' || row.check === 'flaky' || row.together ? { name: 'error', color: 'testing.iconFailed' } : { name: 'git-pull-request' };
  }
}

/** The name that a row of one of several repositories begins with. */
export function whichRepository(world: OpenWorld, all: readonly OpenWorld[]): string {
  return all.length > 1 ? `${repositoryName(world, all)} · ` : '';
}

/** Its folder's name; with the folder around it, where another of `among` has the same. */
export function repositoryName(world: OpenWorld, among: readonly OpenWorld[] = []): string {
  const [around, own] = folderNames(world);
  const shared = among.some((other) => other !== world && folderNames(other)[1] === own);
  return shared ? `${around}/${own}` : own;
}

function folderNames({ repository: { checkout } }: OpenWorld): readonly [string, string] {
  const parts = checkout.split(/[/\\]/).filter((part) => part !== '');
  return [parts.at(-2) ?? '', parts.at(-1) ?? checkout];
}
