import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { COMMANDS, SETTINGS } from '../../../src/editor/contributions.ts';
import { openedExtension } from './proposing.ts';

export function commandsSuite(): void {
  describe('contributions', () => {
    before(async () => { await openedExtension(); });

    it('every command that the manifest declares has a handler', async () => {
      const registered = new Set(await vscode.commands.getCommands(true));
      assert.deepEqual(Object.keys(COMMANDS).filter((id) => !registered.has(id)), []);
    });

    it('every setting is there with its default', () => {
      const settings = vscode.workspace.getConfiguration();
      for (const [key, { default: expected }] of Object.entries(SETTINGS)) assert.deepEqual(settings.inspect(key)?.defaultValue, expected, key);
    });
  });
}
