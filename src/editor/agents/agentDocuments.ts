import * as vscode from 'vscode';
import { agentReport, TRANSCRIPT_ROW } from '../../core/projections/agentReport.ts';
import { agentName } from '../../core/projections/episodeWords.ts';
import type { EpisodeId } from '../../core/ids.ts';
import { waitForWorld } from '../review/waitForWorld.ts';
import { episodeOf, onAnyChange, worldKey, worldOf, type Agent, type Worlds } from '../worlds.ts';
import { transcriptUri } from './transcriptFiles.ts';

const AGENT_SCHEME = 'worldtree-agent';
/** How often an open page is written anew while its agent works, in milliseconds. */
const REFRESH_EVERY = 500;

/**
 * A page about one agent: goal, state, report, results of checks. Shown as plain Markdown text and never rendered:
 * what an agent wrote may link to pictures that tell somebody that they were looked at.
 */
export class AgentDocuments implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider {
  readonly #worlds: Worlds;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #shown = new Map<string, string>();
  readonly #subscription: { dispose(): void };
  #timer: NodeJS.Timeout | undefined;

  constructor(worlds: Worlds) {
    this.#worlds = worlds;
    this.#subscription = onAnyChange(worlds, () => {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#tellChanges();
      }, REFRESH_EVERY);
    });
  }

  async show(agent: Agent): Promise<void> {
    const episode = episodeOf(agent);
    if (!episode) return;
    const uri = vscode.Uri.from({ scheme: AGENT_SCHEME, path: `/${agentName(episode).replaceAll('/', '∕')}.md`, query: JSON.stringify({ repository: worldKey(agent.world), episode: agent.id }) });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { repository, episode } = JSON.parse(uri.query) as { readonly repository: string; readonly episode: EpisodeId };
    await waitForWorld(this.#worlds, repository);
    const text = this.#text(uri) ?? `Nothing is known about ${episode} here.\n`;
    this.#shown.set(uri.toString(), text);
    return text;
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const { repository, episode } = JSON.parse(document.uri.query) as { readonly repository: string; readonly episode: EpisodeId };
    const world = worldOf(this.#worlds, repository);
    const target = world && transcriptUri({ world, id: episode });
    // Only our own row, which stands before anything that an agent wrote.
    const row = Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line)).find(({ text }) => text.startsWith(`- ${TRANSCRIPT_ROW}: `));
    return target && row ? [new vscode.DocumentLink(row.range, target)] : [];
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(vscode.workspace.registerTextDocumentContentProvider(AGENT_SCHEME, this), vscode.languages.registerDocumentLinkProvider({ scheme: AGENT_SCHEME }, this), this.#changed, {
      dispose: () => {
        this.#subscription.dispose();
        clearTimeout(this.#timer);
      },
    });
  }

  #text(uri: vscode.Uri): string | undefined {
    const { repository, episode: id } = JSON.parse(uri.query) as { readonly repository: string; readonly episode: EpisodeId };
    const world = this.#worlds.all().find((w) => worldKey(w) === repository);
    const episode = world?.state().episodes.get(id);
    return world && episode && agentReport(episode, world.live(id));
  }

  #tellChanges(): void {
    const open = new Set(vscode.workspace.textDocuments.map((document) => document.uri.toString()));
    for (const [key, text] of this.#shown) {
      const uri = vscode.Uri.parse(key, true);
      if (!open.has(key)) this.#shown.delete(key);
      else if (this.#text(uri) !== text) this.#changed.fire(uri);
    }
  }
}
