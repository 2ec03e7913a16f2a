import * as vscode from 'vscode';
import { displayFolder, parentFolder, ROOT } from '../../core/paths.ts';
import type { FilePath, FolderPath } from '../../core/ids.ts';
import { tellRefusal } from '../tellPerson.ts';
import { repositoryName } from '../views/reviewView.ts';
import { subjectOf } from '../views/rowSubjects.ts';
import type { PlacedFolder, Worlds } from '../worlds.ts';

/** The folder that a command was called on: in the Explorer, on a row of Worlds, or picked. Undefined when there is none (said) or nothing was picked. */
export async function folderFor(argument: unknown, worlds: Worlds): Promise<PlacedFolder | undefined> {
  const subject = subjectOf(argument);
  if (subject?.kind === 'world') return { ...subject, checkout: subject.world.repository.checkout };
  const uri = argument instanceof vscode.Uri ? argument : await pickFolder(worlds);
  if (!uri) return undefined;
  if ('world' in uri) return uri;
  const placed = await worlds.forFolder(uri);
  if (placed.ok) return placed.value;
  await tellRefusal(placed.refusal);
  return undefined;
}

interface FolderItem extends vscode.QuickPickItem {
  readonly place?: PlacedFolder | 'browse';
}

/** From the palette: the folder of the active file and those above it, each repository's root, or any folder. */
async function pickFolder(worlds: Worlds): Promise<PlacedFolder | vscode.Uri | undefined> {
  const items: FolderItem[] = [];
  // Right after the window opened its repositories may still be looked for: an empty list would say there are none.
  await Promise.all((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => worlds.forFolder(uri)));
  const active = vscode.window.activeTextEditor?.document.uri;
  if (active?.scheme === 'file') {
    const placed = await worlds.forFolder(vscode.Uri.joinPath(active, '..'));
    if (placed.ok) {
      for (let folder = placed.value.folder; folder !== ROOT; folder = parentFolder(folder)) items.push({ label: `$(folder) ${folder}`, description: items.length === 0 ? 'folder of the active editor' : '', place: { ...placed.value, folder } });
    }
  }
  for (const world of worlds.all()) {
    items.push({ label: `$(repo) ${displayFolder(ROOT)}`, description: `the whole repository ${repositoryName(world)}`, place: { world, folder: ROOT, checkout: world.repository.checkout } });
    for (const folder of await topFolders(world.repository.checkout)) if (!items.some((item) => typeof item.place === 'object' && item.place.folder === folder && item.place.world === world)) items.push({ label: `$(folder) ${folder}`, description: repositoryName(world), place: { world, folder, checkout: world.repository.checkout } });
  }
  items.push({ label: '', kind: vscode.QuickPickItemKind.Separator }, { label: '$(folder-opened) Another Folder…', place: 'browse', alwaysShow: true });
  const picked = await vscode.window.showQuickPick(items, { title: 'Which folder?', placeHolder: 'The agent works on this folder and may read the rest of the repository' });
  if (picked?.place !== 'browse') return picked?.place;
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const [chosen] = await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false, canSelectMany: false, openLabel: 'Choose', ...(root ? { defaultUri: root } : {}) }) ?? [];
  return chosen;
}

async function topFolders(checkout: string): Promise<FolderPath[]> {
  const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.file(checkout));
  const hidden = new Set(['node_modules']);
  return entries.filter(([name, type]) => type === vscode.FileType.Directory && !name.startsWith('.') && !hidden.has(name)).map(([name]) => name as FilePath & FolderPath).toSorted();
}
