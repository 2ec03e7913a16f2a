import * as vscode from 'vscode';
import type { ModelChoice, ModelChoices } from './modelChoices.ts';

type PickedModel =
  | { readonly kind: 'model'; readonly choice: ModelChoice }
  | { readonly kind: 'add' }
  /** Rather look at the folder with the embedded survey, which needs no model. */
  | { readonly kind: 'survey' };

type Item = vscode.QuickPickItem & { readonly means?: PickedModel };

const GROUPS: Record<ModelChoice['from'], string> = { settings: 'From your settings', vscode: 'Of your VS Code', local: 'On this machine' };

/** Offers what was found, adding a model, and where wanted the survey. Undefined when the person went away. */
export async function pickModel(models: ModelChoices, options: { readonly title: string; readonly current?: ModelChoice | undefined; readonly offerSurvey: boolean }): Promise<PickedModel | undefined> {
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
    items.push(...choices.map((choice): Item => ({ label: `$(chip) ${choice.name}`, description: choice.description, means: { kind: 'model', choice } })));
  }
  items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  items.push({ label: '$(key) Add a Model…', description: 'OpenAI, DeepSeek, OpenRouter or any compatible server', means: { kind: 'add' }, alwaysShow: true });
  if (options.offerSurvey) items.push({ label: '$(telescope) Survey the Folder Instead', description: 'needs no model, costs nothing, proposes a CONTEXT.md', means: { kind: 'survey' }, alwaysShow: true });
  return items;
}
