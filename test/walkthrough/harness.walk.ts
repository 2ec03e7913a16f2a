import path from 'node:path';
import { expect, test } from 'vitest';
import { newestRelease, oldestRelease } from '../support/editor/editorRelease.ts';
import { projectRoot } from '../support/projectRoot.ts';
import { themes } from '../support/editor/theme.ts';
import { walk } from '../support/editor/walk.ts';

const probe = path.join(projectRoot, 'test', 'fixtures', 'probeExtension');
const files = {
  'README.md': '# A project\n',
  'packages/api/src/server.ts': 'export const port = 443;\n',
  'packages/web/src/page.ts': 'export const title = "Home";\n',
};

test.for([newestRelease, oldestRelease])('a walk can use everything that VS Code $vscode shows', async (release) => {
  await walk(`harness-${release.vscode}`, { release, files, extensions: [probe], machineSettings: { 'probe.word': 'hello' } }, async ({ workbench, repository, editor }) => {
    await workbench.statusBarItem(/Probe says hello/);
    editor.changeMachineSettings({ 'probe.word': 'goodbye' });
    await workbench.statusBarItem(/Probe says goodbye/);

    await workbench.rightClickInExplorer(['packages', 'web', 'src'], 'Probe This Folder');
    await workbench.openView('Probe');
    const review = workbench.view('Review');
    await review.row('folder packages/web/src');
    await review.row(['first', 'inside']);
    await review.clickInline('second', 'Accept');
    await review.row(/^accepted second/);
    await review.rightClick('first', 'Undo');
    await review.row('undone first');
    await workbench.clickViewAction('Review', 'Refresh');
    await review.row('refreshed');
    expect(await workbench.treeRows('Agents')).toEqual([]);

    await workbench.runCommand('Probe: Ask Me');
    expect(await workbench.quickInput.title()).toBe('Goal');
    expect(await workbench.quickInput.message()).toMatch(/^What should be done\?/);
    await workbench.answerInput('tidy up');
    await workbench.pick('Executor');
    expect(await workbench.waitForNotification(/^Start Executor/)).toBe('Start Executor for tidy up?');
    await workbench.screenshot('notification');
    await workbench.clickNotificationButton('Start Now');
    await review.row('Start Now: Executor: tidy up');

    await workbench.runCommand('Probe: Confirm');
    expect(await workbench.dialog.text()).toBe('Accept past a failing check? The test failed.');
    await workbench.screenshot('dialog');
    await workbench.answerDialog('Accept Anyway');
    await review.row('confirmed Accept Anyway');

    await workbench.runCommand('Probe: Show Diff');
    await workbench.editors.waitForTab('server.ts (proposed)');
    expect(await workbench.editors.diffText('original')).toContain('port = 80;');
    await workbench.editors.typeIntoModified(' // secure', { line: 1 });
    await workbench.editors.save();
    await expect.poll(() => repository.git('diff', '--shortstat'), { timeout: 10_000 }).toMatch(/1 insertion/);
    expect(await workbench.editors.diffText('modified')).toContain('port = 443; // secure');
    await workbench.screenshot('diff');

    await workbench.runCommand('Probe: Show Changes');
    expect(await workbench.editors.multiDiffTitles()).toEqual(['packages/api/src/server.ts', 'README.md']);
    await workbench.editors.typeIntoModified('More.', { file: 'README.md' });
    await workbench.screenshot('changes');
    await workbench.runCommand('Probe: Show Panel');
    expect(await (await workbench.editors.webview('#greeting')).textContent('#greeting')).toBe('Hello from a panel');
  });
});

test('a walk shows VS Code in all four themes', async () => {
  await walk('themes', { files, extensions: [probe] }, async ({ workbench }) => {
    await workbench.openView('Probe');
    await workbench.runCommand('Probe: Show Diff');
    await workbench.editors.diffText('modified');
    for (const theme of themes) {
      await workbench.setTheme(theme);
      await workbench.screenshot('diff');
    }
  });
});
