import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { filePath } from '../../../src/core/ids.ts';
import { newestCommit } from '../../../src/core/world/state.ts';
import { call } from '../../support/scriptedModel.ts';
import { episodeOf, openedExtension, proposeChange } from './proposing.ts';

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

    const sandbox = process.env['WORLDTREE_TEST_SANDBOX'];
    if (sandbox === undefined) return;
    // The filter is a program of the library's: a package that lost it, or its right to be run, has no sandbox.
    (sandbox === 'there' ? it : it.skip)(`of the package: a command cannot open a socket of the host (${sandbox})`, async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 's-'));
      const socket = path.join(folder, 's');
      let reached = false;
      const server = createServer((connection) => {
        reached = true;
        connection.end();
      });
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      try {
        const extension = await openedExtension();
        // The words tell the filter from a socket that is merely out of sight.
        const command = `{ socat -u OPEN:/dev/null UNIX-CONNECT:${socket} && echo reached; } > README.md 2>&1; true`;
        const id = await proposeChange(extension, '', [call('run', { command })], 'Reach out');
        const bytes = await extension.world.repository.read(newestCommit(episodeOf(extension.world, id)), filePath.parse('README.md'));
        assert.match(Buffer.from(bytes ?? []).toString('utf8'), /Operation not permitted/);
        assert.equal(reached, false);
      } finally {
        server.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
}
