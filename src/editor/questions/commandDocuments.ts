import * as vscode from 'vscode';

const SCHEME = 'worldtree-command';

/** The list with the answers lies above the first lines of the editor. */
const HEAD = `${'\n'.repeat(6)}# All of the command, as it would run:\n`;

/**
 * A command to be read before it is allowed, as it is: a message joins its lines, cuts it, and hides characters that
 * change how it reads, where an editor shows them.
 */
export class CommandDocuments implements vscode.TextDocumentContentProvider {
  readonly #commands = new Map<string, string>();
  #shown = 0;

  async show(command: string): Promise<void> {
    this.#shown += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/Command ${String(this.#shown)}.sh` });
    this.#commands.set(uri.path, HEAD + command);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true, preserveFocus: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#commands.get(uri.path) ?? 'This command was asked about before the window was reloaded.\n';
  }

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }
}
