import * as vscode from 'vscode';
import type { AbsolutePath } from '../../core/ids.ts';
import type { ChangeFiles } from '../review/changeFiles.ts';
import { unsavedDocuments } from '../review/changeTabs.ts';
import type { Agent } from '../worlds.ts';

/** Files on disk that an editor of this window holds unsaved changes of. Asked for at the moment when files would be written. */
export function unsavedFiles(): Promise<readonly AbsolutePath[]> {
  const documents = vscode.workspace.textDocuments.filter((document) => document.isDirty && document.uri.scheme === 'file').map((document) => document.uri.fsPath);
  const notebooks = vscode.workspace.notebookDocuments.filter((notebook) => notebook.isDirty && notebook.uri.scheme === 'file').map((notebook) => notebook.uri.fsPath);
  return Promise.resolve([...documents, ...notebooks] as AbsolutePath[]);
}

/**
 * A verdict is about what the person sees: text typed into the diff and not saved is saved first, exactly as typed.
 * False when that failed, and then there must be no verdict.
 */
export async function saveTypedText(agent: Agent, files: ChangeFiles): Promise<boolean> {
  for (const document of unsavedDocuments(agent)) {
    if (await files.saveExactly(document)) continue;
    void vscode.window.showWarningMessage(`${document.uri.path.slice(1)} could not be saved into the proposed change, so nothing was decided. Save it by hand or undo your edit, then try again.`);
    return false;
  }
  return true;
}
