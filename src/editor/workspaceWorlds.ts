import * as vscode from 'vscode';
import type { AbsolutePath, FolderPath } from '../core/ids.ts';
import { urgency } from '../core/projections/episodeWords.ts';
import type { Refusal } from '../core/refusal.ts';
import { Turns } from '../core/turns.ts';
import type { OpenWorld, Result } from '../runtime/openWorld.ts';
import type { PlacedFolder, Worlds } from './worlds.ts';

/** The innermost repository that holds a folder, by its common git folder; in which of its checkouts, and where there. */
interface Located {
  readonly repository: string;
  readonly checkout: AbsolutePath;
  readonly folder: FolderPath;
}

/** What opening needs from outside of the editor: finding the innermost repository, and its world. */
interface RepositoryOpener {
  /** Of an absolute path. */
  locate(folder: string): Promise<Result<Located>>;
  /** The world of a repository, by the top of its checkout. Called once for each until it is closed. */
  open(checkout: string): Promise<Result<OpenWorld>>;
}

/** The repositories of this window's workspace folders, and of folders that were delegated from nested ones. */
export class WorkspaceWorlds implements Worlds {
  readonly #opener: RepositoryOpener;
  readonly #worlds = new Map<string, Promise<Result<OpenWorld>>>();
  readonly #opened = new Map<string, OpenWorld>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: { dispose(): unknown }[];
  /** Repositories that are open for a folder of the workspace, not just for a delegation. */
  readonly #ofFolders = new Set<string>();
  readonly #closing = new Map<string, Promise<void>>();
  /** Repositories that are kept for an agent at work although their folder was removed. */
  readonly #kept = new Set<string>();
  /** One look after the other: what one opened, the next knows of and closes where its folder has gone meanwhile. */
  readonly #looks = new Turns();
  #refusals: { readonly folder: vscode.Uri; readonly refusal: Refusal }[] = [];
  #ready = false;

  readonly onDidChange = this.#changed.event;

  constructor(opener: RepositoryOpener) {
    this.#opener = opener;
    this.#subscriptions = [
      this.#changed,
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#lookAtFolders()),
      // What was only looked at may run from now on: each world is opened anew, and recovers.
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#closeAll().then(() => this.#lookAtFolders())),
    ];
    void this.#lookAtFolders();
  }

  get ready(): boolean {
    return this.#ready;
  }

  all(): readonly OpenWorld[] {
    return [...this.#opened.values()];
  }

  refusals(): readonly { readonly folder: vscode.Uri; readonly refusal: Refusal }[] {
    return this.#refusals;
  }

  async forFolder(folder: vscode.Uri): Promise<Result<PlacedFolder>> {
    return this.#placed(await this.#locate(folder));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Ends what is under way and gives the ledgers up; awaited by the extension's deactivation. */
  async close(): Promise<void> {
    this.dispose();
    await this.#closeAll();
  }

  #lookAtFolders(): Promise<void> {
    return this.#looks.run(() => this.#look());
  }

  async #look(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const located = await Promise.all(folders.map(({ uri }) => this.#locate(uri)));
    // In their order: a repository that is open in several checkouts goes by the first of them.
    const placed = await Promise.all(located.map((one) => this.#placed(one)));
    this.#refusals = placed.flatMap((world, i) => (world.ok || !folders[i] ? [] : [{ folder: folders[i].uri, refusal: world.refusal }]));
    this.#closeLeft(new Set(located.flatMap((one) => (one.ok ? [one.value.repository] : []))));
    this.#ready = true;
    this.#changed.fire();
  }

  async #locate(folder: vscode.Uri): Promise<Result<Located>> {
    if (folder.scheme !== 'file') return { ok: false, refusal: { reason: 'no-repository', message: 'This folder is not on a disk that git can reach.', next: 'Open the repository from a local disk, a container, WSL or over SSH.' } };
    return this.#opener.locate(folder.fsPath).catch(unforeseen);
  }

  async #placed(located: Result<Located>): Promise<Result<PlacedFolder>> {
    if (!located.ok) return located;
    const { folder, checkout } = located.value;
    const world = await this.#open(located.value);
    return world.ok ? { ok: true, value: { world: world.value, folder, checkout } } : world;
  }

  /** Closes the repositories that the workspace's folders are in no more, but for those in which an agent is at work. */
  #closeLeft(now: ReadonlySet<string>): void {
    for (const repository of this.#ofFolders) {
      const world = this.#opened.get(repository);
      if (now.has(repository)) continue;
      if (world && isAtWork(world)) {
        this.#keep(repository, world);
        continue;
      }
      this.#ofFolders.delete(repository);
      this.#opened.delete(repository);
      this.#worlds.delete(repository);
      if (world) this.#closing.set(repository, world.close().catch(() => undefined).finally(() => this.#closing.delete(repository)));
    }
    for (const repository of now) this.#ofFolders.add(repository);
  }

  /** Until its agents are done. */
  #keep(repository: string, world: OpenWorld): void {
    if (this.#kept.has(repository)) return;
    this.#kept.add(repository);
    const listening = world.onChange(() => {
      if (isAtWork(world)) return;
      listening.dispose();
      this.#kept.delete(repository);
      void this.#lookAtFolders();
    });
  }

  /** One world for each repository, also where several linked worktrees of it are open: they share one ledger. */
  #open({ repository, checkout }: Located): Promise<Result<OpenWorld>> {
    const before = this.#worlds.get(repository);
    if (before) return before;
    // One that is still being closed owns the ledger until it is.
    const free = this.#closing.get(repository) ?? Promise.resolve();
    const opening = free.then(() => this.#opener.open(checkout)).catch(unforeseen).then((world) => {
      if (world.ok) {
        this.#opened.set(repository, world.value);
        this.#changed.fire();
      } else this.#worlds.delete(repository);
      return world;
    });
    this.#worlds.set(repository, opening);
    return opening;
  }

  async #closeAll(): Promise<void> {
    // One that is still being opened is waited for: it would come back as a second owner.
    const worlds = await Promise.all([...this.#worlds.values()]);
    this.#opened.clear();
    this.#worlds.clear();
    await Promise.all([...worlds.flatMap((world) => (world.ok ? [world.value.close()] : [])), ...this.#closing.values()]);
  }
}

function isAtWork(world: OpenWorld): boolean {
  return [...world.state().episodes.values()].some((episode) => ['asks', 'works'].includes(urgency(episode)) || episode.phase.name === 'judging');
}

/** One folder that cannot be opened must not keep the others, or the views, waiting. */
function unforeseen(error: unknown): Result<never> {
  return { ok: false, refusal: { reason: 'ledger-unreadable', message: `The repository could not be opened: ${error instanceof Error ? error.message : String(error)}`, next: 'Look at the permissions of its .git folder, then reload the window.' } };
}
