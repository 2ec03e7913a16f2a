import { expect, test } from 'vitest';
import { call, ScriptedModel } from '../support/scriptedModel.ts';
import { walk } from '../support/editor/walk.ts';

test.each(['light', 'dark'] as const)('a person follows the transcript of an agent at work (%s)', async (theme) => {
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => { answer = resolve; });
  const model = await ScriptedModel.start({ script: async ({ number }) => {
    if (number === 1) return { text: 'I look at the server first.', calls: [call('read_file', { path: 'api/server.js' }), call('list_files', {})] };
    await held;
    return number === 2 ? { calls: [call('edit_file', { path: 'api/server.js', old_text: '80', new_text: '8080' })] } : { calls: [call('finish', { subject: 'Listen on 8080', report: 'Done.' })] };
  } });
  try {
    const profile = { id: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    await walk(`transcript-${theme}`, { files: { 'api/server.js': 'export const port = 80;\n' }, theme, machineSettings: { 'worldtree.models': [profile] } }, async ({ workbench }) => {
      const { editors, quickInput, page } = workbench;
      const line = (words: RegExp) => page.locator('.view-line').filter({ hasText: words }).first();
      await workbench.rightClickInExplorer(['api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => quickInput.title(), { timeout: 60_000 }).toBe('Delegate api to an Agent');
      await quickInput.type('Listen on 8080');
      await workbench.pick(/Start/);
      await workbench.openView('Worldtree');
      const agents = workbench.view('Agents');
      await agents.row(/turn 2: thinking/);
      await agents.rightClick(/^e1 api/, 'Show Transcript');
      await editors.waitForTab(/Transcript of e1 api/);
      await line(/Turn.1.·.2.calls/).waitFor();
      await line(/read_file.api\/server\.js.—.ok/).waitFor();
      await workbench.screenshot('open');
      answer();
      await line(/finish.Listen.on.8080.—.proposed.as.change.1/).waitFor();
      await workbench.screenshot('followed');
    });
  } finally {
    answer();
    await model.stop();
  }
}, 600_000);
