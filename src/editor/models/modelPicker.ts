import * as vscode from 'vscode';
import { modelName, type ModelRef } from '../../core/episode/model.ts';
import { probeCostWords } from '../../core/models/connectionProbe.ts';
import { inBackground, tellDone } from '../tellPerson.ts';
import { tryModel, type AddModelDependencies } from './addModel.ts';
import type { ModelChoice, ModelChoices } from './modelChoices.ts';

type PickedModel =
  | { readonly kind: 'model'; readonly choice: ModelChoice }
  | { readonly kind: 'add' }
  /** Rather look at the folder with the embedded survey, which needs no model. */
  | { readonly kind: 'survey' };

type Item = vscode.QuickPickItem & { readonly means?: PickedModel };

const GROUPS: Record<ModelChoice['from'], string> = { settings: 'From your settings', vscode: 'Of your VS Code', local: 'On this machine' };

interface PickOptions {
  readonly title: string;
  readonly current?: ModelChoice | undefined;
  readonly offerSurvey: boolean;
}

/** Offers what was found, adding a model, and where wanted the survey. A model that cannot call tools is refused with the reason. Undefined when the person went away. */
export async function pickModel(deps: Pick<AddModelDependencies, 'testConnection' | 'toolless'> & { readonly models: ModelChoices }, options: PickOptions): Promise<PickedModel | undefined> {
  for (;;) {
    const picked = await pickOnce(deps.models, options);
    if (picked?.kind !== 'model' || picked.choice.refused === null || await callsToolsAfterAll(deps, picked.choice.ref, picked.choice.refused)) return picked;
  }
}

/** A server may have been set up anew since. */
async function callsToolsAfterAll(deps: Pick<AddModelDependencies, 'testConnection' | 'toolless'>, model: ModelRef, reason: string): Promise<boolean> {
  const again = 'Try It Again';
  const choice = await vscode.window.showWarningMessage(`${modelName(model)} cannot be delegated to: agents work by calling tools.`, { modal: true, detail: `${reason}\n\nTrying it again takes ${probeCostWords(model)}.` }, again);
  if (choice !== again) return false;
  const result = await tryModel(deps, model);
  inBackground(tellDone(result.ok ? result.words : `${result.words} ${result.next}`));
  return result.ok;
}

async function pickOnce(models: ModelChoices, options: PickOptions): Promise<PickedModel | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = options.title;
  picker.placeholder = 'Looking for models…';
  picker.busy = true;
  picker.matchOnDescription = true;
  picker.show();
  try {
    const picked = new Promise<PickedModel | undefined>((resolve) => {
      picker.onDidAccept(() => {
        const chosen = picker.selectedItems[0]?.means;
        if (chosen) resolve(chosen);
      });
      picker.onDidHide(() => resolve(undefined));
    });
    const found = await models.find();
    picker.busy = false;
    picker.placeholder = found.length === 0 ? 'No model was found on this machine' : 'Which model?';
    picker.items = itemsOf(found, options);
    const current = picker.items.find((item) => item.means?.kind === 'model' && item.means.choice.description === options.current?.description && item.label.endsWith(options.current.name));
    if (current) picker.activeItems = [current];
    return await picked;
  } finally {
    picker.dispose();
  }
}

function itemsOf(found: readonly ModelChoice[], options: { readonly offerSurvey: boolean }): Item[] {
  const items: Item[] = [];
  for (const from of ['settings', 'vscode', 'local'] as const) {
    const choices = found.filter((choice) => choice.from === from);
    if (choices.length === 0) continue;
    items.push({ label: GROUPS[from], kind: vscode.QuickPickItemKind.Separator });
    items.push(...choices.map((choice): Item => ({ label: `$(${choice.refused === null ? 'chip' : 'circle-slash'}) ${choice.name}`, description: choice.refused === null ? choice.description : `${choice.description} · cannot call tools`, means: { kind: 'model', choice } })));
  }
  items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  items.push({ label: '$(key) Add a Model…', description: 'OpenAI, DeepSeek, Z.ai, OpenRouter, a server of your own or any compatible one', means: { kind: 'add' }, alwaysShow: true });
  if (options.offerSurvey) items.push({ label: '$(telescope) Survey the Folder Instead', description: 'needs no model, costs nothing, proposes a CONTEXT.md', means: { kind: 'survey' }, alwaysShow: true });
  return items;
}
