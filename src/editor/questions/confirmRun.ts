import * as vscode from 'vscode';
import { questionWords } from '../../core/projections/questionWords.ts';
import type { Answer } from '../../core/ledger/events.ts';
import type { Person } from '../../runtime/ports/person.ts';

/** Asked in the middle of a verdict that the person waits for, so it stands in front of everything. Closing it refuses. */
export const personAtTheWindow: Person = {
  async confirmRun(question): Promise<Answer> {
    const words = questionWords(question);
    const choices = words.choices.filter((choice) => choice.choice !== 'refuse');
    const label = await vscode.window.showWarningMessage(`This change ${words.sentence}`, { modal: true, detail: words.detail }, ...choices.map((choice) => choice.label));
    const chosen = choices.find((choice) => choice.label === label);
    return { choice: chosen?.choice ?? 'refuse', words: '' };
  },
};
