import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../support/projectRoot.ts';
import { call, ScriptedModel } from '../support/scriptedModel.ts';
import { walk } from '../support/editor/walk.ts';

const files = { 'README.md': '# Shop\n', 'packages/api/src/server.ts': 'export const port = 80;\n' };
const otherExtension = path.join(projectRoot, 'test', 'fixtures', 'modelExtension');

test('a person without a model adds one with its key while delegating, and the key goes to that server only', async () => {
  const model = await ScriptedModel.start({
    key: 'sk-the-key', models: ['small', 'large'],
    script: [
      { calls: [call('ready', {})] },
      { calls: [call('ready', {})] },
      { calls: [call('edit_file', { path: 'packages/api/src/server.ts', old_text: '80', new_text: '8080' })] },
      { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] },
    ],
  });
  try {
    await walk('add-model', { files, theme: 'dark' }, async ({ workbench, editor }) => {
      await workbench.rightClickInExplorer(['packages', 'api'], 'Delegate to Agent…');
      await workbench.quickInput.row(/Add a Model…/);
      await workbench.screenshot('no-model');
      await workbench.pick(/Add a Model…/);
      await workbench.pick('Another compatible server');
      await workbench.answerInput(`${model.baseUrl}/`);
      await workbench.pick(/Enter a Key…/);
      await expect.poll(() => workbench.quickInput.message(), { timeout: 30_000 }).toMatch(/secret storage/);
      await workbench.screenshot('key');
      await workbench.answerInput('sk-the-key');
      await workbench.pick('large');
      await expect.poll(() => workbench.quickInput.title(), { timeout: 30_000 }).toMatch(/Prices/);
      await workbench.answerInput('1.40 0.26 4.40');
      expect(await (await workbench.quickInput.row(/Try It Now/)).innerText()).toMatch(/two short requests, up to .* tokens, .* at most/);
      await workbench.pick(/Try It Now/);
      expect(await workbench.waitForNotification(/calls tools/)).toMatch(/^large answered in .* and calls tools\. It tells cached tokens\. It is in your settings as “127\.0\.0\.1”\.$/);

      await expect.poll(() => workbench.quickInput.title(), { timeout: 60_000 }).toBe('Delegate packages/api to an Agent');
      await workbench.quickInput.row(/Model: large/);
      await workbench.screenshot('goal');
      await workbench.quickInput.type('Listen on 8080');
      await workbench.pick(/Start/);
      await workbench.openView('Worldtree');
      await workbench.view('Review').row(/Listen on 8080/);
      expect(model.requests.map((request) => [request.authorization, request.body.model])).toEqual(Array(4).fill(['Bearer sk-the-key', 'large']));
      expect(readFileSync(editor.machineSettingsFile, 'utf8')).toContain('"model": "large"');
      expect(readFileSync(editor.machineSettingsFile, 'utf8')).not.toContain('sk-the-key');
    });
  } finally {
    await model.stop();
  }
}, 600_000);

test('a person delegates to a model that another extension brings, and one without tool calls is refused', async () => {
  await walk('language-model', { files, extensions: [projectRoot, otherExtension], userSettings: { 'chat.disableAIFeatures': false } }, async ({ workbench }) => {
    await workbench.rightClickInExplorer(['packages', 'api'], 'Delegate to Agent…');
    await workbench.pick(/Fixture Without Tools/);
    expect(await workbench.dialog.text()).toMatch(/agents work by calling tools.*Fixture Without Tools cannot call tools/s);
    await workbench.dialog.answer('Cancel');
    await workbench.pick(/Fixture One/);
    await expect.poll(() => workbench.quickInput.title(), { timeout: 60_000 }).toBe('Delegate packages/api to an Agent');
    await workbench.quickInput.type('Listen on 8080');
    await workbench.pick(/Start/);
    await workbench.openView('Worldtree');
    const row = await workbench.view('Review').row(/Listen on 8080/);
    expect(row.description).toContain('+1 −1');
    // Each view draws its rows when it comes to it.
    await expect.poll(async () => (await workbench.view('Agents').row(/packages\/api/)).description, { timeout: 60_000 }).toMatch(/~\d/);
    await workbench.screenshot('proposed');
  });
}, 600_000);

test('in Restricted Mode a person sees the views and nothing runs; trusted, the same window delegates', async () => {
  await walk('restricted', { files, restricted: true, theme: 'light' }, async ({ workbench, repository }) => {
    await workbench.openView('Worldtree');
    await expect.poll(() => workbench.viewWelcome('Review'), { timeout: 60_000 }).toMatch(/trust/i);
    await workbench.screenshot('restricted');
    expect(repository.git('for-each-ref', 'refs/worldtree')).toBe('');
    await workbench.trustFolder();
    await workbench.rightClickInExplorer(['packages', 'api'], 'Survey This Folder');
    await workbench.openView('Worldtree');
    await workbench.view('Review').row(/packages\/api/);
    await workbench.screenshot('trusted');
  });
}, 600_000);
