import * as vscode from 'vscode';
import type { EpisodeId } from '../../core/ids.ts';
import type { Limits } from '../../core/limits/limits.ts';
import { count } from '../../core/projections/amounts.ts';
import { publishRow } from '../../core/projections/publishRow.ts';
import type { OpenWorld, PublishPlan, Result, TransferRequest } from '../../runtime/openWorld.ts';
import type { Handlers } from '../commands/handlers.ts';
import { inBackground, tellDone, tellRefusal } from '../tellPerson.ts';
import { repositoryName } from '../views/reviewView.ts';
import { subjectOf } from '../views/rowSubjects.ts';
import type { Worlds } from '../worlds.ts';
import { publishedWords, takenWords } from './historyWords.ts';

export interface HistoryDependencies {
  readonly worlds: Worlds;
  /** What an agent that comes from elsewhere may use on this machine. */
  readonly limits: () => Limits;
}

export function historyCommands(deps: HistoryDependencies): Pick<Handlers, 'worldtree.publishHistory' | 'worldtree.fetchHistory' | 'worldtree.rebuildFromGit'> {
  return {
    'worldtree.publishHistory': async (argument) => {
      const place = await pickRemote(argument, deps, 'Publish History');
      if (place) await publish(place.world, place.remote);
    },
    'worldtree.fetchHistory': async (argument) => {
      const place = await pickRemote(argument, deps, 'Fetch History');
      if (!place) return;
      const { world, remote } = place;
      const taken = await whileTold(`Fetching history from ${remote}`, remote, (request) => world.history.fetch({ ...request, limits: deps.limits() }));
      if (!taken.ok) return tellRefusal(taken.refusal);
      inBackground(tellDone(takenWords(taken.value, remote)));
    },
    'worldtree.rebuildFromGit': async (argument) => {
      const world = await pickWorld(argument, deps.worlds, 'Rebuild from Git');
      if (world) await rebuild(world, deps.limits());
    },
  };
}

export async function rebuild(world: OpenWorld, limits: Limits): Promise<void> {
  const taken = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Rebuilding the history of ${repositoryName(world)}` }, () => world.history.rebuild({ limits }));
  if (!taken.ok) return tellRefusal(taken.refusal);
  inBackground(tellDone(takenWords(taken.value, 'this repository’s refs')));
}

/** Nothing is sent before the person saw a line for each agent and who will be able to read it. */
async function publish(world: OpenWorld, remote: string): Promise<void> {
  const plan = await whileTold(`Looking at what ${remote} has`, remote, (request) => world.history.planPublish(request));
  if (!plan.ok) return tellRefusal(plan.refusal);
  if (plan.value.offered.length === 0) return tellDone(plan.value.there > 0 ? `${remote} has the history of ${count(plan.value.there, 'agent')} as it is here already.` : 'There is nothing to publish: no agent has proposed a change or ended yet.');
  const episodes = await pickAgents(world, remote, plan.value);
  if (episodes === undefined) return;
  if (episodes.length === 0) return tellDone('No agent was picked, so nothing was published.');
  const published = await whileTold(`Publishing ${count(episodes.length, 'agent')} to ${remote}`, remote, (request) => world.history.publish({ ...request, episodes }));
  if (!published.ok) return tellRefusal(published.refusal);
  inBackground(tellDone(publishedWords(published.value, remote)));
}

async function pickAgents(world: OpenWorld, remote: string, { offered, there, atWork }: PublishPlan): Promise<readonly EpisodeId[] | undefined> {
  const items = offered.flatMap((offer) => {
    const episode = world.state().episodes.get(offer.episode);
    return episode ? [{ ...publishRow(episode, offer, remote), id: episode.id }] : [];
  });
  const others = [there > 0 ? `${count(there, 'agent')} there already` : '', atWork > 0 ? `${count(atWork, 'agent')} at work, not offered` : ''].filter((part) => part !== '');
  const picked = await vscode.window.showQuickPick(items, {
    title: [`Publish History of ${repositoryName(world)} to ${remote}`, ...others].join(' · '), canPickMany: true, matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true,
    placeHolder: 'Which agents?', prompt: `Whoever can read ${remote} can then read their goals, reports and proposed code.`,
  });
  return picked?.map(({ id }) => id);
}

async function pickRemote(argument: unknown, { worlds }: HistoryDependencies, title: string): Promise<{ readonly world: OpenWorld; readonly remote: string } | undefined> {
  const world = await pickWorld(argument, worlds, title);
  if (!world) return undefined;
  const remotes = await world.history.remotes();
  if (!remotes.ok) {
    await tellRefusal(remotes.refusal);
    return undefined;
  }
  if (remotes.value.length === 0) {
    await tellRefusal({ reason: 'no-remote', message: `${repositoryName(world)} has no remote.`, next: 'Add one with git remote add, then try again.' });
    return undefined;
  }
  // Also where there is only one: its address says who will read, or who is believed.
  const picked = await vscode.window.showQuickPick(remotes.value.map(({ name, address }) => ({ label: name, description: address })), { title, placeHolder: 'Which remote?' });
  return picked && { world, remote: picked.label };
}

async function pickWorld(argument: unknown, worlds: Worlds, title: string): Promise<OpenWorld | undefined> {
  const subject = subjectOf(argument);
  if (subject?.kind === 'world') return subject.world;
  // Right after the window opened its repositories may still be looked for.
  await Promise.all((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => worlds.forFolder(uri)));
  const all = worlds.all();
  if (all.length === 0) await tellDone('No folder of this window lies in a git repository.');
  if (all.length < 2) return all[0];
  const picked = await vscode.window.showQuickPick(all.map((world) => ({ label: repositoryName(world), description: world.repository.checkout, world })), { title, placeHolder: 'In which repository?' });
  return picked?.world;
}

function whileTold<T>(title: string, remote: string, work: (request: TransferRequest) => Promise<Result<T>>): Thenable<Result<T>> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return work({ remote, signal: abort.signal, progress: (message) => progress.report({ message }) });
  });
}
