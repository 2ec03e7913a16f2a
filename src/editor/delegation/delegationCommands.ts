import * as vscode from 'vscode';
import type { EpisodeId } from '../../core/ids.ts';
import { displayFolder } from '../../core/paths.ts';
import { agentName } from '../../core/projections/episodeWords.ts';
import type { Limits } from '../../core/limits/limits.ts';
import type { DelegationPlan, OpenWorld } from '../../runtime/openWorld.ts';
import type { Handlers } from '../commands/handlers.ts';
import type { LongTextEditor } from '../longText/longTextEditor.ts';
import type { ModelChoice } from '../models/modelChoices.ts';
import { pickModel } from '../models/modelPicker.ts';
import { addAndRemember, type ModelDependencies } from '../models/registerModels.ts';
import { inBackground, tellDone, tellRefusal } from '../tellPerson.ts';
import { episodeOf, type Agent, type PlacedFolder, type Worlds } from '../worlds.ts';
import { startsFromCommit } from './askUncommitted.ts';
import { askGoal, type Draft } from './goalBox.ts';
import { pickLimits } from './limitPicker.ts';
import { folderFor } from './pickFolder.ts';
import { showPreparing } from './showPreparing.ts';

interface DelegationDependencies extends ModelDependencies {
  readonly worlds: Worlds;
  readonly limits: () => Limits;
  readonly texts: LongTextEditor;
  readonly showAgent: (agent: Agent) => Promise<void>;
}

export function delegationCommands(deps: DelegationDependencies): Pick<Handlers, 'worldtree.delegate' | 'worldtree.survey'> {
  /** Goals that were typed and not started, by folder: leaving the box loses nothing. */
  const drafts = new Map<string, string>();
  return {
    'worldtree.delegate': async (argument) => {
      const place = await folderFor(argument, deps.worlds);
      if (place) await delegate(place, deps, drafts);
    },
    'worldtree.survey': async (argument) => {
      const place = await folderFor(argument, deps.worlds);
      if (place) await survey(place, deps);
    },
  };
}

async function delegate(place: PlacedFolder, deps: DelegationDependencies, drafts: Map<string, string>): Promise<void> {
  const plan = await planFor(place);
  if (!plan || !(await startsFromCommit(plan))) return;
  const key = `${place.checkout}:${place.folder}`;
  let draft: Draft = { goal: drafts.get(key) ?? '', model: await deps.models.last(), limits: deps.limits() };
  if (!draft.model) {
    const chosen = await chooseModel(`Which Model Should Work on ${displayFolder(place.folder)}?`, draft.model, deps);
    if (chosen === 'survey') return startSurvey(place.world, plan, deps);
    if (!chosen) return;
    draft = { ...draft, model: chosen };
  }
  const others = plan.alreadyThere.map((id) => nameOf(place.world, id));
  for (;;) {
    const step = await askGoal(plan, draft, others);
    draft = { ...draft, goal: step.goal };
    drafts.set(key, step.goal);
    switch (step.kind) {
      case 'away': return;
      case 'role':
        await vscode.window.showQuickPick([{ label: '$(person) executor', description: 'reads, edits and runs commands in its own worktree; may not delegate' }], { title: 'Role of This Agent', placeHolder: 'What may the agent do?', ignoreFocusOut: true });
        break;
      case 'longer': {
        const goal = (await deps.texts.edit(`Goal for ${displayFolder(place.folder)}`, draft.goal))?.trim() ?? draft.goal;
        draft = { ...draft, goal };
        drafts.set(key, goal);
        break;
      }
      case 'limits': draft = { ...draft, limits: (await pickLimits(draft.limits, draft.model?.ref)) ?? draft.limits }; break;
      case 'open-other': {
        const [other] = plan.alreadyThere;
        if (other !== undefined) await deps.showAgent({ world: place.world, id: other });
        return;
      }
      case 'model': {
        const chosen = await chooseModel('Which Model?', draft.model, deps);
        if (chosen === 'survey') return startSurvey(place.world, plan, deps);
        draft = { ...draft, model: chosen ?? draft.model };
        break;
      }
      case 'start': {
        const { model, limits, goal } = draft;
        if (!model) break;
        const started = await place.world.delegate({ plan, goal, model: model.ref, limits });
        if (!started.ok) return tellRefusal(started.refusal);
        drafts.delete(key);
        await deps.models.remember(model.ref);
        showPreparing({ world: place.world, id: started.value });
        return;
      }
    }
  }
}

async function survey(place: PlacedFolder, deps: DelegationDependencies): Promise<void> {
  const plan = await planFor(place);
  if (!plan || !(await startsFromCommit(plan))) return;
  await startSurvey(place.world, plan, deps);
}

async function startSurvey(world: OpenWorld, plan: DelegationPlan, deps: DelegationDependencies): Promise<void> {
  const started = await world.delegate({ plan, goal: null, model: { kind: 'survey' }, limits: deps.limits() });
  if (!started.ok) return tellRefusal(started.refusal);
  if (plan.alreadyThere.length > 0) inBackground(tellDone(`${plan.alreadyThere.map((id) => nameOf(world, id)).join(', ')} also works in this folder.`));
  showPreparing({ world, id: started.value });
}

async function planFor({ world, folder, checkout }: PlacedFolder): Promise<DelegationPlan | undefined> {
  const plan = await world.prepareDelegation(folder, checkout);
  if (plan.ok) return plan.value;
  await tellRefusal(plan.refusal);
  return undefined;
}

async function chooseModel(title: string, current: ModelChoice | undefined, deps: DelegationDependencies): Promise<ModelChoice | 'survey' | undefined> {
  const picked = await pickModel(deps, { title, current, offerSurvey: true });
  switch (picked?.kind) {
    case undefined: return undefined;
    case 'survey': return 'survey';
    case 'add': return addAndRemember(deps);
    case 'model': return picked.choice;
  }
}

function nameOf(world: OpenWorld, id: EpisodeId): string {
  const episode = episodeOf({ world, id });
  return episode ? agentName(episode) : id;
}
