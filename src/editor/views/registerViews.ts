import * as vscode from 'vscode';
import { sandboxWords } from '../../core/sandbox/sandboxStatus.ts';
import type { Sandbox } from '../../runtime/ports/sandbox.ts';
import { activity } from '../../core/projections/statusLine.ts';
import { waitingCount } from '../../core/projections/reviewRows.ts';
import { count } from '../../core/projections/amounts.ts';
import type { ContextKeys, ViewId } from '../contributions.ts';
import { onAnyChange, worldKey, type Agent, type Worlds } from '../worlds.ts';
import { agentsViewRows } from './agentsView.ts';
import { RepositoryFacts } from './repositoryFacts.ts';
import { reviewViewRows } from './reviewView.ts';
import { RowTree, type Row } from './rowTree.ts';
import { worldsViewRows } from './worldsView.ts';

export interface RegisteredViews {
  dispose(): void;
  /** Shows an agent's row in Agents, selected. */
  revealAgent(agent: Agent): Promise<void>;
  /** Reads again what the views show of the repositories themselves. */
  refreshRepositories(): void;
  /** Rows of a view as they stand; for tests inside the editor. */
  rows(view: ViewId): readonly Row[];
}

/** Ages in the rows grow old: how often they are written anew, in milliseconds. */
const AGES_EVERY = 30_000;

export function registerViews(worlds: Worlds, sandbox: Sandbox): RegisteredViews {
  const facts = new RepositoryFacts(worlds);
  const now = () => Date.now();
  const review = new RowTree(() => reviewViewRows({ worlds, now }));
  const agents = new RowTree(() => agentsViewRows({ worlds }));
  const worldsTree = new RowTree(() => worldsViewRows({ worlds, head: (world) => facts.head(world), now }));
  const trees: Record<ViewId, RowTree> = { 'worldtree.review': review, 'worldtree.agents': agents, 'worldtree.worlds': worldsTree };
  const reviewView = vscode.window.createTreeView<Row>('worldtree.review' satisfies ViewId, { treeDataProvider: review, showCollapseAll: true });
  const agentsView = vscode.window.createTreeView<Row>('worldtree.agents' satisfies ViewId, { treeDataProvider: agents });
  const worldsView = vscode.window.createTreeView<Row>('worldtree.worlds' satisfies ViewId, { treeDataProvider: worldsTree });

  const refresh = () => {
    for (const tree of Object.values(trees)) tree.refresh();
    showBadges(worlds, reviewView, agentsView);
    showMessage(agentsView, agents.getChildren().length === 0 ? '' : missingSandbox(sandbox));
    setContext('worldtree.state', stateOf(worlds, facts));
    setContext('worldtree.agentsAtWork', atWork(worlds));
  };
  const ages = setInterval(() => {
    review.refresh();
    worldsTree.refresh();
  }, AGES_EVERY);
  const subscriptions = [onAnyChange(worlds, refresh), sandbox.onChange(refresh), facts.onDidChange(refresh), facts, reviewView, agentsView, worldsView, ...Object.values(trees), { dispose: () => clearInterval(ages) }];
  refresh();
  return {
    revealAgent: async ({ world, id }) => {
      const row = agents.find(`${worldKey(world)}#${id}`);
      if (row) await agentsView.reveal(row, { select: true, focus: false });
    },
    refreshRepositories: () => facts.refresh(),
    rows: (view) => trees[view].getChildren(),
    dispose: () => { for (const subscription of subscriptions) subscription.dispose(); },
  };
}

export function setContext<K extends keyof ContextKeys>(key: K, value: ContextKeys[K]): void {
  void vscode.commands.executeCommand('setContext', key, value);
}

/** Which welcome text fits: the worlds that are there, else the reason why there is none. */
function stateOf(worlds: Worlds, facts: RepositoryFacts): ContextKeys['worldtree.state'] {
  if (!vscode.workspace.isTrusted) return 'untrusted';
  if (worlds.all().length > 0) return worlds.all().every((world) => facts.head(world)?.head.kind === 'unborn') ? 'noCommit' : 'ready';
  if (!worlds.ready) return 'starting';
  const reasons = new Set(worlds.refusals().map(({ refusal }) => refusal.reason));
  if (reasons.has('untrusted')) return 'untrusted';
  if (reasons.has('no-commit')) return 'noCommit';
  return [...reasons].every((reason) => reason === 'no-repository') ? 'noRepository' : 'refused';
}

function atWork(worlds: Worlds): boolean {
  const { working, asking } = activity(worlds.all().map((world) => world.state()));
  return working + asking > 0;
}

function showBadges(worlds: Worlds, review: vscode.TreeView<Row>, agents: vscode.TreeView<Row>): void {
  const states = worlds.all().map((world) => world.state());
  const waiting = states.reduce((sum, state) => sum + waitingCount(state), 0);
  const { asking } = activity(states);
  badge(review, waiting, `${count(waiting, 'proposed change')} ${waiting === 1 ? 'waits' : 'wait'} for you`);
  badge(agents, asking, `${count(asking, 'agent')} ${asking === 1 ? 'needs' : 'need'} an answer`);
}

/** Above the rows only: a message over an empty view would take the place of its welcome. */
function showMessage(view: vscode.TreeView<Row>, words: string): void {
  if ((view.message ?? '') !== words) view.message = words;
}

function missingSandbox(sandbox: Sandbox): string {
  const status = sandbox.status();
  return status.kind === 'ready' ? '' : sandboxWords(status) ?? '';
}

/** Set only when it changes: VS Code draws the activity bar anew each time. */
function badge(view: vscode.TreeView<Row>, value: number, tooltip: string): void {
  if ((view.badge?.value ?? 0) !== value) view.badge = value === 0 ? undefined : { value, tooltip };
}
