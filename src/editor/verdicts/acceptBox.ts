import * as vscode from 'vscode';
import type { AcceptPlan } from '../../runtime/openWorld.ts';
import { firstLineOf, furtherLines, withFirstLine } from '../longText/firstLine.ts';
import { acceptWords, offerWords } from './acceptWords.ts';

type Step =
  | { readonly kind: 'accept' | 'new-branch' | 'some-files' | 'edit-message' | 'open-changes' | 'rework' | 'show-output' | 'add-checks' | 'away' }
  | { readonly kind: 'run-once'; readonly check: string };

/** What the person chose, with the message as it is by then. */
export type AcceptStep = Step & { readonly message: string };

interface AcceptItem extends vscode.QuickPickItem {
  readonly step?: Step;
  /** What the button at the end of the row does. */
  readonly again?: Step;
}

const RUN_AGAIN: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('refresh'), tooltip: 'Run Again' };

/** The box before an accept: the message's first line on top, below it where to, what is checked, and what to know. */
export function askAccept(name: string, plan: AcceptPlan, message: string, prefer: 'line' | 'new-branch'): Promise<AcceptStep> {
  const box = vscode.window.createQuickPick<AcceptItem>();
  box.title = `Accept ${name}`;
  box.placeholder = 'First line of the commit message';
  box.value = firstLineOf(message);
  box.ignoreFocusOut = true;
  box.items = itemsOf(plan, message, prefer);
  // What is typed is the message's first line: it filters nothing.
  return new Promise((resolve) => {
    const done = (step: Step) => {
      const subject = box.value.trim();
      resolve({ ...step, message: subject === '' ? message : withFirstLine(message, subject) });
      box.dispose();
    };
    box.onDidAccept(() => {
      const step = box.selectedItems[0]?.step;
      if (step !== undefined) done(step);
    });
    box.onDidTriggerItemButton(({ item }) => {
      if (item.again !== undefined) done(item.again);
    });
    box.onDidHide(() => done({ kind: 'away' }));
    box.show();
  });
}

function itemsOf(plan: AcceptPlan, message: string, prefer: 'line' | 'new-branch'): AcceptItem[] {
  const words = acceptWords(plan);
  const body = furtherLines(message);
  const line: AcceptItem = { label: `$(check) ${words.target}`, description: words.checks, step: { kind: 'accept' }, alwaysShow: true };
  const branch: AcceptItem = { label: '$(git-branch) Accept to a New Branch…', description: 'no existing branch moves, no file in your checkout changes', step: { kind: 'new-branch' }, alwaysShow: true };
  const rework: AcceptItem = { label: '$(comment) Rework…', description: 'the agent goes on from its change and your words', step: { kind: 'rework' }, alwaysShow: true };
  const some: AcceptItem = { label: '$(list-selection) Accept Some Files…', description: 'the rest stays in Review', step: { kind: 'some-files' }, alwaysShow: true };
  const ways = !words.possible ? [rework] : prefer === 'line' ? [line, branch] : [branch, line];
  return [
    ...ways,
    ...(plan.changed.length < 2 ? [] : [some]),
    ...words.warnings.map((warning): AcceptItem => ({ label: '$(warning)', description: warning, alwaysShow: true })),
    ...offers(plan),
    { label: body.length === 0 ? 'The message has no more lines' : `Message: ${String(body.length)} more ${body.length === 1 ? 'line' : 'lines'}`, kind: vscode.QuickPickItemKind.Separator },
    { label: '$(edit) Edit the Whole Message…', description: body[0] ?? '', step: { kind: 'edit-message' }, alwaysShow: true },
    { label: '$(diff-multiple) Open Changes', description: 'look at it first', step: { kind: 'open-changes' }, alwaysShow: true },
  ];
}

/** Commands of the project's own, where no check covers the change. */
function offers({ found }: AcceptPlan): AcceptItem[] {
  if (found.length === 0) return [];
  const commands = found.map((offered): AcceptItem => {
    const { label, description, state } = offerWords(offered);
    const run: Step = { kind: 'run-once', check: offered.check.name };
    if (state === 'not run') return { label: `$(beaker) ${label}`, description, step: run, alwaysShow: true };
    return { label: `$(${state === 'passed' ? 'pass' : 'error'}) ${label}`, description, step: { kind: 'show-output' }, again: run, buttons: [RUN_AGAIN], alwaysShow: true };
  });
  return [
    ...commands,
    { label: '$(checklist) Add as Checks…', description: 'to genesis.toml: from then on they run before an accept', step: { kind: 'add-checks' }, alwaysShow: true },
  ];
}
