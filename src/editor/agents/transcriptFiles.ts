import * as vscode from 'vscode';
import { TranscriptPage, type Fold, type Written } from '../../core/projections/transcriptPage.ts';
import { agentName, urgency } from '../../core/projections/episodeWords.ts';
import { episodeId, type EpisodeId } from '../../core/ids.ts';
import { Turns } from '../../core/turns.ts';
import type { Episode, RequestSpent } from '../../core/world/state.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import type { TranscriptReader } from '../../runtime/ports/ledger.ts';
import { LoneFiles } from '../loneFiles.ts';
import { waitForWorld } from '../review/waitForWorld.ts';
import { episodeOf, onAnyChange, worldKey, type Agent, type Worlds } from '../worlds.ts';

const TRANSCRIPT_SCHEME = 'worldtree-transcript';
/** The manifest gives what lies in a folder of this name the language of transcripts. */
const FOLDER = 'worldtree-transcript';
/** How often an open page is added to while its agent works, in milliseconds. */
const REFRESH_EVERY = 1000;

/**
 * *Show Transcript*: what an agent and its model said, as read-only text with calls folded. A file system rather than
 * a text provider: of a file that changed VS Code only replaces the lines that differ, however long it is, so that who
 * reads keeps their place and their folds while the agent adds to its end.
 */
export class TranscriptFiles extends LoneFiles implements vscode.FileSystemProvider, vscode.FoldingRangeProvider {
  readonly #worlds: Worlds;
  readonly #open = new Map<string, OpenTranscript>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  #timer: NodeJS.Timeout | undefined;

  constructor(worlds: Worlds) {
    super();
    this.#worlds = worlds;
  }

  async show(agent: Agent): Promise<void> {
    const uri = transcriptUri(agent);
    if (uri) await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(TRANSCRIPT_SCHEME, this, { isReadonly: true, isCaseSensitive: true }),
      vscode.languages.registerFoldingRangeProvider({ scheme: TRANSCRIPT_SCHEME }, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#open.delete(uri.toString())),
      onAnyChange(this.#worlds, () => {
        if (this.#open.size > 0) this.#timer ??= setTimeout(() => void this.#refresh().finally(() => { this.#timer = undefined; }), REFRESH_EVERY);
      }),
      this.#changed,
      { dispose: () => clearTimeout(this.#timer) },
    );
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { size, mtime } = await this.#transcript(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#transcript(uri)).bytes();
  }

  provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
    const folds = this.#open.get(document.uri.toString())?.folds ?? [];
    // VS Code folds imports when it opens a file, where the manifest says so for the language, and asks for nothing else.
    return folds.filter(({ to }) => to < document.lineCount).map(({ from, to, folded }) => new vscode.FoldingRange(from, to, folded ? vscode.FoldingRangeKind.Imports : undefined));
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  async #transcript(uri: vscode.Uri): Promise<OpenTranscript> {
    const address = parseTranscript(uri);
    const world = address && await waitForWorld(this.#worlds, address.repository);
    const episode = address && world?.state().episodes.get(address.episode);
    if (!world || !episode) throw vscode.FileSystemError.FileNotFound(uri);
    const key = uri.toString();
    const known = this.#open.get(key);
    const transcript = known?.world === world ? known : new OpenTranscript(world, episode.id, new TranscriptPage(episode));
    this.#open.set(key, transcript);
    await transcript.read();
    return transcript;
  }

  async #refresh(): Promise<void> {
    for (const [key, transcript] of this.#open) {
      const before = transcript.mtime;
      // What cannot be read now says so when it is opened again.
      await transcript.read().catch(() => undefined);
      if (transcript.mtime !== before) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri: vscode.Uri.parse(key, true) }]);
    }
  }
}

/** Whether anything can still come of what it began. */
function isAtWork(episode: Episode): boolean {
  const state = urgency(episode);
  return state === 'works' || state === 'asks';
}

/** Undefined for an agent that is not known here. */
export function transcriptUri(agent: Agent): vscode.Uri | undefined {
  const episode = episodeOf(agent);
  return episode && vscode.Uri.from({ scheme: TRANSCRIPT_SCHEME, path: `/${FOLDER}/Transcript of ${agentName(episode).replaceAll('/', '∕')}`, query: JSON.stringify({ repository: worldKey(agent.world), episode: agent.id }) });
}

function parseTranscript(uri: vscode.Uri): { readonly repository: string; readonly episode: EpisodeId } | undefined {
  try {
    const query: unknown = JSON.parse(uri.query);
    if (typeof query !== 'object' || query === null || !('repository' in query) || typeof query.repository !== 'string' || !('episode' in query)) return undefined;
    const { data: episode } = episodeId.safeParse(query.episode);
    return episode && { repository: query.repository, episode };
  } catch {
    return undefined;
  }
}

/** The text of one transcript, read so far: what is settled as bytes, since it only grows, and how it ends for now. */
class OpenTranscript {
  readonly world: OpenWorld;
  readonly #id: EpisodeId;
  readonly #page: TranscriptPage;
  readonly #reader: TranscriptReader;
  readonly #turns = new Turns();
  readonly #settled: Uint8Array[] = [];
  readonly #folds: Fold[] = [];
  #end: Written = { text: '', folds: [] };
  #size = 0;
  mtime = 0;

  constructor(world: OpenWorld, id: EpisodeId, page: TranscriptPage) {
    this.world = world;
    this.#id = id;
    this.#page = page;
    this.#reader = world.transcriptReader(id);
    this.#settle(page.head());
  }

  get size(): number {
    return this.#size + Buffer.byteLength(this.#end.text);
  }

  get folds(): readonly Fold[] {
    return [...this.#folds, ...this.#end.folds];
  }

  bytes(): Uint8Array {
    return Buffer.concat([...this.#settled, Buffer.from(this.#end.text)]);
  }

  /** Takes what came since. One at a time, since opening a file asks twice. */
  read(): Promise<void> {
    return this.#turns.run(async () => {
      const before = this.#size;
      for await (const entry of this.#reader.more()) this.#settle(this.#page.add(entry, this.#requests()));
      const episode = this.world.state().episodes.get(this.#id);
      const end = this.#page.end(this.#requests(), episode === undefined || !isAtWork(episode));
      if (this.mtime === 0 || this.#size !== before || end.text !== this.#end.text) this.mtime = Math.max(Date.now(), this.mtime + 1);
      this.#end = end;
    });
  }

  #requests(): readonly RequestSpent[] {
    return this.world.state().episodes.get(this.#id)?.spent.requests ?? [];
  }

  #settle({ text, folds }: Written): void {
    if (text === '') return;
    const bytes = Buffer.from(text);
    this.#settled.push(bytes);
    this.#size += bytes.length;
    this.#folds.push(...folds);
  }
}
