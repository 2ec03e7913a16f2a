import * as vscode from 'vscode';
import type { FilePath } from '../../core/ids.ts';
import { baseName, parentFolder } from '../../core/paths.ts';
import { changeWords, linesWords } from '../../core/projections/fileRows.ts';
import type { AcceptPlan } from '../../runtime/openWorld.ts';

interface FileItem extends vscode.QuickPickItem {
  readonly path: FilePath;
}

/** Which files of a change are accepted; the rest stays in Review. Null for all of them, undefined when the person went away. */
export async function pickFiles(name: string, { changed, files }: AcceptPlan): Promise<readonly FilePath[] | null | undefined> {
  const items = changed.map((file): FileItem => ({
    path: file.path, label: baseName(file.path), picked: files === null || files.includes(file.path),
    description: [parentFolder(file.path), ...changeWords(file), linesWords([file])].filter((part) => part !== '').join(' · '),
  }));
  const picked = await vscode.window.showQuickPick(items, { title: `Accept Some Files of ${name}`, placeHolder: 'Files that are accepted now; the rest stays in Review', canPickMany: true, ignoreFocusOut: true, matchOnDescription: true });
  if (picked === undefined || picked.length === 0) return undefined;
  return picked.length === items.length ? null : picked.map((item) => item.path);
}
