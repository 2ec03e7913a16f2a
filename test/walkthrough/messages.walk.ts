import { expect, test } from 'vitest';
import { call, ScriptedModel } from '../support/scriptedModel.ts';
import { walk } from '../support/editor/walk.ts';

const LOOK = { calls: [call('read_file', { path: 'api/server.js' })] };
const EDIT = { calls: [call('edit_file', { path: 'api/server.js', old_text: '80', new_text: '8080' })] };

test('a person sends a message to an agent at work, then lets it finish up', async () => {
  // Each turn is held back until the person has done what comes before it.
  const gates = [1, 2].map(() => {
    let open = (): void => undefined;
    const held = new Promise<void>((resolve) => { open = resolve; });
    return { held, open };
  });
  const model = await ScriptedModel.start({ script: async ({ number }) => {
    await gates[number - 1]?.held;
    return [LOOK, EDIT][number - 1] ?? { calls: [call('finish', { subject: 'Listen on 8080', report: 'The docs are left.' })] };
  } });
  try {
    const profile = { id: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    await walk('messages', { files: { 'api/server.js': 'export const port = 80;\n' }, theme: 'dark', machineSettings: { 'worldtree.models': [profile] } }, async ({ workbench }) => {
      const { editors, quickInput, page } = workbench;
      await workbench.rightClickInExplorer(['api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => quickInput.title(), { timeout: 60_000 }).toBe('Delegate api to an Agent');
      await quickInput.type('Listen on 8080');
      await workbench.pick(/Start/);
      await workbench.openView('Worldtree');
      const agents = workbench.view('Agents');
      await agents.row(/turn 1: thinking/);

      await agents.rightClick(/^e1 api/, 'Send Message to Agent…');
      await expect.poll(() => quickInput.title(), { timeout: 60_000 }).toBe('Message to e1 api');
      await workbench.screenshot('box');
      await quickInput.type('Two things');
      await quickInput.clickButton('Write It in an Editor');
      await editors.waitForTab(/Message to e1/);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText('Two things:\nkeep the name,\nno new file.');
      await editors.clickTitleAction('Use This Text');
      await workbench.runCommand('Worldtree: Show Agent');
      await editors.waitForTab(/e1 api/);
      // Its page shows what the ledger holds: from here on the message is on its way.
      await page.locator('.view-line').filter({ hasText: /no.new.file/ }).first().waitFor();
      await workbench.screenshot('told');
      gates[0]?.open();
      await model.arrived(2);
      expect(model.requests[1]?.body.messages.at(-1)?.content).toBe('The person says:\nTwo things:\nkeep the name,\nno new file.');

      await agents.rightClick(/^e1 api/, 'Let Agent Finish Up');
      await agents.row(/finishing up/);
      await workbench.screenshot('finishing-up');
      gates[1]?.open();
      await workbench.view('Review').row(/Listen on 8080/);
      expect(model.requests).toHaveLength(3);
      expect(model.requests[2]?.body.messages.at(-1)?.content).toContain('This is your last turn');
    });
  } finally {
    for (const { open } of gates) open();
    await model.stop();
  }
}, 600_000);
