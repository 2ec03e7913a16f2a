import { expect, test } from 'vitest';
import { call, ScriptedModel, type ScriptedAnswer } from '../support/scriptedModel.ts';
import { walk, type Walk } from '../support/editor/walk.ts';
import type { Theme } from '../support/editor/theme.ts';

const files = {
  'README.md': '# Shop\n',
  'packages/api/src/server.ts': 'export const port = 80;\nexport const host = "localhost";\n',
  'packages/web/page.ts': 'export const title = "Home";\n',
};
const change = (from: string, to: string): ScriptedAnswer => ({ text: 'Changing the port.', calls: [call('edit_file', { path: 'packages/api/src/server.ts', old_text: from, new_text: to })] });
const finish = (subject: string): ScriptedAnswer => ({ calls: [call('finish', { subject, report: 'Changed the port in server.ts. Nothing else uses it.' })] });

async function delegated(name: string, theme: Theme, script: readonly ScriptedAnswer[], steps: (walk: Walk & { readonly model: ScriptedModel }) => Promise<void>): Promise<void> {
  const model = await ScriptedModel.start({ script });
  try {
    const profile = { id: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    await walk(name, { files, theme, machineSettings: { 'worldtree.models': [profile] } }, async (walk) => {
      const { workbench, repository } = walk;
      repository.git('config', 'user.name', 'Test Person');
      repository.git('config', 'user.email', 'person@example.test');
      await workbench.rightClickInExplorer(['packages', 'api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => workbench.quickInput.title(), { timeout: 60_000 }).toBe('Delegate packages/api to an Agent');
      await workbench.quickInput.type('Listen on 8080');
      await workbench.screenshot('goal');
      await workbench.pick(/Start/);
      await workbench.openView('Worldtree');
      await workbench.view('Review').row(/packages\/api/);
      await workbench.screenshot('proposed');
      await steps({ ...walk, model });
    });
  } finally {
    await model.stop();
  }
}

test('a person delegates a folder, edits a line of the proposed change in the diff, accepts it and takes it back', async () => {
  await delegated('delegate', 'dark', [change('80', '8080'), finish('Listen on 8080')], async ({ workbench, repository, model }) => {
    const before = repository.git('rev-parse', 'HEAD');
    const review = workbench.view('Review');
    expect(model.requests).toHaveLength(2);
    await review.click([/packages\/api/, 'server.ts']);
    await workbench.editors.waitForTab(/server\.ts/);
    expect(await workbench.editors.diffText('original')).toContain('port = 80;');
    await workbench.editors.typeIntoModified(' // behind the proxy', { line: 1 });
    await workbench.screenshot('edited');

    // Not saved: the accept takes what was typed.
    await review.clickInline(/packages\/api/, 'Accept', () => workbench.quickInput.isOpen());
    await workbench.pick(/Accept onto main/);
    await workbench.waitForNotification(/accepted/i);
    await workbench.screenshot('accepted');
    expect(repository.git('show', 'HEAD:packages/api/src/server.ts')).toBe('export const port = 8080; // behind the proxy\nexport const host = "localhost";');
    expect(repository.git('log', '-1', '--format=%an %s')).toBe('Test Person Listen on 8080');
    expect(repository.git('status', '--porcelain')).toBe('');

    await workbench.clickNotificationButton('Undo', /accepted/i);
    await workbench.waitForNotification(/undone/i);
    expect(repository.git('diff', before, 'HEAD')).toBe('');
    expect(repository.git('status', '--porcelain')).toBe('');
    await workbench.screenshot('undone');
  });
}, 600_000);

test('a person sends a change back, sees what is new since they looked, and rejects it with a reason', async () => {
  await delegated('rework', 'high-contrast-dark', [change('80', '8080'), finish('Listen on 8080'), change('8080', '9090'), finish('Listen on 9090')], async ({ workbench, repository, model }) => {
    const before = repository.git('rev-parse', 'HEAD');
    const review = workbench.view('Review');
    await review.clickInline(/packages\/api/, 'Open Changes');
    expect(await workbench.editors.multiDiffTitles()).toContain('/packages/api/src/server.ts');
    await workbench.screenshot('open-changes');

    await review.rightClick(/packages\/api/, 'Rework…');
    await workbench.answerInput('Use 9090 instead');
    await review.row(/Listen on 9090/);
    expect(JSON.stringify(model.requests[2]?.body.messages)).toContain('Use 9090 instead');
    await review.rightClick(/packages\/api/, 'Open Changes Since I Looked');
    expect(await workbench.editors.diffText('original')).toContain('port = 8080;');
    expect(await workbench.editors.diffText('modified')).toContain('port = 9090;');
    await workbench.screenshot('since-i-looked');

    await review.clickInline(/packages\/api/, 'Reject');
    await workbench.waitForNotification(/rejected/i);
    await workbench.screenshot('rejected');
    await workbench.clickNotificationButton('Add Reason…', /rejected/i);
    await workbench.answerInput('Not this port');
    expect(repository.git('rev-parse', 'HEAD')).toBe(before);
    expect(repository.git('status', '--porcelain')).toBe('');
    await workbench.view('Agents').row(/rejected/);
    await workbench.screenshot('reason-added');
  });
}, 600_000);
