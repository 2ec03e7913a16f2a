import * as vscode from 'vscode';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import { worldKey, type Worlds } from '../worlds.ts';
import { readHeadFacts, type HeadFacts } from './worldsView.ts';

/**
 * Where HEAD is in each repository, and telling the worlds when it or a branch may have moved. Read in the background when something may have moved it, so that no view ever waits for git.
 */
export class RepositoryFacts implements vscode.Disposable {
  readonly #worlds: Worlds;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #heads = new Map<string, HeadFacts>();
  readonly #disposables: { dispose(): void }[] = [this.#changed];
  #watchers: { dispose(): void }[] = [];
  #reading = false;
  #again = false;

  constructor(worlds: Worlds) {
    this.#worlds = worlds;
    this.#disposables.push(
      worlds.onDidChange(() => { this.#watch(); this.refresh(); }),
      vscode.window.onDidChangeWindowState((state) => { if (state.focused) this.refresh(); }),
    );
    this.#watch();
    this.refresh();
  }

  head(world: OpenWorld): HeadFacts | undefined {
    return this.#heads.get(worldKey(world));
  }

  /** Reads again what may have changed; several calls while a reading is under way make one more. */
  refresh(): void {
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    void this.#read().finally(() => {
      this.#reading = false;
      if (!this.#again) return;
      this.#again = false;
      this.refresh();
    });
  }

  dispose(): void {
    for (const disposable of [...this.#disposables, ...this.#watchers]) disposable.dispose();
  }

  /** HEAD and branches move without VS Code's telling: by git in a terminal, or in another worktree. */
  #watch(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = this.#worlds.all().map((world) => {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(world.repository.commonDir), '{HEAD,packed-refs,logs/HEAD,refs/heads/**}'));
      const refresh = () => this.refresh();
      watcher.onDidChange(refresh);
      watcher.onDidCreate(refresh);
      watcher.onDidDelete(refresh);
      return watcher;
    });
  }

  async #read(): Promise<void> {
    const before = JSON.stringify([...this.#heads]);
    for (const world of this.#worlds.all()) {
      world.linesMoved();
      try {
        const known = this.#heads.get(worldKey(world));
        const head = await world.repository.head();
        if (JSON.stringify(head) !== JSON.stringify(known?.head)) this.#heads.set(worldKey(world), await readHeadFacts(world));
      } catch {
        // A repository that cannot be read just now shows its rows without these facts; whoever acts on it is told why.
        this.#heads.delete(worldKey(world));
      }
    }
    if (before !== JSON.stringify([...this.#heads])) this.#changed.fire();
  }
}
