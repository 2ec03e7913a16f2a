import type * as vscode from 'vscode';
import { count } from '../../core/projections/amounts.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import { inBackground, tellDone } from '../tellPerson.ts';
import { repositoryName } from '../views/reviewView.ts';
import type { Worlds } from '../worlds.ts';
import { rebuild, type HistoryDependencies } from './historyCommands.ts';

/** A repository whose refs tell of agents while its ledger is empty has lost it, or was copied without it: said once a window. */
export class RebuildOffer {
  readonly #deps: HistoryDependencies;
  readonly #looked = new WeakSet<OpenWorld>();
  readonly #subscription: vscode.Disposable;

  constructor(deps: HistoryDependencies) {
    this.#deps = deps;
    this.#subscription = deps.worlds.onDidChange(() => this.#look(deps.worlds));
    this.#look(deps.worlds);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #look(worlds: Worlds): void {
    for (const world of worlds.all()) {
      if (this.#looked.has(world) || world.readOnly() !== null || world.state().episodes.size > 0) continue;
      this.#looked.add(world);
      inBackground(this.#offer(world));
    }
  }

  async #offer(world: OpenWorld): Promise<void> {
    const unknown = await world.history.unknown();
    if (unknown > 0) await tellDone(`The refs of ${repositoryName(world)} hold the history of ${count(unknown, 'agent')}, and its ledger is empty. It can be rebuilt from them.`, [{ label: 'Rebuild from Git', run: () => rebuild(world, this.#deps.limits()) }]);
  }
}
