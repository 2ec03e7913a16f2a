import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { FolderPath } from '../../../src/core/ids.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { openedExtension, until, value, type OpenedExtension } from './proposing.ts';

export function firstCommitSuite(): void {
  describe('a repository without a commit', () => {
    let extension: OpenedExtension;
    let repository: TemporaryRepository;
    const row = () => extension.views.rows('worldtree.worlds').find(({ label }) => label === 'unborn');

    before(async () => {
      extension = await openedExtension();
      repository = makeTemporaryRepository({}, 'unborn');
      repository.git('config', 'user.name', 'Ada Person');
      repository.git('config', 'user.email', 'ada@example.test');
      repository.write({ 'README.md': '# New\n', '.gitignore': 'out/\n', 'out/x': '1\n', '.env': 'KEY=1\n' });
    });
    after(() => repository.remove());

    it('is welcomed with a button for its first commit', () => {
      const { viewsWelcome } = (vscode.extensions.getExtension('worldtree.worldtree')?.packageJSON as { readonly contributes: { readonly viewsWelcome: readonly { readonly when: string; readonly contents: string }[] } }).contributes;
      assert.match(viewsWelcome.find(({ when }) => when === "worldtree.state == 'noCommit'")?.contents ?? '', /\(command:worldtree\.firstCommit\)/);
    });

    it('gets one of what is picked, and is ready for an agent without a reload', async () => {
      const { world } = value(await extension.worlds.forFolder(vscode.Uri.file(repository.folder)));
      await until(world, 'it is shown without a commit', () => row()?.description === 'no commit yet');
      const making = vscode.commands.executeCommand('worldtree.firstCommit');
      const pressing = setInterval(() => void vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem'), 300);
      try {
        await making;
      } finally {
        clearInterval(pressing);
      }
      assert.equal(repository.git('log', '--format=%an %s'), 'Ada Person First commit');
      assert.equal(repository.git('ls-tree', '-r', '--name-only', 'HEAD'), '.gitignore\nREADME.md');
      assert.equal(repository.git('status', '--porcelain'), '?? .env');
      await until(world, 'its row shows the commit', () => row()?.description?.startsWith('main ') === true);
      assert.equal((await world.prepareDelegation('' as FolderPath)).ok, true);
    });
  });
}
