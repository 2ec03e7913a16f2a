import * as vscode from 'vscode';
import type { Handlers } from '../commands/handlers.ts';
import { LoneFiles } from '../loneFiles.ts';

export const LONG_TEXT_SCHEME = 'worldtree-text';

interface OpenText {
  bytes: Uint8Array;
  mtime: number;
  saved: boolean;
  readonly resolve: (text: string | undefined) => void;
}

/**
 * A text of several lines in an editor of its own, as git has it for commit messages: buttons in its title take it or
 * leave it as it was. Closed by itself it counts as far as it was saved. It lives in memory; nothing of it is written to
 * any disk.
 */
export class LongTextEditor extends LoneFiles implements vscode.FileSystemProvider {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #open = new Map<string, OpenText>();
  #count = 0;

  /** Shows the text for editing, under a name for its tab. Undefined when it was left as it was, or nothing is left of it. */
  async edit(name: string, text: string): Promise<string | undefined> {
    const uri = vscode.Uri.from({ scheme: LONG_TEXT_SCHEME, path: `/${String(++this.#count)}/${name.replaceAll('/', '∕')}` });
    const edited = new Promise<string | undefined>((resolve) => this.#open.set(uri.toString(), { bytes: new TextEncoder().encode(text), mtime: Date.now(), saved: false, resolve }));
    // Plain text: on the language of commit messages the Git extension puts a Commit button of its own.
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
    const tabs = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      // Dragged into another group it closes in the one and stays in the other.
      if (closed.some((tab) => shows(tab, uri)) && tabsOf(uri).length === 0) this.#end(uri, this.#savedText(uri));
    });
    try {
      const now = (await edited)?.replaceAll('\r\n', '\n');
      return now === undefined || now.trim() === '' ? undefined : now;
    } finally {
      tabs.dispose();
    }
  }

  commands(): Pick<Handlers, 'worldtree.useText' | 'worldtree.discardText'> {
    return {
      'worldtree.useText': async (argument) => this.#close(argument, (document) => document.getText()),
      'worldtree.discardText': async (argument) => this.#close(argument, () => undefined),
    };
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(vscode.workspace.registerFileSystemProvider(LONG_TEXT_SCHEME, this), this.#changed);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.#find(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const open = this.#find(uri);
    open.bytes = content;
    open.saved = true;
    open.mtime = Math.max(Date.now(), open.mtime + 1);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  async #close(argument: unknown, take: (document: vscode.TextDocument) => string | undefined): Promise<void> {
    const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri?.toString());
    if (!document || !this.#open.has(document.uri.toString())) return;
    const text = take(document);
    // Saved into memory, so that closing the tab asks nothing.
    if (document.isDirty) await document.save();
    this.#end(document.uri, text);
    await vscode.window.tabGroups.close(tabsOf(document.uri));
  }

  #savedText(uri: vscode.Uri): string | undefined {
    const open = this.#open.get(uri.toString());
    return open?.saved === true ? new TextDecoder().decode(open.bytes) : undefined;
  }

  #end(uri: vscode.Uri, text: string | undefined): void {
    this.#open.get(uri.toString())?.resolve(text);
    // The editor may still read it while its tab goes.
    setTimeout(() => this.#open.delete(uri.toString()), 5_000).unref();
  }

  #find(uri: vscode.Uri): OpenText {
    const open = this.#open.get(uri.toString());
    if (!open) throw vscode.FileSystemError.FileNotFound(uri);
    return open;
  }
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => shows(tab, uri));
}

function shows(tab: vscode.Tab, uri: vscode.Uri): boolean {
  return tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString();
}
