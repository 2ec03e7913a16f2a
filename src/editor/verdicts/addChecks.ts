import * as vscode from 'vscode';
import { constraintTables, type FoundCheck } from '../../core/constraints/foundChecks.ts';
import { GENESIS_TOML } from '../../core/constraints/genesisToml.ts';
import type { OpenWorld } from '../../runtime/openWorld.ts';
import { inBackground, tellDone, tellRefusal } from '../tellPerson.ts';

/**
 * Puts commands as checks at the end of genesis.toml, in an editor and unsaved: what binds from now on is the person's to
 * save and to commit. False where none was picked.
 */
export async function addChecks(world: OpenWorld, found: readonly FoundCheck[]): Promise<boolean> {
  const items = found.map((offered) => ({ label: offered.check.name, description: `for changes in ${offered.check.paths.join(', ')}`, picked: true, offered }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Add as Checks', placeHolder: 'Which must pass before a change there is accepted?', canPickMany: true, ignoreFocusOut: true });
  if (picked === undefined || picked.length === 0) return false;
  const document = await genesisToml(world);
  const tables = constraintTables(document.getText(), picked.map(({ offered }) => offered));
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  if (!tables.ok) {
    await tellRefusal({ ...tables.refusal, next: 'Correct the file, or add the checks by hand.' });
    return true;
  }
  const end = document.lineAt(document.lineCount - 1).range.end;
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, end, tables.text);
  await vscode.workspace.applyEdit(edit);
  editor.revealRange(new vscode.Range(end, document.lineAt(document.lineCount - 1).range.end), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  inBackground(tellDone(tables.text === '' ? 'genesis.toml holds these checks already. Save and commit it: checks come from the branch.' : 'Save and commit genesis.toml. From then on changes there are checked before they are accepted.'));
  return true;
}

/** The checkout's file as the editor has it; where there is none, one that saving makes. */
async function genesisToml(world: OpenWorld): Promise<vscode.TextDocument> {
  const file = vscode.Uri.joinPath(vscode.Uri.file(world.repository.checkout), GENESIS_TOML);
  const there = await vscode.workspace.fs.stat(file).then(() => true, () => false);
  return vscode.workspace.openTextDocument(there ? file : file.with({ scheme: 'untitled' }));
}
