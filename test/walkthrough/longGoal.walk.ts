import { expect, test } from 'vitest';
import { call, ScriptedModel } from '../support/scriptedModel.ts';
import { walk } from '../support/editor/walk.ts';

const GOAL = ['Make the port configurable', '', '- from an environment variable', '- with 80 where it is not set'];

test('a person writes a goal of several lines, and a rework of several lines', async () => {
  const finish = (subject: string) => ({ calls: [call('finish', { subject, report: 'Done as asked.' })] });
  const edit = (from: string, to: string) => ({ calls: [call('edit_file', { path: 'api/server.js', old_text: from, new_text: to })] });
  const model = await ScriptedModel.start({ script: [edit('80', '8080'), finish('Configure the port'), edit('8080', '9090'), finish('Configure it better')] });
  try {
    const profile = { id: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    await walk('longGoal', { files: { 'api/server.js': 'export const port = 80;\n' }, theme: 'dark', machineSettings: { 'worldtree.models': [profile] } }, async ({ workbench }) => {
      const { editors, quickInput, page } = workbench;
      const write = async (lines: readonly string[]): Promise<void> => {
        await page.keyboard.press('ControlOrMeta+A');
        for (const [i, line] of lines.entries()) {
          if (i > 0) await page.keyboard.press('Enter');
          // Written as it is read: bullets are not continued by themselves in plain text.
          await page.keyboard.insertText(line);
        }
      };
      await workbench.rightClickInExplorer(['api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => quickInput.title(), { timeout: 60_000 }).toBe('Delegate api to an Agent');
      await quickInput.type('Make the port configurable');
      await workbench.pick(/Write a Longer Goal/);
      await editors.waitForTab(/Goal for api/);
      await write(GOAL);
      await workbench.screenshot('document');
      await workbench.setTheme('light');
      await workbench.screenshot('document');

      // Saved and closed by itself: what was saved counts.
      await editors.save();
      await page.locator('.tab.active .tab-actions .action-label').first().click();
      await expect.poll(() => quickInput.title(), { timeout: 60_000 }).toBe('Delegate api to an Agent');
      expect(await quickInput.value()).toBe(GOAL[0]);
      expect(await quickInput.items()).toContainEqual(expect.stringMatching(/Edit the Whole Goal.*\+ 2 more lines: - from an environment variable/));
      await workbench.screenshot('goal-box');

      // Left as it was, whatever was typed.
      await workbench.pick(/Edit the Whole Goal/);
      await editors.waitForTab(/Goal for api/);
      await write(['Something else']);
      await editors.clickTitleAction('Keep the Text as It Was');
      await expect.poll(() => quickInput.title(), { timeout: 60_000 }).toBe('Delegate api to an Agent');
      await quickInput.type('Make the port configurable, please');
      await workbench.pick(/Start/);
      await workbench.openView('Worldtree');
      const review = workbench.view('Review');
      await review.row(/Configure the port/);
      expect(JSON.stringify(model.requests[0]?.body.messages)).toContain(JSON.stringify(['Make the port configurable, please', ...GOAL.slice(1)].join('\n')).slice(1, -1));

      await review.rightClick(/Configure the port/, 'Rework…');
      await expect.poll(() => quickInput.title(), { timeout: 60_000 }).toMatch(/^Rework /);
      await quickInput.type('Two things');
      await quickInput.clickButton('Write It in an Editor');
      await editors.waitForTab(/Rework of e1/);
      await write(['Two things:', 'use 9090', 'say why']);
      await editors.clickTitleAction('Use This Text');
      await review.row(/Configure it better/);
      expect(JSON.stringify(model.requests[2]?.body.messages)).toContain('Two things:\\nuse 9090\\nsay why');
    });
  } finally {
    await model.stop();
  }
}, 600_000);
