import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { walk } from '../support/editor/walk.ts';

const files = {
  'README.md': '# Shop\n\nA small shop: an API and a web page.\n',
  'packages/api/package.json': JSON.stringify({ name: '@shop/api', description: 'The HTTP API of the shop.', main: 'src/server.js', scripts: { test: 'node --test' } }),
  'packages/api/README.md': '# API\n\nServes products and orders over HTTP.\n',
  'packages/api/src/server.ts': 'export function serve(port: number): void {}\nexport const version = 1;\n',
  'packages/api/src/orders/order.ts': 'export interface Order { id: string }\nexport function place(order: Order): void {}\n',
  'packages/web/page.ts': 'export const title = "Home";\n',
};

test('a person surveys a folder, reads what is proposed, accepts it, takes it back and accepts it again', async () => {
  await walk('survey', { files, theme: 'light' }, async ({ workbench, repository }) => {
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    const before = repository.git('rev-parse', 'HEAD');

    await workbench.rightClickInExplorer(['packages', 'api'], 'Survey This Folder');
    await workbench.openView('Worldtree');
    const review = workbench.view('Review');
    await review.row(/packages\/api/);
    await workbench.screenshot('proposed');
    expect(repository.git('rev-parse', 'HEAD')).toBe(before);
    expect(repository.git('status', '--porcelain')).toBe('');

    await review.clickInline(/packages\/api/, 'Open Changes');
    expect(await workbench.editors.multiDiffTitles()).toContain('/packages/api/CONTEXT.md');
    await workbench.screenshot('open-changes');

    await review.clickInline(/packages\/api/, 'Accept', () => workbench.quickInput.isOpen());
    await workbench.screenshot('accept-box');
    await workbench.pick(/Accept onto main/);
    await workbench.waitForNotification(/accepted/i);
    await workbench.screenshot('accepted');
    expect(repository.git('log', '-1', '--format=%P')).toBe(before);
    expect(readFileSync(path.join(repository.folder, 'packages/api/CONTEXT.md'), 'utf8')).toContain('Serves products and orders over HTTP');
    expect(repository.git('status', '--porcelain')).toBe('');

    await workbench.clickNotificationButton('Undo', /accepted/i);
    await workbench.waitForNotification(/undone/i);
    expect(repository.git('diff', '--stat', before, 'HEAD')).toBe('');
    await workbench.screenshot('undone');

    await review.clickInline(/packages\/api/, 'Accept', () => workbench.quickInput.isOpen());
    await workbench.pick(/Accept onto main/);
    await workbench.waitForNotification(/accepted/i);
    expect(repository.git('diff', '--name-only', before, 'HEAD')).toContain('packages/api/CONTEXT.md');
    expect(repository.git('status', '--porcelain')).toBe('');
    for (const theme of ['dark', 'high-contrast-dark', 'high-contrast-light'] as const) {
      await workbench.setTheme(theme);
      await workbench.screenshot('accepted-again');
    }
  });
}, 600_000);
