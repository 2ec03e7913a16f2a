import * as vscode from 'vscode';
import type { CommitId, EpisodeId } from '../../core/ids.ts';
import { currentCandidate } from '../../core/world/state.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import { onAnyChange, worldKey, type Agent, type Worlds } from '../worlds.ts';
import { readHeadFacts, type HeadFacts } from './worldsView.ts';

/**
 * What the views show of the repositories themselves: where HEAD is, and how far a branch has moved past a waiting
 * change. Read in the background when something may have moved it, so that no view ever waits for git.
 */
export class RepositoryFacts implements vscode.Disposable {
  readonly #worlds: Worlds;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #heads = new Map<string, HeadFacts>();
  readonly #behind = new Map<string, { readonly base: CommitId; readonly commits: number }>();
  readonly #disposables: { dispose(): void }[] = [this.#changed];
  #watchers: { dispose(): void }[] = [];
  #waiting = '';
  #reading = false;
  #again = false;

  constructor(worlds: Worlds) {
    this.#worlds = worlds;
    this.#disposables.push(
      onAnyChange(worlds, () => this.#refreshForNewChanges()),
      worlds.onDidChange(() => this.#watch()),
      vscode.window.onDidChangeWindowState((state) => { if (state.focused) this.refresh(); }),
    );
    this.#watch();
    this.refresh();
  }

  head(world: OpenWorld): HeadFacts | undefined {
    return this.#heads.get(worldKey(world));
  }

  behind({ world, id }: Agent): number | undefined {
    const known = this.#behind.get(behindKey(world, id));
    const episode = world.state().episodes.get(id);
    return known && episode && currentCandidate(episode)?.base === known.base ? known.commits : undefined;
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

  /** A running agent changes its world ten times a second; only another set of waiting changes asks for git. */
  #refreshForNewChanges(): void {
    const waiting = this.#worlds.all().map((world) => [worldKey(world), [...world.state().episodes.values()].map((e) => (e.phase.name === 'waiting' ? `${e.id}:${String(e.phase.candidate)}` : ''))]);
    const key = JSON.stringify(waiting);
    if (key === this.#waiting) return;
    this.#waiting = key;
    this.refresh();
  }

  dispose(): void {
    for (const disposable of [...this.#disposables, ...this.#watchers]) disposable.dispose();
  }

  /** HEAD and branches move without VS Code's telling: by git in a terminal, for one. */
  #watch(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = this.#worlds.all().map((world) => {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(world.repository.commonDir), '{HEAD,packed-refs,logs/HEAD}'));
      const refresh = () => this.refresh();
      watcher.onDidChange(refresh);
      watcher.onDidCreate(refresh);
      watcher.onDidDelete(refresh);
      return watcher;
    });
  }

  async #read(): Promise<void> {
    const before = JSON.stringify([[...this.#heads], [...this.#behind]]);
    for (const world of this.#worlds.all()) {
      try {
        const known = this.#heads.get(worldKey(world));
        const head = await world.repository.head();
        if (JSON.stringify(head) !== JSON.stringify(known?.head)) this.#heads.set(worldKey(world), await readHeadFacts(world));
        await this.#readBehind(world);
      } catch {
        // A repository that cannot be read just now shows its rows without these facts; whoever acts on it is told why.
        this.#heads.delete(worldKey(world));
      }
    }
    if (before !== JSON.stringify([[...this.#heads], [...this.#behind]])) this.#changed.fire();
  }

  async #readBehind(world: OpenWorld): Promise<void> {
    for (const episode of world.state().episodes.values()) {
      const key = behindKey(world, episode.id);
      const candidate = episode.phase.name === 'waiting' ? currentCandidate(episode) : undefined;
      const tip = candidate && await world.repository.resolve(episode.target.kind === 'branch' ? episode.target.ref : 'HEAD');
      if (candidate && tip) this.#behind.set(key, { base: candidate.base, commits: tip === candidate.base ? 0 : await world.repository.commitsBetween(candidate.base, tip) });
      else this.#behind.delete(key);
    }
  }
}

function behindKey(world: OpenWorld, id: EpisodeId): string {
  return `${worldKey(world)}#${id}`;
}
