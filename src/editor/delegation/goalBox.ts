import * as vscode from 'vscode';
import { shortCommit } from '../../core/ids.ts';
import { displayFolder } from '../../core/paths.ts';
import { count } from '../../core/projections/amounts.ts';
import { branchName, limitWords } from '../../core/projections/episodeWords.ts';
import type { ModelRef } from '../../core/episode/model.ts';
import type { Limits } from '../../core/limits/limits.ts';
import type { DelegationPlan } from '../../runtime/openWorld.ts';
import { firstLineOf, furtherLines, withFirstLine } from '../longText/firstLine.ts';
import type { ModelChoice } from '../models/modelChoices.ts';

/** What has been said so far about a delegation; kept while a part of it is changed in a box of its own. */
export interface Draft {
  readonly goal: string;
  readonly model: ModelChoice | undefined;
  readonly limits: Limits;
}

type GoalStep =
  | { readonly kind: 'start' | 'longer' | 'model' | 'limits' | 'role' | 'open-other'; readonly goal: string }
  | { readonly kind: 'away'; readonly goal: string };

interface GoalItem extends vscode.QuickPickItem {
  readonly step?: Exclude<GoalStep['kind'], 'away'>;
}

/**
 * The goal's first line, typed at the top; below it what the agent will be: each line changes a part of it, the first one starts.
 * Resolves with what the person did; the goal typed so far comes with every step.
 */
export function askGoal(plan: DelegationPlan, draft: Draft, others: readonly string[]): Promise<GoalStep> {
  const box = vscode.window.createQuickPick<GoalItem>();
  box.title = `Delegate ${displayFolder(plan.folder)} to an Agent`;
  box.placeholder = 'What should be done in this folder?';
  box.value = firstLineOf(draft.goal);
  box.prompt = summary(draft);
  box.ignoreFocusOut = true;
  box.items = itemsOf(plan, draft, others);
  const goal = () => withFirstLine(draft.goal, box.value);
  return new Promise((resolve) => {
    const done = (step: GoalStep) => {
      resolve(step);
      box.dispose();
    };
    box.onDidAccept(() => {
      const step = box.selectedItems[0]?.step;
      if (step === undefined) return;
      if (step !== 'start') done({ kind: step, goal: goal() });
      else if (goal().trim() === '') {
        box.placeholder = 'First say what should be done, for example: make the retry policy configurable, with tests';
      } else done({ kind: 'start', goal: goal().trim() });
    });
    box.onDidHide(() => done({ kind: 'away', goal: goal() }));
    box.show();
  });
}

function itemsOf(plan: DelegationPlan, { goal, model, limits }: Draft, others: readonly string[]): GoalItem[] {
  const at = plan.head.kind === 'branch' ? `${branchName(plan.head.ref)} at ${shortCommit(plan.commit)}` : shortCommit(plan.commit);
  const info: GoalItem[] = [];
  if (others.length > 0) info.push({ label: `$(info) ${others.join(', ')} already ${others.length === 1 ? 'works' : 'work'} in this folder`, description: 'start another all the same, or look at it here', step: 'open-other', alwaysShow: true });
  if (plan.uncommittedElsewhere > 0) info.push({ label: '', description: `${count(plan.uncommittedElsewhere, 'uncommitted file')} elsewhere ${plan.uncommittedElsewhere === 1 ? 'is' : 'are'} not included`, alwaysShow: true });
  if (plan.nestedRepositories.length > 0) info.push({ label: '', description: `out of reach, since repositories of their own: ${plan.nestedRepositories.join(', ')}`, alwaysShow: true });
  // The agent's page has them all.
  for (const words of plan.configWarnings.slice(0, 3)) info.push({ label: '', description: words, alwaysShow: true });
  return [
    { label: '$(play) Start', description: `from ${at}, in a worktree of its own`, step: 'start', alwaysShow: true },
    longerGoal(furtherLines(goal)),
    { label: `$(chip) Model: ${model?.name ?? 'choose one…'}`, description: model?.description ?? '', step: 'model', alwaysShow: true },
    { label: '$(person) Role: executor', description: 'reads, edits and runs commands; may not delegate', step: 'role', alwaysShow: true },
    { label: `$(dashboard) Limits: ${limitWords(limits, modelOf(model))}`, description: count(limits.turns, 'turn'), step: 'limits', alwaysShow: true },
    ...info,
  ];
}

/** A box has one line, and what is pasted into it loses its line breaks. */
function longerGoal(more: readonly string[]): GoalItem {
  const [next] = more;
  return next === undefined
    ? { label: '$(edit) Write a Longer Goal…', description: 'in an editor, with as many lines as it takes', step: 'longer', alwaysShow: true }
    : { label: '$(edit) Edit the Whole Goal…', description: `+ ${count(more.length, 'more line')}: ${next.trim()}`, step: 'longer', alwaysShow: true };
}

/** `glm-5.2 · executor · up to $2.00 · 60 min`: everything about the agent at a glance, whichever line is chosen. */
function summary({ model, limits }: Draft): string {
  return `${model?.name ?? 'no model yet'} · executor · ${limitWords(limits, modelOf(model))}`;
}

function modelOf(model: ModelChoice | undefined): ModelRef {
  return model?.ref ?? { kind: 'survey' };
}
