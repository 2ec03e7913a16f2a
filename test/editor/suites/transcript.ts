import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { EpisodeId, FolderPath } from '../../../src/core/ids.ts';
import { DELEGATION_LIMITS } from '../../../src/core/limits/limits.ts';
import { call, ScriptedModel } from '../../support/scriptedModel.ts';
import { closeAllTabs, episodeOf, openedExtension, rowOf, until, value, type OpenedExtension } from './proposing.ts';

const KEY = 'sk-proj-abcdefghijklmnop1234';

export function transcriptSuite(): void {
  describe('a transcript in the editor', () => {
    let extension: OpenedExtension;
    let model: ScriptedModel;
    let id: EpisodeId;
    let answerNext: () => void;
    const show = async (): Promise<vscode.TextEditor> => {
      await vscode.commands.executeCommand('worldtree.showTranscript', await rowOf(extension, 'worldtree.agents', id));
      const editor = vscode.window.activeTextEditor;
      assert.ok(editor?.document.uri.scheme === 'worldtree-transcript', 'a transcript is open');
      return editor;
    };
    const turns = ({ document }: vscode.TextEditor): string[] => document.getText().split('\n').filter((line) => line.startsWith('Turn '));
    const lineOf = ({ document }: vscode.TextEditor, words: string): number => document.getText().split('\n').findIndex((line) => line.includes(words));
    /** Lines that can be seen now, in the order of the page; parts of it are folded away between them. */
    const isShown = ({ visibleRanges }: vscode.TextEditor, line: number): boolean => visibleRanges.some(({ start, end }) => start.line <= line && line <= end.line);

    before(async function () {
      this.timeout(120_000);
      extension = await openedExtension();
      const { world } = extension;
      const held = new Promise<void>((resolve) => { answerNext = resolve; });
      model = await ScriptedModel.start({
        script: async ({ number }) => {
          if (number === 1) return { text: `I look, with ${KEY}.`, calls: [call('read_file', { path: 'packages/api/src/server.ts' }), call('list_files', {})] };
          if (number === 2) return { calls: [call('edit_file', { path: 'packages/api/src/server.ts', old_text: 'port = 80', new_text: 'port = 443' })] };
          await held;
          return { calls: [call('finish', { subject: 'Serve on 443', report: 'Done.' })] };
        },
      });
      const plan = value(await world.prepareDelegation('packages/api' as FolderPath));
      id = value(await world.delegate({ plan, goal: 'Serve on 443', model: { kind: 'openai', profile: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } }, limits: DELEGATION_LIMITS }));
      await model.arrived(3);
    });
    afterEach(closeAllTabs);
    after(async () => {
      await model.stop();
      if (episodeOf(extension.world, id).phase.name === 'waiting') value(await extension.world.reject(id, ''));
    });

    it('opens as read-only text with turns, what each used, and no key', async () => {
      const editor = await show();
      assert.equal(editor.document.languageId, 'worldtree-transcript');
      assert.match(editor.document.getText(), /^Transcript of e\d+ packages\/api, with scripted\n\n▸ System prompt\n/);
      assert.match(turns(editor)[0] ?? '', /^Turn 1 · 2 calls · [\d.]+ k in .*· \d+ out · \$0\.\d{4}$/);
      assert.match(turns(editor)[1] ?? '', /^Turn 2 · 1 call /);
      assert.match(editor.document.getText(), /I look, with ⟨secret⟩\./);
      assert.match(editor.document.getText(), / {2}▸ edit_file packages\/api\/src\/server\.ts — ok\n/);
      assert.equal((await vscode.workspace.fs.stat(editor.document.uri)).permissions, vscode.FilePermission.Readonly);
      await assert.rejects(async () => vscode.workspace.fs.writeFile(editor.document.uri, new Uint8Array([1])));
    });

    it('offers folds for the first messages, each turn and each call, and folds all but the turns when it opens', async () => {
      const editor = await show();
      const folds = await vscode.commands.executeCommand<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', editor.document.uri);
      const at = (words: string) => folds.find(({ start }) => start === lineOf(editor, words));
      assert.equal(at('▸ System prompt')?.kind, vscode.FoldingRangeKind.Imports);
      assert.equal(at('  ▸ read_file ')?.kind, vscode.FoldingRangeKind.Imports);
      assert.equal(at('Turn 1 ')?.kind, undefined);
      assert.ok((at('Turn 1 ')?.end ?? 0) > lineOf(editor, '  ▸ list_files'));
      await until(extension.world, 'the system prompt is folded away', () => isShown(editor, lineOf(editor, '▸ System prompt')) && !isShown(editor, lineOf(editor, '▸ System prompt') + 1) && isShown(editor, lineOf(editor, 'Turn 1 ')));
    });

    it('is led to by the page about the agent', async () => {
      await vscode.commands.executeCommand('worldtree.showAgent', await rowOf(extension, 'worldtree.agents', id));
      const page = vscode.window.activeTextEditor?.document;
      assert.ok(page);
      const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', page.uri);
      const own = links.filter(({ target }) => target?.scheme === 'worldtree-transcript');
      assert.deepEqual(own.map(({ range }) => page.getText(range)), ['- Transcript: every turn, call and answer']);
    });

    it('is added to while the agent works, and who reads it keeps their place and what they unfolded', async () => {
      const editor = await show();
      const call1 = lineOf(editor, '  ▸ read_file ');
      await until(extension.world, 'calls are folded', () => isShown(editor, call1) && !isShown(editor, call1 + 1));
      editor.selection = new vscode.Selection(call1, 0, call1, 0);
      await vscode.commands.executeCommand('editor.unfold', { selectionLines: [call1] });
      await until(extension.world, 'one call is unfolded', () => isShown(editor, call1 + 1));
      const before = editor.document.getText();
      const changes: number[] = [];
      const listening = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => { if (document === editor.document) changes.push(...contentChanges.map(({ range }) => range.start.line)); });
      answerNext();
      await until(extension.world, 'the last turn is there', () => /finish Serve on 443 — proposed as change 1/.test(editor.document.getText()));
      listening.dispose();
      assert.equal(turns(editor).length, 3);
      assert.ok(editor.document.getText().startsWith(before.trimEnd()), 'nothing that was there has changed');
      assert.ok(changes.every((line) => line > lineOf(editor, 'Turn 2 ')), 'only what is new was replaced');
      assert.equal(editor.selection.active.line, call1);
      assert.ok(isShown(editor, call1 + 1) && !isShown(editor, lineOf(editor, '▸ System prompt') + 1), 'folds are as they were');
      assert.equal(editor.document.isDirty, false);
    });
  });
}
