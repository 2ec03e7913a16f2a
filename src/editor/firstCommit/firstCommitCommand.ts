import * as vscode from 'vscode';
import { firstCommitItems, type FirstCommitItem } from '../../core/firstCommit/firstCommitItems.ts';
import { shortCommit, type FilePath } from '../../core/ids.ts';
import { count } from '../../core/projections/amounts.ts';
import { branchName } from '../../core/projections/episodeWords.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import type { FirstCommitOffer } from '../../runtime/ports/firstCommit.ts';
import type { Handlers } from '../commands/handlers.ts';
import { inBackground, tellDone, tellRefusal } from '../tellPerson.ts';
import { repositoryName } from '../views/reviewView.ts';
import type { Worlds } from '../worlds.ts';

export interface FirstCommitDependencies {
  readonly worlds: Worlds;
  /** What the views know of the repositories is out of date. */
  readonly committed: () => void;
}

export function firstCommitCommands(deps: FirstCommitDependencies): Pick<Handlers, 'worldtree.firstCommit'> {
  return {
    'worldtree.firstCommit': async () => {
      const world = await pickUnborn(deps.worlds);
      if (world) await makeFirstCommit(world, deps);
    },
  };
}

async function makeFirstCommit(world: OpenWorld, { committed }: FirstCommitDependencies): Promise<void> {
  const offer = await world.offerFirstCommit();
  if (!offer.ok) return tellRefusal(offer.refusal);
  const branch = branchName(offer.value.ref);
  if (offer.value.files.length === 0) return tellDone(`${repositoryName(world)} holds no file that could be committed. Add one, a README for example, then make the first commit.`);
  const files = await pickFiles(world, branch, offer.value);
  if (files === undefined) return;
  if (files.length === 0) return tellDone('No file was picked, so nothing was committed.');
  const message = await vscode.window.showInputBox({ title: `First Commit on ${branch}`, prompt: `Message of the commit of ${count(files.length, 'file')}`, value: 'First commit', ignoreFocusOut: true, validateInput: (text) => (text.trim() === '' ? 'A message is needed' : undefined) });
  if (message === undefined) return;
  const made = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Committing ${count(files.length, 'file')} on ${branch}`, cancellable: true }, (_progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return world.makeFirstCommit({ files, message: message.trim(), signal: abort.signal });
  });
  committed();
  if (!made.ok) return tellRefusal(made.refusal);
  inBackground(tellDone(`${branch} has its first commit, ${shortCommit(made.value)}, with ${count(files.length, 'file')}. An agent can start from it.`, [{ label: 'Delegate to Agent…', run: () => vscode.commands.executeCommand('worldtree.delegate') }]));
}

async function pickFiles(world: OpenWorld, branch: string, { files, nestedRepositories }: FirstCommitOffer): Promise<readonly FilePath[] | undefined> {
  const items = firstCommitItems(files).map((item: FirstCommitItem) => ({ label: item.label.replaceAll('\n', '⏎'), description: item.description, picked: item.picked, files: item.files }));
  // Named although nothing of it is committed: whoever knows that it is there would look for it.
  const nested = nestedRepositories.map((folder) => ({ label: folder, description: 'a repository of its own: cannot be part of this one', picked: false, files: [] }));
  const picked = await vscode.window.showQuickPick([...items, ...nested], { title: `First Commit of ${repositoryName(world)} on ${branch}`, placeHolder: 'Which files belong to it? Ignored files are not listed', canPickMany: true, matchOnDescription: true, ignoreFocusOut: true });
  return picked?.flatMap((item) => item.files);
}

async function pickUnborn(worlds: Worlds): Promise<OpenWorld | undefined> {
  // Right after the window opened its repositories may still be looked for.
  await Promise.all((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => worlds.forFolder(uri)));
  const heads = await Promise.all(worlds.all().map(async (world) => ({ world, head: await world.repository.head() })));
  const unborn = heads.filter(({ head }) => head.kind === 'unborn').map(({ world }) => world);
  if (unborn.length === 0) await tellDone('Every repository of this window has a commit already.');
  if (unborn.length < 2) return unborn[0];
  const picked = await vscode.window.showQuickPick(unborn.map((world) => ({ label: repositoryName(world), description: world.repository.checkout, world })), { title: 'Make the First Commit', placeHolder: 'In which repository?' });
  return picked?.world;
}
