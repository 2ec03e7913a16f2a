import * as vscode from 'vscode';
import type { AcceptPlan } from '../../runtime/openWorld.ts';
import { acceptWords, subjectOfMessage, withSubject } from './acceptWords.ts';

export type AcceptStep =
  | { readonly kind: 'accept' | 'new-branch' | 'some-files' | 'edit-message' | 'open-changes' | 'rework'; readonly message: string }
  | { readonly kind: 'away'; readonly message: string };

interface AcceptItem extends vscode.QuickPickItem {
  readonly step?: Exclude<AcceptStep['kind'], 'away'>;
}

/** The box before an accept: the message's first line on top, below it where to, what is checked, and what to know. */
export function askAccept(name: string, plan: AcceptPlan, message: string, prefer: 'line' | 'new-branch'): Promise<AcceptStep> {
  const box = vscode.window.createQuickPick<AcceptItem>();
  box.title = `Accept ${name}`;
  box.placeholder = 'First line of the commit message';
  box.value = subjectOfMessage(message);
  box.ignoreFocusOut = true;
  box.items = itemsOf(plan, message, prefer);
  // What is typed is the message's first line: it filters nothing.
  return new Promise((resolve) => {
    const done = (kind: AcceptStep['kind']) => {
      const subject = box.value.trim();
      resolve({ kind, message: subject === '' ? message : withSubject(message, subject) });
      box.dispose();
    };
    box.onDidAccept(() => {
      const step = box.selectedItems[0]?.step;
      if (step !== undefined) done(step);
    });
    box.onDidHide(() => done('away'));
    box.show();
  });
}

function itemsOf(plan: AcceptPlan, message: string, prefer: 'line' | 'new-branch'): AcceptItem[] {
  const words = acceptWords(plan);
  const body = message.split('\n').slice(1).filter((line) => line.trim() !== '');
  const line: AcceptItem = { label: `$(check) ${words.target}`, description: words.checks, step: 'accept', alwaysShow: true };
  const branch: AcceptItem = { label: '$(git-branch) Accept to a New Branch…', description: 'no branch that exists moves, no file of your checkout changes', step: 'new-branch', alwaysShow: true };
  const ways = !words.possible ? [{ label: '$(comment) Rework…', description: 'the agent goes on from its change and your words', step: 'rework' as const, alwaysShow: true }] : prefer === 'line' ? [line, branch] : [branch, line];
  return [
    ...ways,
    ...(plan.changed.length < 2 ? [] : [{ label: '$(list-selection) Accept Some Files…', description: 'the rest waits on', step: 'some-files' as const, alwaysShow: true }]),
    ...words.warnings.map((warning): AcceptItem => ({ label: '$(warning)', description: warning, alwaysShow: true })),
    { label: body.length === 0 ? 'The message has no more lines' : `Message: ${String(body.length)} more ${body.length === 1 ? 'line' : 'lines'}`, kind: vscode.QuickPickItemKind.Separator },
    { label: '$(edit) Edit the Whole Message…', description: body[0] ?? '', step: 'edit-message', alwaysShow: true },
    { label: '$(diff-multiple) Open Changes', description: 'look at it first', step: 'open-changes', alwaysShow: true },
  ];
}
