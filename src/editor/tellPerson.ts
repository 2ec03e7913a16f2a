import * as vscode from 'vscode';
import { Refused, type Refusal } from '../core/refusal.ts';
import { ModelError } from '../runtime/ports/models.ts';
import { refusalFiles, refusalText } from './refusalText.ts';

/** A button under a message, with what it does. */
export interface Button {
  readonly label: string;
  readonly run: () => Promise<void> | Thenable<unknown>;
}

/**
 * The one place where a refusal becomes words for the person (rule 12): what happened, what to do next, the files in
 * the way, and a button for every next step that this window can do itself.
 */
export async function tellRefusal(refusal: Refusal, buttons: readonly Button[] = []): Promise<void> {
  // What a person cancelled needs no message.
  if (refusal.reason === 'cancelled') return;
  const all = [...buttons, ...ownButtons(refusal)];
  const files = refusalFiles(refusal);
  if (files === '') await choose(await vscode.window.showWarningMessage(refusalText(refusal), ...all.map((b) => b.label)), all);
  // Only a modal message shows lines below the sentence; files that are in the way are worth one.
  else await choose(await vscode.window.showWarningMessage(refusal.message, { modal: true, detail: `${refusal.next}\n\n${files}` }, ...all.map((b) => b.label)), all);
}

/** Says that something was done, with buttons for what may follow. Resolves when the message is gone. */
export async function tellDone(text: string, buttons: readonly Button[] = []): Promise<void> {
  await choose(await vscode.window.showInformationMessage(text, ...buttons.map((b) => b.label)), buttons);
}

/** Runs what a command does; whatever goes wrong in it is said, and nothing fails in silence. */
export async function guarded(what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof Refused) await tellRefusal(error.refusal);
    else if (error instanceof ModelError) await vscode.window.showWarningMessage(`${error.message} ${error.next}`.trim());
    else {
      console.error(`Worldtree: ${what}`, error);
      await vscode.window.showErrorMessage(`${what} did not work: ${error instanceof Error ? error.message : String(error)} Nothing was changed beyond what the views show; try again, and report this if it stays.`);
    }
  }
}

/** A message shown without waiting for it to be dismissed. */
export function inBackground(message: Promise<void>): void {
  message.catch((error: unknown) => { console.error('Worldtree: a message could not be shown', error); });
}

async function choose(label: string | undefined, buttons: readonly Button[]): Promise<void> {
  await buttons.find((button) => button.label === label)?.run();
}

function ownButtons(refusal: Refusal): Button[] {
  const command = (label: string, id: string, ...args: unknown[]): Button => ({ label, run: () => vscode.commands.executeCommand(id, ...args) });
  switch (refusal.reason) {
    case 'untrusted': return [command('Manage Workspace Trust', 'workbench.trust.manage')];
    case 'no-commit': return [command('Make the First Commit…', 'worldtree.firstCommit')];
    case 'operation-in-progress': case 'dirty-files': case 'untracked-files': return [command('Open Source Control', 'workbench.view.scm')];
    case 'no-repository': return [command('Open a Folder…', 'vscode.openFolder')];
    case 'no-model': return [command('Add a Model…', 'worldtree.addModel')];
    case 'git-missing': case 'git-too-old': return [command('Download Git', 'vscode.open', vscode.Uri.parse('https://git-scm.com/downloads'))];
    case 'unsaved-files': return [{ label: 'Save Files', run: () => saveFiles() }];
    default: return [];
  }
}

async function saveFiles(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) if (document.isDirty && document.uri.scheme === 'file') await document.save();
}
