import { expect, test } from 'vitest';
import { walk } from '../support/editor/walk.ts';

const files = {
  'README.md': '# Shop\n', '.gitignore': 'out/\n', 'out/app.js': '1\n', '.env': 'KEY=1\n',
  'src/server.ts': 'export const port = 80;\n', 'film.mov': new Uint8Array(11 * 1024 * 1024),
};

test('a person opens a folder without a commit, makes the first one and surveys', async () => {
  await walk('firstCommit', { files, uncommitted: true, theme: 'dark' }, async ({ workbench, repository }) => {
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    repository.git('init', '-q', 'vendor/lib');
    repository.write({ 'vendor/lib/x.c': '1\n' });
    await workbench.openView('Worldtree');
    await expect.poll(() => workbench.viewWelcome('Review'), { timeout: 60_000 }).toContain('no commit yet');
    await workbench.screenshot('welcome');
    await workbench.page.getByRole('button', { name: 'Make the First Commit…' }).click();
    await expect.poll(() => workbench.quickInput.items(), { timeout: 60_000 }).toContainEqual(expect.stringMatching(/film\.mov.*11 MB/));
    expect(await workbench.quickInput.items()).toContainEqual(expect.stringMatching(/vendor\/lib.*repository of its own/));
    await workbench.screenshot('pick');
    await workbench.setTheme('light');
    await workbench.screenshot('pick');
    await workbench.quickInput.pickSeveral([]);
    await expect.poll(() => workbench.quickInput.value(), { timeout: 60_000 }).toBe('First commit');
    await workbench.screenshot('message');
    await workbench.answerInput('Begin the shop');
    await workbench.waitForNotification(/main has its first commit/);
    await expect.poll(() => workbench.viewWelcome('Review'), { timeout: 60_000 }).toContain('No proposed change waits');
    await workbench.screenshot('ready');
    expect(repository.git('log', '--format=%an %s')).toBe('Test Person Begin the shop');
    expect(repository.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toEqual(['.gitignore', 'README.md', 'src/server.ts']);
    expect(repository.git('status', '--porcelain', '-uall').split('\n')).toEqual(['?? .env', '?? film.mov', expect.stringMatching(/vendor/)]);
  });
}, 600_000);
