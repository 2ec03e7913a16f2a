import * as vscode from 'vscode';
import { agentSpending, topAgents } from '../../core/projections/whereItWent.ts';
import { NAMED, whereItWentPage } from '../../core/projections/whereItWentPage.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import type { Handlers } from '../commands/handlers.ts';
import { waitForWorld } from '../review/waitForWorld.ts';
import { repositoryName } from '../views/reviewView.ts';
import { worldKey, worldOf, type Worlds } from '../worlds.ts';

const SPENDING_SCHEME = 'worldtree-spending';

/** *Where Did It Go*: a page about what a repository's agents used, read anew each time it is asked for. Plain Markdown text, never rendered. */
export class SpendingDocuments implements vscode.TextDocumentContentProvider {
  readonly #worlds: Worlds;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  constructor(worlds: Worlds) {
    this.#worlds = worlds;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    await waitForWorld(this.#worlds, uri.query);
    const world = worldOf(this.#worlds, uri.query);
    if (!world) return 'This repository is not open here.\n';
    const agents = await Promise.all(topAgents(world.state(), NAMED).map(async (episode) => agentSpending(episode, await world.transcript(episode.id))));
    return whereItWentPage(repositoryName(world, this.#worlds.all()), world.state(), agents);
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(vscode.workspace.registerTextDocumentContentProvider(SPENDING_SCHEME, this), this.#changed);
  }

  commands(): Pick<Handlers, 'worldtree.whereDidItGo'> {
    return {
      'worldtree.whereDidItGo': async () => {
        const world = await this.#pick();
        if (!world) return;
        const uri = vscode.Uri.from({ scheme: SPENDING_SCHEME, path: '/Where did it go.md', query: worldKey(world) });
        const document = await vscode.workspace.openTextDocument(uri);
        this.#changed.fire(uri);
        await vscode.window.showTextDocument(document, { preview: true });
      },
    };
  }

  async #pick(): Promise<OpenWorld | undefined> {
    const all = this.#worlds.all();
    if (all.length === 0) void vscode.window.showInformationMessage('No repository with agents is open here.');
    if (all.length < 2) return all[0];
    return (await vscode.window.showQuickPick(all.map((world) => ({ label: repositoryName(world, all), world })), { title: 'Where Did It Go?', placeHolder: 'In which repository?' }))?.world;
  }
}
