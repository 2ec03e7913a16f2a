import * as vscode from 'vscode';
import { candidateFiles, type Candidate, type ChangedFile } from '../../core/candidate/candidate.ts';
import { isSymlink, SUBMODULE_MODE } from '../../core/projections/fileRows.ts';
import type { Episode } from '../../core/world/state.ts';
import { LoneFiles } from '../loneFiles.ts';
import { refusalText } from '../refusalText.ts';
import { onAnyChange, worldKey, worldOf, type Agent, type Worlds } from '../worlds.ts';
import { submoduleText } from './baseFiles.ts';
import { parseChange, pathOf } from './changeAddress.ts';
import { changedFileAt, shownCandidate } from '../../core/candidate/shownCandidate.ts';
import { waitForWorld } from './waitForWorld.ts';

interface Found {
  readonly agent: Agent;
  readonly episode: Episode;
  readonly candidate: Candidate;
  readonly file: ChangedFile | undefined;
}

/**
 * The right side of a review: files of a proposed change. Saving one makes a new candidate with it; nothing is written
 * to any disk. Writable only while the change waits and no verdict is under way.
 */
export class ChangeFiles extends LoneFiles implements vscode.FileSystemProvider {
  readonly #worlds: Worlds;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  /** What was told about each file, so that VS Code hears of it when that is no longer so. */
  readonly #told = new Map<string, { readonly uri: vscode.Uri; readonly looks: string; readonly mtime: number }>();
  readonly #held = new Map<string, number>();
  readonly #exact = new Map<string, { readonly bytes: Uint8Array; written: boolean }>();
  readonly #subscription: { dispose(): void };

  constructor(worlds: Worlds) {
    super();
    this.#worlds = worlds;
    this.#subscription = onAnyChange(worlds, () => this.#tellChanges());
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const found = await this.#find(uri);
    // Before it writes a file, VS Code looks whether the folder is there, and would make it.
    if (isFolderOf(found.candidate, pathOf(uri))) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const bytes = await this.#bytes(uri, found);
    const mtime = this.#remember(uri, found);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.byteLength, ...(this.#writable(found) ? {} : { permissions: vscode.FilePermission.Readonly }) };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.#bytes(uri, await this.#find(uri));
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const found = await this.#find(uri);
    if (!this.#writable(found)) throw vscode.FileSystemError.NoPermissions('This proposed change no longer waits for a verdict, so it cannot be edited.');
    const exact = this.#exact.get(uri.toString());
    const saved = await found.agent.world.saveEdit(found.agent.id, pathOf(uri), exact?.bytes ?? content);
    if (!saved.ok) throw vscode.FileSystemError.Unavailable(refusalText(saved.refusal));
    if (exact) exact.written = true;
  }

  /** While held, the files of an agent's change cannot be written: a verdict on it is under way. */
  hold({ world, id }: Agent): { dispose(): void } {
    const key = `${worldKey(world)}#${id}`;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.#tellChanges();
    let held = true;
    return {
      dispose: () => {
        if (!held) return;
        held = false;
        this.#held.set(key, (this.#held.get(key) ?? 1) - 1);
        this.#tellChanges();
      },
    };
  }

  /**
   * Saves a document with exactly the text it has. VS Code offers an extension no save without formatters and other
   * participants, so what they make of the text on the way here is put aside.
   */
  async saveExactly(document: vscode.TextDocument): Promise<boolean> {
    const key = document.uri.toString();
    const exact = { bytes: await vscode.workspace.encode(document.getText(), { encoding: document.encoding }), written: false };
    this.#exact.set(key, exact);
    try {
      const saved = await document.save();
      // False is also what a save gets that met an automatic one on its way.
      return saved || exact.written || !document.isDirty;
    } finally {
      this.#exact.delete(key);
      // The editor may hold what a formatter made of it: now that nothing is unsaved in it, it reads what was saved.
      this.#tellOtherContent(document.uri);
    }
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async #find(uri: vscode.Uri): Promise<Found> {
    const address = parseChange(uri);
    const world = address && await waitForWorld(this.#worlds, address.repository);
    const found = world && this.#findIn(uri);
    if (!found) throw vscode.FileSystemError.FileNotFound(uri);
    return found;
  }

  #findIn(uri: vscode.Uri): Found | undefined {
    const address = parseChange(uri);
    const world = address && worldOf(this.#worlds, address.repository);
    if (!world) return undefined;
    const episode = world.state().episodes.get(address.episode);
    const candidate = episode && shownCandidate(episode, address.candidate);
    if (!candidate) return undefined;
    return { agent: { world, id: episode.id }, episode, candidate, file: changedFileAt(candidate, pathOf(uri)) };
  }

  async #bytes(uri: vscode.Uri, { agent, candidate, file }: Found): Promise<Uint8Array> {
    if (file?.newMode === SUBMODULE_MODE) return new TextEncoder().encode(submoduleText(file.newBlob ?? ''));
    if (file?.kind === 'deleted') throw vscode.FileSystemError.FileNotFound(uri);
    const bytes = file?.newBlob ? await agent.world.repository.readBlob(file.newBlob) : await agent.world.repository.read(candidate.commit, pathOf(uri));
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  #writable({ agent, episode, candidate, file }: Found): boolean {
    if (!vscode.workspace.isTrusted || agent.world.readOnly() !== null) return false;
    if ((this.#held.get(`${worldKey(agent.world)}#${agent.id}`) ?? 0) > 0) return false;
    // The text of a link or a submodule is not a file's content; saving it as one would replace it by a file.
    if (file && (isSymlink(file) || file.newMode === SUBMODULE_MODE)) return false;
    return episode.phase.name === 'waiting' && episode.phase.candidate === candidate.number;
  }

  /** The time of change that VS Code compares: a new one exactly when the content is another. */
  #remember(uri: vscode.Uri, found: Found): number {
    const key = uri.toString();
    const looks = this.#looks(found);
    const before = this.#told.get(key);
    const mtime = before && contentOf(before.looks) === contentOf(looks) ? before.mtime : Math.max(Date.now(), (before?.mtime ?? 0) + 1);
    this.#told.set(key, { uri, looks, mtime });
    return mtime;
  }

  #looks(found: Found | undefined): string {
    if (!found) return 'gone';
    return `${found.file ? (found.file.newBlob ?? 'deleted') : found.candidate.base}|${String(this.#writable(found))}`;
  }

  #tellOtherContent(uri: vscode.Uri): void {
    const told = this.#told.get(uri.toString());
    if (told) this.#told.set(uri.toString(), { ...told, mtime: Math.max(Date.now(), told.mtime + 1) });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  #tellChanges(): void {
    const events: vscode.FileChangeEvent[] = [];
    for (const [key, told] of this.#told) {
      const looks = this.#looks(this.#findIn(told.uri));
      if (looks === told.looks) continue;
      if (looks === 'gone') this.#told.delete(key);
      else this.#told.set(key, { ...told, looks, mtime: contentOf(looks) === contentOf(told.looks) ? told.mtime : Math.max(Date.now(), told.mtime + 1) });
      events.push({ type: looks === 'gone' ? vscode.FileChangeType.Deleted : vscode.FileChangeType.Changed, uri: told.uri });
    }
    if (events.length > 0) this.#changed.fire(events);
  }
}

/** Only folders of changed files are ever asked about: nothing else of a change is opened. */
function isFolderOf(candidate: Candidate, path: string): boolean {
  return path === '' || candidateFiles(candidate).some((file) => file.path.startsWith(`${path}/`));
}

function contentOf(looks: string): string {
  return looks.slice(0, looks.indexOf('|'));
}
