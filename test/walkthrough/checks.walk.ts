import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseGenesisToml } from '../../src/core/constraints/genesisToml.ts';
import { call, ScriptedModel } from '../support/scriptedModel.ts';
import { walk } from '../support/editor/walk.ts';

const files = {
  'package.json': JSON.stringify({ name: 'shop', scripts: { lint: 'node check.js' } }),
  'check.js': 'process.exit(0);\n',
  'packages/api/package.json': JSON.stringify({ name: '@shop/api', scripts: { test: 'node test.js' } }),
  'packages/api/test.js': 'console.log("1 test, 0 failures");\n',
  'packages/api/src/server.js': 'export const port = 80;\n',
};

test('a person runs the tests that were found once, adds them as checks, and accepts', async () => {
  const model = await ScriptedModel.start({ script: [{ calls: [call('edit_file', { path: 'packages/api/src/server.js', old_text: '80', new_text: '8080' })] }, { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] }] });
  try {
    const profile = { id: 'scripted', baseUrl: model.baseUrl, model: 'scripted', prices: { fresh: 1, cached: 0.1, output: 4 } };
    await walk('checks', { files, theme: 'dark', machineSettings: { 'worldtree.models': [profile] } }, async ({ workbench, repository }) => {
      repository.git('config', 'user.name', 'Test Person');
      repository.git('config', 'user.email', 'person@example.test');
      await workbench.rightClickInExplorer(['packages', 'api'], 'Delegate to Agent…');
      await workbench.pick(/scripted/);
      await expect.poll(() => workbench.quickInput.title(), { timeout: 60_000 }).toBe('Delegate packages/api to an Agent');
      await workbench.quickInput.type('Listen on 8080');
      await workbench.pick(/Start/);
      await workbench.openView('Worldtree');
      const review = workbench.view('Review');
      await review.clickInline(/packages\/api/, 'Accept');
      await expect.poll(() => workbench.quickInput.items(), { timeout: 60_000 }).toContainEqual(expect.stringMatching(/Run `npm test` Once/));
      await workbench.screenshot('unchecked');

      await workbench.pick(/Run `npm test` Once/);
      await workbench.answerDialog('Run');
      await expect.poll(() => workbench.quickInput.items(), { timeout: 60_000 }).toContainEqual(expect.stringMatching(/`npm test` passed/));
      await workbench.screenshot('ran-once');
      await workbench.setTheme('light');
      await workbench.screenshot('ran-once');
      expect(repository.git('status', '--porcelain')).toBe('');

      await workbench.pick(/Add as Checks/);
      await expect.poll(() => workbench.quickInput.items(), { timeout: 60_000 }).toHaveLength(2);
      await workbench.screenshot('add-checks');
      await workbench.quickInput.pickSeveral([]);
      await workbench.waitForNotification(/Save and commit genesis\.toml/);
      await workbench.editors.waitForTab(/genesis/);
      await workbench.screenshot('genesis');
      const genesis = path.join(repository.folder, 'genesis.toml');
      expect(existsSync(genesis)).toBe(false);
      await workbench.editors.save();
      const declared = () => {
        const parsed = parseGenesisToml(existsSync(genesis) ? readFileSync(genesis, 'utf8') : '');
        return parsed.ok ? parsed.config.constraints.map(({ run, required }) => [run, required]) : parsed.refusal;
      };
      await expect.poll(declared, { timeout: 60_000 }).toEqual([['cd packages/api && npm test', true], ['npm run lint', true]]);
      expect(repository.git('status', '--porcelain')).toBe('?? genesis.toml');

      await review.clickInline(/packages\/api/, 'Accept');
      await workbench.pick(/Accept onto main/);
      await workbench.waitForNotification(/is accepted onto main/);
      expect(repository.git('log', '-1', '--format=%B')).toMatch(/^Worldtree-Evidence: npm test in packages\/api pass/m);
    });
  } finally {
    await model.stop();
  }
}, 600_000);
