import { expect, test } from 'vitest';
import { call, ScriptedModel } from '../support/scriptedModel.ts';
import { walk } from '../support/editor/walk.ts';

const files = { 'README.md': '# Shop\n', 'packages/api/src/server.ts': 'export const port = 80;\n' };
const command = `set -e\n${Array.from({ length: 40 }, (_, i) => `echo "line ${String(i + 1)} of a command that no message can show"`).join('\n')}\necho done > done.txt\n`;

test('a person sees the whole of a long command before they can let it run', async () => {
  const model = await ScriptedModel.start({ script: [{ calls: [call('run', { command })] }, { calls: [call('finish', { subject: 'Be done', report: 'It is done.' })] }] });
  try {
    const profile = { id: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    await walk('questions', { files, theme: 'dark', machineSettings: { 'worldtree.models': [profile] } }, async ({ workbench }) => {
      await workbench.rightClickInExplorer(['packages', 'api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => workbench.quickInput.title(), { timeout: 60_000 }).toBe('Delegate packages/api to an Agent');
      await workbench.quickInput.type('Be done');
      await workbench.pick(/Start/);
      await workbench.waitForNotification(/does not fit here/);
      expect(await workbench.notifications.buttons(/does not fit here/)).toEqual(['Look at It…', 'Don’t…']);
      await workbench.screenshot('asked');
      await workbench.clickNotificationButton('Look at It…');
      await workbench.quickInput.row('Run');
      await workbench.editors.waitForTab(/Command 1/);
      await workbench.screenshot('whole');
      await workbench.pick('Run');
      await workbench.openView('Worldtree');
      await workbench.view('Review').row([/Be done/, 'done.txt']);
    });
  } finally {
    await model.stop();
  }
}, 600_000);
