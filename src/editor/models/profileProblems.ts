import * as vscode from 'vscode';
import { inBackground } from '../tellPerson.ts';

/** Says which entries of `worldtree.models` are left out and why: once for each reason, at the start and whenever the setting changes. */
export function tellProfileProblems(problems: () => readonly string[]): vscode.Disposable {
  const told = new Set<string>();
  const tell = (): void => {
    const fresh = problems().filter((words) => !told.has(words));
    for (const words of fresh) told.add(words);
    if (fresh.length > 0) inBackground(offerSettings(fresh.join(' ')));
  };
  tell();
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('worldtree.models')) tell();
  });
}

async function offerSettings(words: string): Promise<void> {
  const open = 'Open Settings';
  if ((await vscode.window.showWarningMessage(words, open)) === open) await vscode.commands.executeCommand('workbench.action.openSettings', 'worldtree.models');
}
