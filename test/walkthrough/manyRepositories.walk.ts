import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeManyRepositories } from '../support/editor/manyRepositories.ts';
import { walk } from '../support/editor/walk.ts';
import { quietGitEnvironment } from '../support/gitEnvironment.ts';

test('a person surveys folders of several repositories and of a linked worktree in one window, and accepts onto the branch of that one', async () => {
  const many = makeManyRepositories();
  const next = path.join(path.dirname(many.workspace), 'next');
  const git = (...args: string[]): string => execFileSync('git', ['-C', next, ...args], { env: quietGitEnvironment(), encoding: 'utf8' }).trim();
  try {
    await walk('many-repositories', { files: { 'README.md': '# Not this one\n' }, theme: 'light' }, async ({ workbench }) => {
      await workbench.open(many.workspace);
      for (const root of ['next', 'blog']) await workbench.rightClickInExplorer([root, 'packages', 'api'], 'Survey This Folder');
      await workbench.openView('Worldtree');
      const review = workbench.view('Review');
      await review.row(/blog · packages\/api/);
      await review.row(/shop · packages\/api/);
      await workbench.screenshot('two-repositories');

      const [main, before] = [git('rev-parse', 'main'), git('rev-parse', 'next')];
      await review.clickInline(/shop · packages\/api/, 'Accept');
      await expect.poll(() => workbench.quickInput.items(), { timeout: 60_000 }).toEqual(expect.arrayContaining([expect.stringContaining('Accept onto next')]));
      await workbench.screenshot('box');
      await workbench.pick(/Accept onto next/);
      await workbench.waitForNotification(/is accepted onto next/);
      await review.row(/shop · packages\/api.*accepted onto next as/);
      await workbench.screenshot('accepted');
      expect([git('rev-parse', 'main'), git('rev-parse', 'next^'), git('status', '--porcelain')]).toEqual([main, before, '']);

      await workbench.rightClickInExplorer(['plain'], 'Survey This Folder');
      await workbench.waitForNotification(/in no git repository/);
      await workbench.screenshot('no-repository');
    });
  } finally {
    many.remove();
  }
}, 600_000);
