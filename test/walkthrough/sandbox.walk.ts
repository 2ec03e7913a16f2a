import { expect, test } from 'vitest';
import { NO_SANDBOX } from '../support/sandboxPrograms.ts';
import { call, ScriptedModel } from '../support/scriptedModel.ts';
import { walk } from '../support/editor/walk.ts';

const files = { 'README.md': '# Shop\n', 'packages/api/src/server.ts': 'export const port = 80;\n' };

test.skipIf(NO_SANDBOX !== null)(`a person is asked once what commands may reach, sees that they run in a sandbox, and takes the answer back${NO_SANDBOX === null ? '' : ` (skipped: ${NO_SANDBOX})`}`, async () => {
  const model = await ScriptedModel.start({ script: [{ calls: [call('run', { command: 'echo done > done.txt; touch ~/outside; true' })] }, { calls: [call('run', { command: 'echo more >> done.txt' })] }, { calls: [call('finish', { subject: 'Be done', report: 'It is done.' })] }] });
  try {
    const profile = { id: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    await walk('sandbox', { files, theme: 'dark', sandbox: true, machineSettings: { 'worldtree.models': [profile] } }, async ({ workbench }) => {
      await workbench.rightClickInExplorer(['packages', 'api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => workbench.quickInput.title(), { timeout: 60_000 }).toBe('Delegate packages/api to an Agent');
      await workbench.quickInput.type('Be done');
      await workbench.pick(/Start/);
      await workbench.waitForNotification(/What may this repository’s commands reach/);
      expect(await workbench.notifications.buttons(/What may this repository/)).toEqual(['Package Registries', 'The Whole Network', 'Nothing']);
      await workbench.screenshot('asked');
      await workbench.clickNotificationButton('Package Registries');
      await workbench.openView('Worldtree');
      await workbench.view('Review').row([/Be done/, 'done.txt']);
      await workbench.runCommand('Worldtree: Show Status');
      await expect.poll(() => workbench.quickInput.items(), { timeout: 60_000 }).toContainEqual(expect.stringMatching(/Commands run in a sandbox/));
      await workbench.screenshot('status');
      await workbench.page.keyboard.press('Escape');

      await workbench.runCommand('Worldtree: What Commands May Do…');
      await expect.poll(() => workbench.quickInput.items(), { timeout: 60_000 }).toContainEqual(expect.stringMatching(/Network: package registries/));
      await workbench.screenshot('permissions');
      await workbench.quickInput.pickSeveral(['Network: package registries']);
      await workbench.waitForNotification(/1 permission taken back/);
      await workbench.runCommand('Worldtree: What Commands May Do…');
      await workbench.waitForNotification(/No command of these repositories was allowed anything yet/);
    });
  } finally {
    await model.stop();
  }
}, 600_000);

test('without a sandbox a person reads so above the agents', async () => {
  const model = await ScriptedModel.start({ script: [{ calls: [call('run', { command: 'echo done > done.txt' })] }, { calls: [call('finish', { subject: 'Be done', report: 'It is done.' })] }] });
  try {
    const profile = { id: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    await walk('no-sandbox', { files, theme: 'light', machineSettings: { 'worldtree.models': [profile] } }, async ({ workbench }) => {
      await workbench.rightClickInExplorer(['packages', 'api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => workbench.quickInput.title(), { timeout: 60_000 }).toBe('Delegate packages/api to an Agent');
      await workbench.quickInput.type('Be done');
      await workbench.pick(/Start/);
      await workbench.waitForNotification(/wants to run “echo done/);
      await workbench.clickNotificationButton('Run');
      await workbench.openView('Worldtree');
      await workbench.page.getByText(/The sandbox is off: each command asks/).first().waitFor();
      await workbench.screenshot('agents');
    });
  } finally {
    await model.stop();
  }
}, 600_000);
