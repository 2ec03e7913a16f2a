import { agentRows, type AgentRow } from '../../core/projections/agentRows.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import type { CommandId } from '../contributions.ts';
import { worldKey, type Worlds } from '../worlds.ts';
import { whichRepository } from './reviewView.ts';
import type { Row } from './rowTree.ts';
import type { RowSubject } from './rowSubjects.ts';

/** The rows of Agents: running first, children below their parents. */
export function agentsViewRows({ worlds }: { readonly worlds: Worlds }): Row[] {
  const all = worlds.all();
  const rows = all.flatMap((world) => agentRows(world.state(), { live: (id) => world.live(id)?.words, retention: (move) => world.retention(move) }).map((row) => ({ world, row })));
  const over = rows.filter(({ row }) => row.urgency === 'ended');
  const going = rows.filter(({ row }) => row.urgency !== 'ended');
  return [...going, ...over].map(({ world, row }) => agentRow(world, row, all));
}

function agentRow(world: OpenWorld, row: AgentRow, all: readonly OpenWorld[]): Row {
  return {
    id: `${worldKey(world)}#${row.episode}`,
    label: row.label,
    description: whichRepository(world, all) + row.description,
    tooltip: row.facts.join('\n'),
    icon: agentIcon(row),
    context: ['agent', row.urgency, ...(row.hasChange ? ['change'] : [])].join(' '),
    expanded: row.children.length > 0,
    command: clickOf(row),
    children: row.children.map((child) => agentRow(world, child, all)),
    subject: { kind: 'agent', agent: { world, id: row.episode } } satisfies RowSubject,
  };
}

function clickOf(row: AgentRow): CommandId {
  switch (row.urgency) {
    case 'asks': return 'worldtree.answer';
    case 'waits': return 'worldtree.openChanges';
    case 'works': case 'ended': return 'worldtree.showAgent';
  }
}

function agentIcon(row: AgentRow): NonNullable<Row['icon']> {
  switch (row.urgency) {
    case 'asks': return { name: 'bell-dot', color: 'list.warningForeground' };
    case 'works': return { name: 'loading~spin' };
    case 'waits': return { name: 'git-pull-request' };
    case 'ended':
      switch (row.outcome) {
        case 'accepted': return { name: 'pass-filled', color: 'testing.iconPassed' };
        case 'rejected': return { name: 'circle-slash' };
        case 'failed': return { name: 'error', color: 'testing.iconFailed' };
        case 'other': case null: return { name: 'circle-outline' };
      }
  }
}
