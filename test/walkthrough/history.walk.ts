import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { walk } from '../support/editor/walk.ts';
import { quietGitEnvironment } from '../support/gitEnvironment.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporaryFolder.ts';

const files = { 'README.md': '# Shop\n\nA small shop.\n', 'packages/api/README.md': '# API\n\nServes products over HTTP.\n', 'packages/api/server.ts': 'export const port = 80;\n' };

test('a person publishes what waits, sees that nothing new is there, and gets the history back after the ledger was lost', async () => {
  const remote = path.join(makeTemporaryFolder('remote'), 'shop.git');
  const inRemote = (...args: string[]): string => execFileSync('git', ['--git-dir', remote, ...args], { env: quietGitEnvironment(), encoding: 'utf8' }).trim();
  execFileSync('git', ['init', '--quiet', '--bare', remote], { env: quietGitEnvironment() });
  try {
    await walk('history', { files, theme: 'light' }, async ({ workbench, repository }) => {
      repository.git('remote', 'add', 'origin', remote);
      await workbench.rightClickInExplorer(['packages', 'api'], 'Survey This Folder');
      await workbench.openView('Worldtree');
      await workbench.view('Review').row(/packages\/api/);

      await workbench.runCommand('Worldtree: Publish History…');
      await workbench.pick('origin');
      // Nothing of the repository was pushed yet, so its first commit would go along.
      await expect.poll(() => workbench.quickInput.items(), { timeout: 60_000 }).toContainEqual(expect.stringMatching(/e1 packages\/api.*waits for a verdict · 3 commits.*with 1 commit of yours that origin lacks/));

      await workbench.screenshot('preview');
      expect(inRemote('for-each-ref')).toBe('');
      await workbench.quickInput.pickSeveral([]);
      await workbench.waitForNotification(/1 agent published to origin: e1/);
      await workbench.screenshot('published');
      expect(inRemote('for-each-ref', '--format=%(refname)')).toMatch(/^refs\/worldtree\/episodes\/e1-\w{4}\/base\n.*\/candidate\/1\n.*\/record$/);
      expect(repository.git('config', '--get-regexp', '^remote')).toBe(`remote.origin.url ${remote}\nremote.origin.fetch +refs/heads/*:refs/remotes/origin/*`);

      await workbench.runCommand('Worldtree: Fetch History…');
      await workbench.pick('origin');
      await workbench.waitForNotification(/Nothing new came from origin/);

      rmSync(path.join(repository.folder, '.git/worldtree'), { recursive: true });
      await workbench.reload();
      await workbench.openView('Worldtree');
      await workbench.clickNotificationButton('Rebuild from Git', /hold the history of 1 agent/);
      await workbench.view('Review').row(/packages\/api/);
      await workbench.screenshot('rebuilt');
    });
  } finally {
    removeFolder(path.dirname(remote));
  }
}, 600_000);
