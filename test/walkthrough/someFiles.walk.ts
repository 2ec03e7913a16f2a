import { expect, test } from 'vitest';
import type { Theme } from '../support/editor/theme.ts';
import { walk, type Walk } from '../support/editor/walk.ts';
import { call, ScriptedModel } from '../support/scriptedModel.ts';

const files = { 'packages/api/server.ts': 'export const port = 80;\n', 'packages/api/route.ts': 'export const routes = [];\n', 'packages/api/README.md': '# API\n', 'packages/web/page.ts': 'export const title = "Home";\n' };
const script = [
  { calls: [call('edit_file', { path: 'packages/api/server.ts', old_text: '80', new_text: '8080' }), call('edit_file', { path: 'packages/api/route.ts', old_text: '[]', new_text: '["/health"]' }), call('edit_file', { path: 'packages/api/README.md', old_text: '# API', new_text: '# API on 8080' })] },
  { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port, added a route and said so.' })] },
];

/** A change of three files waits in Review. */
async function proposed(name: string, theme: Theme, steps: (walk: Walk) => Promise<void>): Promise<void> {
  const model = await ScriptedModel.start({ script });
  try {
    await walk(name, { files, theme, machineSettings: { 'worldtree.models': [{ id: 'scripted', baseUrl: model.baseUrl, model: 'scripted' }] } }, async (walk) => {
      const { workbench, repository } = walk;
      repository.git('config', 'user.name', 'Test Person');
      repository.git('config', 'user.email', 'person@example.test');
      await workbench.rightClickInExplorer(['packages', 'api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => workbench.quickInput.title(), { timeout: 60_000 }).toBe('Delegate packages/api to an Agent');
      await workbench.quickInput.type('Listen on 8080');
      await workbench.pick(/Start/);
      await workbench.openView('Worldtree');
      await workbench.view('Review').row(/Listen on 8080/);
      await steps(walk);
    });
  } finally {
    await model.stop();
  }
}

test('a person accepts some files in the box, then the rest, and takes the rest back', async () => {
  await proposed('some-files', 'dark', async ({ workbench, repository }) => {
    const review = workbench.view('Review');
    const before = repository.git('rev-parse', 'HEAD');
    await review.clickInline(/Listen on 8080/, 'Accept');
    await workbench.pick(/Accept Some Files/);
    await expect.poll(() => workbench.quickInput.title(), { timeout: 30_000 }).toMatch(/^Accept Some Files of/);
    await workbench.screenshot('pick');
    await workbench.quickInput.pickSeveral(['README.md', 'route.ts']);
    await expect.poll(() => workbench.quickInput.items(), { timeout: 30_000 }).toEqual(expect.arrayContaining([expect.stringContaining('Accept 1 of 3 files onto main')]));
    await workbench.screenshot('box');
    await workbench.pick(/Accept 1 of 3 files onto main/);
    await workbench.waitForNotification(/Some files of .* are accepted onto main .* The rest, 2 files, waits in Review/);
    const row = await review.row(/rest of Listen on 8080.*1 file accepted as/);
    expect(row.description).toContain(`accepted as ${repository.git('rev-parse', '--short=7', 'HEAD')}`);
    await workbench.screenshot('rest-waits');
    expect(repository.git('diff', '--name-only', before, 'HEAD')).toBe('packages/api/server.ts');

    await review.clickInline(/rest of Listen on 8080/, 'Accept');
    await workbench.pick(/Accept onto main/);
    await workbench.waitForNotification(/is accepted onto main/);
    await review.row(/accepted onto main as .* 1 file accepted as/);
    await workbench.screenshot('all-accepted');
    expect(repository.git('diff', '--name-only', before, 'HEAD').split('\n')).toHaveLength(3);
    await workbench.clickNotificationButton('Undo', /is accepted onto main/);
    await review.row(/rest of Listen on 8080/);
    expect(repository.git('diff', '--name-only', before, 'HEAD')).toBe('packages/api/server.ts');
    expect(repository.git('status', '--porcelain')).toBe('');
  });
}, 600_000);

test('a person accepts one file from its row, and undoes that while the rest waits', async () => {
  await proposed('this-file', 'light', async ({ workbench, repository }) => {
    const review = workbench.view('Review');
    const before = repository.git('rev-parse', 'HEAD');
    await review.rightClick([/Listen on 8080/, 'route.ts'], 'Accept This File…');
    await workbench.pick(/Accept 1 of 3 files onto main/);
    await review.row(/rest of Listen on 8080.*1 file accepted as/);
    await workbench.screenshot('rest-waits');
    expect(repository.git('diff', '--name-only', before, 'HEAD')).toBe('packages/api/route.ts');
    await review.rightClick(/rest of Listen on 8080/, 'Undo Accept');
    await workbench.waitForNotification(/undone/i);
    await review.row([/Listen on 8080/, 'route.ts']);
    await workbench.screenshot('undone');
    expect(repository.git('diff', before, 'HEAD')).toBe('');
    expect(repository.git('status', '--porcelain')).toBe('');
  });
}, 600_000);
