import * as vscode from 'vscode';
import { questionWords } from '../../core/projections/questionWords.ts';
import type { Answer } from '../../core/ledger/events.ts';
import { levelOf } from '../../core/sandbox/network.ts';
import type { Person } from '../../runtime/ports/person.ts';
import type { CommandDocuments } from './commandDocuments.ts';

/** Asked in the middle of a verdict that the person waits for, so it stands in front of everything. Closing it refuses. */
export function personAtTheWindow(commands: CommandDocuments): Person {
  return {
    async confirmRun(question): Promise<Answer> {
      const words = questionWords(question);
      if (words.whole !== null) await commands.show(words.whole);
      const choices = words.choices.filter((choice) => choice.choice !== 'refuse');
      const seen = words.whole === null ? '' : ' All of it is in the editor behind this message.';
      const label = await vscode.window.showWarningMessage(`This change ${words.sentence}`, { modal: true, detail: words.detail + seen }, ...choices.map((choice) => choice.label));
      const chosen = choices.find((choice) => choice.label === label);
      return { choice: chosen?.choice ?? 'refuse', words: '' };
    },
    async chooseNetwork(question) {
      const words = questionWords(question);
      const label = await vscode.window.showWarningMessage(`This change ${words.sentence}`, { modal: true, detail: words.detail }, ...words.choices.map((choice) => choice.label));
      const chosen = words.choices.find((choice) => choice.label === label);
      return chosen === undefined ? null : levelOf(chosen.choice);
    },
  };
}
