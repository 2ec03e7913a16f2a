import * as vscode from 'vscode';
import { count, tokens, usd } from '../../core/projections/amounts.ts';
import { agentName, stateWords } from '../../core/projections/episodeWords.ts';
import { activity, statusText } from '../../core/projections/statusLine.ts';
import type { DailyLimits } from '../../core/limits/limits.ts';
import { tapeWords, type TapeSetting } from '../../core/models/tapeSetting.ts';
import { sandboxWords } from '../../core/sandbox/sandboxStatus.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import type { Sandbox } from '../../runtime/ports/sandbox.ts';
import type { Spending } from '../../runtime/ports/spending.ts';
import type { CommandId } from '../contributions.ts';
import type { Handlers } from '../commands/handlers.ts';
import { readOnlyWords } from '../readOnlyWords.ts';
import { refusalText } from '../refusalText.ts';
import { allAgents, onAnyChange, type Agent, type Worlds } from '../worlds.ts';
import { repositoryName } from '../views/reviewView.ts';

interface StatusDependencies {
  readonly worlds: Worlds;
  readonly spending: Pick<Spending, 'today'>;
  readonly sandbox: Pick<Sandbox, 'status'>;
  readonly daily: () => DailyLimits;
  readonly tape: () => TapeSetting;
  readonly showAgent: (agent: Agent) => Promise<void>;
}

/** Today's spending is one file of the machine, which other windows write too: read at most this often, in milliseconds. */
const READ_EVERY = 5_000;

export class StatusBar implements vscode.Disposable {
  readonly #deps: StatusDependencies;
  readonly #item = vscode.window.createStatusBarItem('worldtree.status', vscode.StatusBarAlignment.Left, 10);
  readonly #subscription: { dispose(): void };
  readonly #settings: vscode.Disposable;
  readonly #timer: NodeJS.Timeout;
  #todayUsd = 0;
  #readAt = 0;

  constructor(deps: StatusDependencies) {
    this.#deps = deps;
    this.#item.name = 'Worldtree';
    this.#item.command = 'worldtree.showStatus' satisfies CommandId;
    this.#subscription = onAnyChange(deps.worlds, () => {
      this.#show();
      this.#readSpending();
    });
    this.#settings = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('worldtree.tape')) this.#show();
    });
    this.#timer = setInterval(() => this.#readSpending(), 60_000);
    this.#readSpending();
    this.#show();
    this.#item.show();
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#subscription.dispose();
    this.#settings.dispose();
    this.#item.dispose();
  }

  #readSpending(): void {
    if (Date.now() - this.#readAt < READ_EVERY) return;
    this.#readAt = Date.now();
    void this.#deps.spending.today().then(({ spent }) => {
      this.#todayUsd = spent.usd;
      this.#show();
    }, () => {
      // The file is missing before the first delegation; there is nothing to show then.
    });
  }

  #show(): void {
    const now = activity(this.#deps.worlds.all().map((world) => world.state()));
    const tape = tapeWords(this.#deps.tape());
    const text = [tape, statusText(now, this.#todayUsd)].filter((part) => part !== '').join(' · ');
    const icon = now.asking > 0 ? 'bell-dot' : now.working > 0 ? 'loading~spin' : 'type-hierarchy';
    this.#item.text = text === '' ? `$(${icon})` : `$(${icon}) ${text}`;
    this.#item.tooltip = `Worldtree: ${count(now.working, 'agent')} at work, ${count(now.asking, 'question')}, ${count(now.waiting, 'proposed change')} to review. ${usd(this.#todayUsd)} of ${usd(this.#deps.daily().costUsd)} spent today on this machine.`;
    this.#item.accessibilityInformation = { label: text === '' ? 'Worldtree: nothing at work' : `Worldtree: ${text}` };
    this.#item.backgroundColor = now.asking > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }
}

interface MenuItem extends vscode.QuickPickItem {
  readonly run?: () => Promise<void> | Thenable<unknown>;
}

/** What the status bar opens: who works, what it costs, and the way to stop it all. */
export function statusCommands({ worlds, spending, sandbox, daily, showAgent }: StatusDependencies): Pick<Handlers, 'worldtree.showStatus'> {
  const command = (label: string, id: CommandId, description = ''): MenuItem => ({ label, description, run: () => vscode.commands.executeCommand(id) });
  return {
    'worldtree.showStatus': async () => {
      const { spent, raised } = await spending.today();
      const caps = daily();
      const active = allAgents(worlds).filter(({ episode }) => episode.phase.name !== 'ended');
      const items: MenuItem[] = [
        ...active.map(({ agent, episode }): MenuItem => ({ label: `$(${episode.phase.name === 'asking' || episode.phase.name === 'interrupted' ? 'bell-dot' : episode.phase.name === 'waiting' ? 'git-pull-request' : 'loading~spin'}) ${agentName(episode)}`, description: stateWords(episode, agent.world.live(agent.id)?.words), run: () => showAgent(agent) })),
        ...worlds.all().flatMap((world) => readOnlyItems(world)),
        ...worlds.refusals().map(({ folder, refusal }): MenuItem => ({ label: `$(warning) ${folder.path.split('/').at(-1) ?? ''}`, description: refusalText(refusal) })),
        ...sandboxItems(sandbox),
        { label: '', kind: vscode.QuickPickItemKind.Separator },
        command('$(debug-stop) Stop Everything', 'worldtree.stopEverything', 'all agents of this machine, in every window'),
        command('$(add) Delegate a Folder…', 'worldtree.delegate'),
        { label: `Today: ${usd(spent.usd)} of ${usd(caps.costUsd + raised.usd)}`, kind: vscode.QuickPickItemKind.Separator },
        command('$(graph) Where Did It Go?', 'worldtree.whereDidItGo', 'tokens and cost of this repository’s agents'),
        command('$(gear) Limits and Models…', 'worldtree.openSettings', spent.unpricedTokens > 0 ? `${tokens(spent.unpricedTokens)} tokens of models without prices today` : ''),
      ];
      const picked = await vscode.window.showQuickPick(items, { title: 'Worldtree', placeHolder: active.length === 0 ? 'No agent is at work' : 'Agents that are not over' });
      await picked?.run?.();
    },
  };
}

function sandboxItems(sandbox: Pick<Sandbox, 'status'>): MenuItem[] {
  const status = sandbox.status();
  const words = sandboxWords(status);
  return words === null ? [] : [{ label: `$(${status.kind === 'ready' ? 'shield' : 'unlock'}) ${words}`, run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'worldtree.sandbox') }];
}

function readOnlyItems(world: OpenWorld): MenuItem[] {
  const reason = world.readOnly();
  return reason === null ? [] : [{ label: `$(lock) ${repositoryName(world)}`, description: readOnlyWords(reason) }];
}
