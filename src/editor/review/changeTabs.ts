import * as vscode from 'vscode';
import type { Phase } from '../../core/world/state.ts';
import { setContext } from '../views/registerViews.ts';
import { allAgents, episodeOf, onAnyChange, worldKey, worldOf, type Agent, type Worlds } from '../worlds.ts';
import { parseChange } from './changeAddress.ts';
import { changeTitle } from './changeEditors.ts';
import { shownCandidate } from '../../core/candidate/shownCandidate.ts';

/** The tabs that show proposed changes: whose the active one is, and closing those of a change that was judged. */
export class ChangeTabs implements vscode.Disposable {
  readonly #worlds: Worlds;
  readonly #phases = new Map<string, Phase['name']>();
  readonly #subscriptions: { dispose(): void }[];

  constructor(worlds: Worlds) {
    this.#worlds = worlds;
    this.#subscriptions = [
      onAnyChange(worlds, () => {
        this.#closeJudged();
        this.#tellActive();
      }),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#tellActive()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#tellActive()),
    ];
    this.#closeJudged();
    this.#tellActive();
  }

  /** The change that the active tab shows: what a command without a row is about. */
  active(): Agent | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab && this.#agentOf(tab);
  }

  /** Closes the tabs of an agent's change. One with text that is not saved stays open: nothing that was typed goes. */
  async close(agent: Agent): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => {
      const owner = this.#agentOf(tab);
      return owner?.id === agent.id && owner.world === agent.world && !tab.isDirty;
    });
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #agentOf(tab: vscode.Tab): Agent | undefined {
    for (const uri of urisOf(tab.input)) {
      const address = parseChange(uri);
      const world = address && worldOf(this.#worlds, address.repository);
      if (world) return { world, id: address.episode };
    }
    return isMultiDiff(tab.input) ? this.#agentByTitle(tab.label) : undefined;
  }

  /** Of files that are only added or deleted, VS Code tells extensions no address: such a tab is known by the title that it was given. */
  #agentByTitle(label: string): Agent | undefined {
    return allAgents(this.#worlds).find(({ episode }) => episode.candidates.some((candidate) => label.startsWith(changeTitle(episode, candidate))))?.agent;
  }

  /** A verdict may also come from the palette, a notification or another window: the tabs follow the fact. */
  #closeJudged(): void {
    for (const { agent, episode } of allAgents(this.#worlds)) {
      const key = `${worldKey(agent.world)}#${agent.id}`;
      const before = this.#phases.get(key);
      const { name } = episode.phase;
      this.#phases.set(key, name === 'judging' && before !== undefined ? before : name);
      if (before === 'waiting' && (name === 'ended' || name === 'running')) void this.close(agent);
    }
  }

  #tellActive(): void {
    const agent = this.active();
    const phase = agent && episodeOf(agent)?.phase;
    setContext('worldtree.activeChange', phase === undefined ? '' : phase.name === 'waiting' ? 'waiting' : 'closed');
  }
}

/** Documents of an agent's waiting change that hold text which is not saved. */
export function unsavedDocuments(agent: Agent): vscode.TextDocument[] {
  const episode = episodeOf(agent);
  if (episode?.phase.name !== 'waiting') return [];
  const waiting = episode.phase.candidate;
  return vscode.workspace.textDocuments.filter((document) => {
    const address = document.isDirty ? parseChange(document.uri) : undefined;
    return address?.episode === agent.id && address.repository === worldKey(agent.world) && shownCandidate(episode, address.candidate)?.number === waiting;
  });
}

/**
 * The addresses a tab shows. The multi-file diff's tab is told to extensions, but its class is not part of the stable
 * API: it is known by its shape.
 */
function urisOf(input: unknown): vscode.Uri[] {
  if (input instanceof vscode.TabInputTextDiff) return bothSides(input);
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return [input.uri];
  if (isMultiDiff(input)) return input.textDiffs.flatMap((diff: unknown) => (diff instanceof vscode.TabInputTextDiff ? bothSides(diff) : []));
  return [];
}

function isMultiDiff(input: unknown): input is { readonly textDiffs: readonly unknown[] } {
  return typeof input === 'object' && input !== null && 'textDiffs' in input && Array.isArray(input.textDiffs);
}

/** In the multi-file diff a side is missing where the file does not exist there, whatever the type says. */
function bothSides(diff: vscode.TabInputTextDiff): vscode.Uri[] {
  return [diff.modified as vscode.Uri | undefined, diff.original as vscode.Uri | undefined].filter((uri) => uri !== undefined);
}
