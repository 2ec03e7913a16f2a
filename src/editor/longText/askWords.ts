import * as vscode from 'vscode';
import type { LongTextEditor } from './longTextEditor.ts';

const WRITE_MORE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Write It in an Editor…' };

export interface WordsAskedFor {
  readonly title: string;
  readonly prompt: string;
  /** Said where nothing was typed; left out, nothing is an answer too. */
  readonly required?: string;
  /** Names the document of a longer text. */
  readonly name: string;
}

/** Words of the person: one line in a box, or with its button as many as they like in an editor. Undefined when they left. */
export async function askWords({ title, prompt, required, name }: WordsAskedFor, texts: LongTextEditor): Promise<string | undefined> {
  let typed = '';
  for (;;) {
    const step = await askLine({ title, prompt, required, typed });
    if (step.kind === 'away') return undefined;
    if (step.kind === 'done') return step.text.trim();
    const written = await texts.edit(name, step.text);
    if (written !== undefined) return written.trim();
    typed = step.text;
  }
}

interface Step {
  readonly kind: 'done' | 'longer' | 'away';
  readonly text: string;
}

function askLine({ title, prompt, required, typed }: { readonly title: string; readonly prompt: string; readonly required: string | undefined; readonly typed: string }): Promise<Step> {
  const box = vscode.window.createInputBox();
  box.title = title;
  box.prompt = prompt;
  box.value = typed;
  box.buttons = [WRITE_MORE];
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    const end = (kind: Step['kind']) => {
      resolve({ kind, text: box.value });
      box.dispose();
    };
    box.onDidAccept(() => {
      if (required !== undefined && box.value.trim() === '') box.validationMessage = required;
      else end('done');
    });
    box.onDidChangeValue(() => { box.validationMessage = undefined; });
    box.onDidTriggerButton(() => end('longer'));
    box.onDidHide(() => end('away'));
    box.show();
  });
}
