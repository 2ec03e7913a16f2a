import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { call } from '../../support/scriptedModel.ts';
import type { Row } from '../../../src/editor/views/rowTree.ts';
import { changeTabs, closeAllTabs, episodeOf, git, openedExtension, proposeChange, rowOf, until, value, type OpenedExtension } from './proposing.ts';

const decoder = new TextDecoder();
/** One change with one of each kind, as only a shell makes them; run in the agent's folder. */
const KINDS = 'mv src/old.ts src/new.ts; rm src/gone.ts; printf "\\000\\001" > picture.bin; : > empty.txt; ln -s src/server.ts link; chmod +x tool.sh';

export function reviewSuite(): void {
  describe('a proposed change in the editor', () => {
    let extension: OpenedExtension;
    let id: EpisodeId;
    const episode = () => episodeOf(extension.world, id);
    const review = () => rowOf(extension, 'worldtree.review', id);

    before(async function () {
      this.timeout(120_000);
      extension = await openedExtension();
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(vscode.Uri.file(extension.folder), 'packages/api/src/old.ts'), new TextEncoder().encode(Array.from({ length: 20 }, (_, i) => `export const line${String(i)} = ${String(i)};\n`).join('')));
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(vscode.Uri.file(extension.folder), 'packages/api/src/gone.ts'), new TextEncoder().encode('export const gone = true;\n'));
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(vscode.Uri.file(extension.folder), 'packages/api/tool.sh'), new TextEncoder().encode('#!/bin/sh\n'));
      git(extension.folder, 'add', '-A');
      git(extension.folder, '-c', 'user.name=P', '-c', 'user.email=p@example.test', 'commit', '-qm', 'More files');
      id = await proposeChange(extension, 'packages/api', [
        call('edit_file', { path: 'packages/api/src/server.ts', old_text: 'port = 80', new_text: 'port = 443' }),
        call('run', { command: KINDS }),
      ], 'Serve on port 443');
    });
    afterEach(closeAllTabs);
    after(async () => { if (episode().phase.name === 'waiting') value(await extension.world.reject(id, '')); });

    it('is a row in Review with its files below it', async () => {
      const row = await review();
      assert.match(row.label, /^packages\/api: Serve on port 443$/);
      const kinds = Object.fromEntries(row.children.map((child) => [child.label, child.description]));
      assert.match(kinds['new.ts'] ?? '', /renamed from old\.ts/);
      assert.match(kinds['gone.ts'] ?? '', /deleted/);
      assert.match(kinds['picture.bin'] ?? '', /added · binary/);
      assert.match(kinds['link'] ?? '', /symbolic link/);
      assert.match(kinds['tool.sh'] ?? '', /now executable/);
    });

    it('opens in the multi-file diff editor, every side under its own path in a scheme of ours', async () => {
      await vscode.commands.executeCommand('worldtree.openChanges', await review());
      await until(extension.world, 'a tab shows the change', () => changeTabs().length === 1);
      const diffs = textDiffs(changeTabs()[0]?.input);
      const server = diffs.find((d) => d.modified?.path === '/packages/api/src/server.ts');
      assert.equal(server?.modified?.scheme, 'worldtree-change');
      assert.equal(server.original?.scheme, 'worldtree-base');
      assert.equal(server.original.path, server.modified.path);
      assert.equal(await textAt(server.original), 'export const port = 80;\n');
      assert.equal(await textAt(server.modified), 'export const port = 443;\n');
      assert.equal(diffs.find((d) => d.original?.path.endsWith('gone.ts'))?.modified, undefined);
      await until(extension.world, 'the change counts as looked at', () => episode().looked !== null);
    });

    it('opens each kind of file in an editor of its own without an error', async () => {
      for (const child of (await review()).children) {
        await closeAllTabs();
        await vscode.commands.executeCommand('worldtree.openFileChange', child);
        await until(extension.world, `a tab shows ${child.label}`, () => vscode.window.tabGroups.activeTabGroup.activeTab?.label.startsWith(child.label) === true);
        const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        const sides = input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? [input.uri] : [];
        assert.ok(sides.length > 0, `${child.label} is shown in an editor that is known`);
        for (const uri of sides) {
          assert.match(uri.scheme, /^worldtree-(base|change)$/);
          await vscode.workspace.fs.readFile(uri);
        }
      }
    });

    it('shows a link as the text of its target, and lets nobody turn it into a file', async () => {
      const uri = await rightSide(await review(), 'link');
      assert.equal(await textAt(uri), 'src/server.ts');
      await assert.rejects(async () => vscode.workspace.fs.writeFile(uri, new Uint8Array([1])));
    });

    it('leaves Source Control and Problems as they were', async () => {
      const repositories = () => (vscode.extensions.getExtension<{ getAPI(v: 1): { readonly repositories: readonly unknown[] } }>('vscode.git')?.exports.getAPI(1).repositories ?? []).length;
      const problems = () => vscode.languages.getDiagnostics().filter(([, list]) => list.length > 0).length;
      const before = [repositories(), problems()];
      await vscode.commands.executeCommand('worldtree.openChanges', await review());
      await until(extension.world, 'a tab shows the change', () => changeTabs().length === 1);
      for (const child of (await review()).children) await vscode.commands.executeCommand('worldtree.openFileChange', child);
      assert.deepEqual([repositories(), problems()], before);
      assert.equal(git(extension.folder, 'status', '--porcelain'), '');
    });

    it('takes what is typed and saved as the next candidate, in the same open editor, and writes nothing to disk', async () => {
      const uri = await rightSide(await review(), 'server.ts');
      const document = await vscode.workspace.openTextDocument(uri);
      await type(document, '// by hand\n');
      await document.save();
      await until(extension.world, 'nothing is unsaved', () => !document.isDirty);
      const waiting = episode().candidates.at(-1);
      assert.equal(waiting?.source, 'edit');
      assert.equal(await textAt(uri), 'export const port = 443;\n// by hand\n');
      assert.equal(git(extension.folder, 'show', `${waiting.commit}:packages/api/src/server.ts`), 'export const port = 443;\n// by hand');
      assert.equal(git(extension.folder, 'status', '--porcelain'), '');
      assert.equal((await vscode.workspace.fs.stat(uri)).permissions, undefined);
    });

    it('keeps what was typed and not saved through a reject, exactly as typed although formatting on save is on', async () => {
      const settings = vscode.workspace.getConfiguration();
      await settings.update('editor.formatOnSave', true, vscode.ConfigurationTarget.Workspace);
      const formatter = vscode.languages.registerDocumentFormattingEditProvider({ scheme: 'worldtree-change' }, { provideDocumentFormattingEdits: (document) => [vscode.TextEdit.insert(document.lineAt(document.lineCount - 1).range.end, '// formatted\n')] });
      try {
        const uri = await rightSide(await review(), 'server.ts');
        await vscode.commands.executeCommand('worldtree.openFileChange', (await review()).children.find((c) => c.label === 'server.ts'));
        const document = await vscode.workspace.openTextDocument(uri);
        await type(document, '  // odd   spacing\n');
        assert.equal(document.isDirty, true);
        await vscode.commands.executeCommand('worldtree.reject', await review());
        await until(extension.world, 'it is rejected', () => episode().phase.name === 'ended');
        const last = episode().candidates.at(-1);
        assert.equal(git(extension.folder, 'show', `${last?.commit ?? ''}:packages/api/src/server.ts`), 'export const port = 443;\n// by hand\n  // odd   spacing');
        await until(extension.world, 'its tabs are closed', () => changeTabs().length === 0);
      } finally {
        formatter.dispose();
        await settings.update('editor.formatOnSave', undefined, vscode.ConfigurationTarget.Workspace);
        await vscode.workspace.fs.delete(vscode.Uri.joinPath(vscode.Uri.file(extension.folder), '.vscode'), { recursive: true });
      }
    });

    it('opens when it was rejected too, and cannot be edited then', async () => {
      const row = await review();
      await vscode.commands.executeCommand('worldtree.openChanges', row);
      await until(extension.world, 'a tab shows the change', () => changeTabs().length === 1);
      const uri = await rightSide(row, 'server.ts');
      assert.equal((await vscode.workspace.fs.stat(uri)).permissions, vscode.FilePermission.Readonly);
      await assert.rejects(async () => vscode.workspace.fs.writeFile(uri, new Uint8Array([1])), /no longer waits/);
    });

    it('waits again, editable, when the reject is undone', async () => {
      await vscode.commands.executeCommand('worldtree.undoReject', await review());
      await until(extension.world, 'it waits', () => episode().phase.name === 'waiting');
      assert.equal((await vscode.workspace.fs.stat(await rightSide(await review(), 'server.ts'))).permissions, undefined);
    });

    it('that only adds files is known by its tab too, which closes with the verdict', async function () {
      this.timeout(120_000);
      const added = await proposeChange(extension, 'packages/api', [call('write_file', { path: 'packages/api/notes.md', content: 'Notes.\n' })], 'Add notes');
      await vscode.commands.executeCommand('worldtree.openChanges', await rowOf(extension, 'worldtree.review', added));
      await until(extension.world, 'a tab shows the change', () => changeTabs().length === 1);
      // Without a row, as from the button in the editor's title: the change of the active tab is meant.
      await vscode.commands.executeCommand('worldtree.reject');
      await until(extension.world, 'it is rejected', () => episodeOf(extension.world, added).phase.name === 'ended');
      await until(extension.world, 'its tab is closed', () => changeTabs().length === 0);
      assert.equal(episode().phase.name, 'waiting');
    });

    it('is accepted onto the branch from its box, taken back, and waits again', async () => {
      git(extension.folder, 'config', 'user.name', 'Ada Person');
      git(extension.folder, 'config', 'user.email', 'ada@example.test');
      const before = git(extension.folder, 'rev-parse', 'HEAD');
      const accepting = vscode.commands.executeCommand('worldtree.accept', await review());
      await acceptBoxUntil(() => episode().phase.name === 'ended');
      await accepting;
      assert.equal(git(extension.folder, 'rev-parse', 'HEAD^'), before);
      assert.equal(git(extension.folder, 'log', '-1', '--format=%an %s'), 'Ada Person Serve on port 443');
      assert.equal(git(extension.folder, 'status', '--porcelain'), '');
      await until(extension.world, 'its row says where it went', () => /^accepted onto main as /.test(extension.views.rows('worldtree.review').find((row) => row.id.endsWith(`#${id}`))?.description ?? ''));

      await vscode.commands.executeCommand('worldtree.undoAccept', await review());
      await until(extension.world, 'it waits again', () => episode().phase.name === 'waiting');
      assert.equal(git(extension.folder, 'diff', '--stat', before, 'HEAD'), '');
      assert.equal(git(extension.folder, 'status', '--porcelain'), '');
    });

    /** Presses Enter in the box that is open, as often as it takes for a slow machine to show it. */
    async function acceptBoxUntil(holds: () => boolean): Promise<void> {
      const pressing = setInterval(() => void vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem'), 300);
      try {
        await until(extension.world, 'the box was accepted', holds);
      } finally {
        clearInterval(pressing);
      }
    }
  });
}

async function type(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, document.lineAt(document.lineCount - 1).range.end, text);
  assert.equal(await vscode.workspace.applyEdit(edit), true);
}

/** The address that a click on a file's row shows on the right. */
async function rightSide(row: Row, name: string): Promise<vscode.Uri> {
  await vscode.commands.executeCommand('worldtree.openFileChange', row.children.find((child) => child.label === name));
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  assert.ok(input instanceof vscode.TabInputTextDiff, `${name} opens in the diff editor`);
  return input.modified;
}

async function textAt(uri: vscode.Uri): Promise<string> {
  return decoder.decode(await vscode.workspace.fs.readFile(uri));
}

interface Sides {
  readonly original: vscode.Uri | undefined;
  readonly modified: vscode.Uri | undefined;
}

function textDiffs(input: unknown): readonly Sides[] {
  return typeof input === 'object' && input !== null && 'textDiffs' in input ? (input.textDiffs as readonly Sides[]) : [];
}
