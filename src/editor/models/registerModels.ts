import * as vscode from 'vscode';
import type { ModelRef } from '../../core/episode/model.ts';
import { profileRef } from '../../core/models/modelProfile.ts';
import type { Handlers } from '../commands/handlers.ts';
import { probeCostWords } from '../../core/models/connectionProbe.ts';
import { tellDone } from '../tellPerson.ts';
import { addModel, tryModel, type AddModelDependencies } from './addModel.ts';
import { priceWords, type ModelChoice, type ModelChoices } from './modelChoices.ts';
import { pickModel } from './modelPicker.ts';

export interface ModelDependencies extends AddModelDependencies {
  readonly models: ModelChoices;
}

export function modelCommands(deps: ModelDependencies): Pick<Handlers, 'worldtree.addModel' | 'worldtree.testModel' | 'worldtree.chooseModel' | 'worldtree.removeKey'> {
  return {
    'worldtree.addModel': async () => { await addAndRemember(deps); },
    'worldtree.testModel': async () => { await testModel(deps); },
    'worldtree.chooseModel': async () => {
      const picked = await pickModel(deps, { title: 'Model for the Next Delegation', current: await deps.models.last(), offerSurvey: false });
      if (picked?.kind === 'model') await deps.models.remember(picked.choice.ref);
      else if (picked?.kind === 'add') await addAndRemember(deps);
    },
    'worldtree.removeKey': async () => {
      const origins = deps.keys.origins();
      if (origins.length === 0) {
        void vscode.window.showInformationMessage('No key is stored. Keys from environment variables are not kept here.');
        return;
      }
      const origin = await vscode.window.showQuickPick([...origins], { title: 'Remove a Stored Key', placeHolder: 'The key of which server?' });
      if (origin === undefined) return;
      await deps.keys.remove(origin);
      void vscode.window.showInformationMessage(`The key for ${origin} is removed from this machine.`);
    },
  };
}

async function testModel(deps: ModelDependencies): Promise<void> {
  const found = await deps.models.find();
  if (found.length === 0) return tellDone('There is no model to test. Add one with “Worldtree: Add a Model…”.');
  const items = found.map((choice) => ({ label: `$(beaker) ${choice.name}`, description: `${choice.description} · ${probeCostWords(choice.ref)}`, choice }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Test a Model', placeHolder: 'Tells whether it answers, calls tools and tells cached tokens. Which one?', matchOnDescription: true });
  if (!picked) return;
  const result = await tryModel(deps, picked.choice.ref);
  if (result.ok) return tellDone(result.words);
  await vscode.window.showWarningMessage(`${result.words} ${result.next}`.trim());
}

/** A model for one agent, found or added; undefined when the person gave up. */
export async function chooseModel(title: string, deps: ModelDependencies): Promise<ModelRef | undefined> {
  const picked = await pickModel(deps, { title, current: await deps.models.last(), offerSurvey: false });
  return picked?.kind === 'add' ? (await addAndRemember(deps))?.ref : picked?.kind === 'model' ? picked.choice.ref : undefined;
}

/** Adds a model and makes it the one for the next delegation. Undefined when the person gave up, and for one that agents cannot work with. */
export async function addAndRemember(deps: ModelDependencies): Promise<ModelChoice | undefined> {
  const profile = await addModel(deps);
  if (!profile) return undefined;
  const ref = profileRef(profile);
  if (deps.toolless.reason(ref) !== null) return undefined;
  await deps.models.remember(ref);
  return { ref, from: 'settings', name: profile.model, description: `${profile.id} · ${priceWords(ref)}`, refused: null };
}
