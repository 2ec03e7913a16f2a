import * as vscode from 'vscode';
import type { Handlers } from '../commands/handlers.ts';

export const MESSAGE_SCHEME = 'worldtree-message';

interface OpenMessage {
  readonly uri: vscode.Uri;
  bytes: Uint8Array;
  mtime: number;
  readonly resolve: (text: string | undefined) => void;
}

/**
 * A commit message in an editor of its own, as git has it: buttons in its title take it or leave it, closing it leaves
 * it. It lives in memory; nothing of it is written to any disk.
 */
export class MessageEditor implements vscode.FileSystemProvider {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #open = new Map<string, OpenMessage>();
  #count = 0;

  /** Shows the message for editing. Undefined when it was left as it was. */
  async edit(name: string, text: string): Promise<string | undefined> {
    const uri = vscode.Uri.from({ scheme: MESSAGE_SCHEME, path: `/${String(++this.#count)}/Message of ${name.replaceAll('/', '∕')}` });
    const edited = new Promise<string | undefined>((resolve) => this.#open.set(uri.toString(), { uri, bytes: new TextEncoder().encode(text), mtime: Date.now(), resolve }));
    // Plain text: on the language of commit messages the Git extension puts a Commit button of its own.
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
    const tabs = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      if (closed.some((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString())) this.#end(uri, undefined);
    });
    try {
      return await edited;
    } finally {
      tabs.dispose();
    }
  }

  commands(): Pick<Handlers, 'worldtree.useMessage' | 'worldtree.discardMessage'> {
    return {
      'worldtree.useMessage': async (argument) => this.#close(argument, (document) => document.getText()),
      'worldtree.discardMessage': async (argument) => this.#close(argument, () => undefined),
    };
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(vscode.workspace.registerFileSystemProvider(MESSAGE_SCHEME, this), this.#changed);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.#find(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const message = this.#find(uri);
    message.bytes = content;
    message.mtime = Math.max(Date.now(), message.mtime + 1);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  async #close(argument: unknown, take: (document: vscode.TextDocument) => string | undefined): Promise<void> {
    const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri?.toString());
    if (!document || !this.#open.has(document.uri.toString())) return;
    const text = take(document);
    // Saved into memory, so that closing the tab asks nothing.
    if (document.isDirty) await document.save();
    this.#end(document.uri, text);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === document.uri.toString());
    await vscode.window.tabGroups.close(tabs);
  }

  #end(uri: vscode.Uri, text: string | undefined): void {
    this.#open.get(uri.toString())?.resolve(text);
    // The editor may still read it while its tab goes.
    setTimeout(() => this.#open.delete(uri.toString()), 5_000).unref();
  }

  #find(uri: vscode.Uri): OpenMessage {
    const message = this.#open.get(uri.toString());
    if (!message) throw vscode.FileSystemError.FileNotFound(uri);
    return message;
  }
}
