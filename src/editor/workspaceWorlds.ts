import * as vscode from 'vscode';
import type { FolderPath } from '../core/ids.ts';
import type { Refusal } from '../core/refusal.ts';
import type { OpenWorld, Result } from '../runtime/openWorld.ts';
import type { PlacedFolder, Worlds } from './worlds.ts';

/** What opening needs from outside of the editor: finding the innermost repository, and its world. */
interface RepositoryOpener {
  /** The innermost repository that holds a folder (absolute path), by its common git folder, and the folder's path in it. */
  locate(folder: string): Promise<Result<{ readonly repository: string; readonly checkout: string; readonly folder: FolderPath }>>;
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
    if (folder.scheme !== 'file') return { ok: false, refusal: { reason: 'no-repository', message: 'This folder is not on a disk that git can reach.', next: 'Open the repository from a local disk, a container, WSL or over SSH.' } };
    const located = await this.#opener.locate(folder.fsPath).catch(unforeseen);
    if (!located.ok) return located;
    const world = await this.#open(located.value);
    return world.ok ? { ok: true, value: { world: world.value, folder: located.value.folder } } : world;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Ends what is under way and gives the ledgers up; awaited by the extension's deactivation. */
  async close(): Promise<void> {
    this.dispose();
    await this.#closeAll();
  }

  async #lookAtFolders(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const looked = await Promise.all(folders.map(async ({ uri }) => ({ folder: uri, world: await this.forFolder(uri) })));
    this.#refusals = looked.flatMap(({ folder, world }) => (world.ok ? [] : [{ folder, refusal: world.refusal }]));
    this.#ready = true;
    this.#changed.fire();
  }

  /** One world for each repository, also where several linked worktrees of it are open: they share one ledger. */
  #open({ repository, checkout }: { readonly repository: string; readonly checkout: string }): Promise<Result<OpenWorld>> {
    const before = this.#worlds.get(repository);
    if (before) return before;
    const opening = this.#opener.open(checkout).catch(unforeseen).then((world) => {
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
    await Promise.all(worlds.flatMap((world) => (world.ok ? [world.value.close()] : [])));
  }
}

/** One folder that cannot be opened must not keep the others, or the views, waiting. */
function unforeseen(error: unknown): Result<never> {
  return { ok: false, refusal: { reason: 'ledger-unreadable', message: `The repository could not be opened: ${error instanceof Error ? error.message : String(error)}`, next: 'Look at the permissions of its .git folder, then reload the window.' } };
}
