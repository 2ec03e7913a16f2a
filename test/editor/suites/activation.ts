import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';

export function activationSuite(): void {
  describe('activation', () => {
    it('finds the extension and activates it', async () => {
      const extension = vscode.extensions.getExtension('worldtree.worldtree');
      assert.ok(extension, 'VS Code does not know worldtree.worldtree');
      await extension.activate();
      assert.equal(extension.isActive, true);
    });

    it('runs in the version of VS Code that was asked for', () => {
      assert.equal(vscode.version, process.env['WORLDTREE_TEST_VSCODE']);
    });
  });
}
