import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EpisodeId } from '../../../src/core/ids.ts';
import type { Settings } from '../../../src/runtime/ports/settings.ts';
import { call, ScriptedModel, type ScriptedAnswer } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';
import { isolateGit } from '../git/support.ts';

const FILES: FileTree = {
  'genesis.toml': '[worktree]\nneeds = ["tools", "packages/gone"]\n',
  'README.md': '# Sample\n\nA sample of a repository with packages.\n',
  'packages/api/server.ts': 'export const port = 80;\n', 'packages/api/old.ts': 'export const old = 1;\n',
  'packages/web/page.ts': 'export const page = 80;\n', 'packages/web/view/view.ts': 'export const view = 1;\n',
  'tools/check.sh': 'true\n',
};
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.', include_outside: true })] };

const cleanups: (() => Promise<void> | void)[] = [];
beforeEach(isolateGit);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function given(files: FileTree, script: readonly ScriptedAnswer[], settings: Partial<Settings> = {}): Promise<{ repository: TemporaryRepository; world: TestWorld; model: ScriptedModel; reopen: () => Promise<TestWorld> }> {
  const repository = makeTemporaryRepository(files);
  repository.git('config', 'user.name', 'Test Person');
  repository.git('config', 'user.email', 'person@example.test');
  const model = await ScriptedModel.start({ script });
  const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, settings });
  cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
  return {
    repository, world, model,
    reopen: async () => {
      await world.close();
      const next = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, settings, machine: world.machine });
      cleanups.push(() => next.close());
      return next;
    },
  };
}

/** Resolves when the change is proposed; its commands are allowed one by one. */
async function proposes(world: TestWorld, id: EpisodeId, commands: number): Promise<void> {
  for (let i = 0; i < commands; i++) {
    await world.reaches(id, 'asking');
    value(await world.world.answer(id, { choice: 'run', words: '' }));
  }
  await world.reaches(id, 'waiting');
}

describe('an agent of a repository that says what its commands need', () => {
  const WORK: readonly ScriptedAnswer[] = [
    { calls: [call('run', { command: 'find . -type f -not -name .git | sort', folder: '.' })] },
    { calls: [call('search', { pattern: '= 80' }), call('read_file', { path: 'packages/web/view/view.ts' })] },
    { calls: [call('edit_file', { path: 'packages/api/server.ts', old_text: '80', new_text: '8080' }), call('edit_file', { path: 'packages/web/page.ts', old_text: '80', new_text: '8080', outside: true })] },
    { calls: [call('run', { command: 'rm old.ts' })] },
    FINISH,
  ];

  it('sees only that on disk and everything with its tools, and proposes exactly what it changed', async () => {
    const { world, model, repository } = await given(FILES, WORK);
    const id = await world.delegate('packages/api', 'Listen on 8080');
    await proposes(world, id, 2);
    const said = (turn: number): string => JSON.stringify(model.requests[turn]?.body.messages);
    expect(said(0)).toContain('Only these folders are checked out: packages/api, tools;');
    expect(said(0)).toContain('genesis.toml says that a worktree needs packages/gone');
    expect(said(1)).toContain(['./README.md', './genesis.toml', './packages/api/old.ts', './packages/api/server.ts', './tools/check.sh'].join('\\n'));
    expect(said(2)).toContain('packages/web/page.ts:1: export const page = 80;');
    expect(said(2)).toContain('It is not checked out; this is from commit');
    const [candidate] = world.episode(id).candidates;
    expect(candidate?.inside.map((f) => [f.path, f.kind])).toEqual([['packages/api/old.ts', 'deleted'], ['packages/api/server.ts', 'modified']]);
    expect(candidate?.outside.map((f) => [f.path, f.kind])).toEqual([['packages/web/page.ts', 'modified']]);
    value(await world.world.decideOutside(id, 'allow', candidate?.outside.map((f) => f.path) ?? []));
    value(await world.accept(id));
    expect(repository.git('diff', '--name-status', 'HEAD~1', 'HEAD').split('\n')).toEqual(['D\tpackages/api/old.ts', 'M\tpackages/api/server.ts', 'M\tpackages/web/page.ts']);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('goes on with its change in a worktree that is made again, and in the next window', async () => {
    const { world, repository, reopen } = await given(FILES, [...WORK, { calls: [call('read_file', { path: 'packages/web/page.ts' })] }, FINISH]);
    const id = await world.delegate('packages/api', 'Listen on 8080');
    await proposes(world, id, 2);
    const [candidate] = world.episode(id).candidates;
    value(await world.world.decideOutside(id, 'allow', candidate?.outside.map((f) => f.path) ?? []));
    const next = await reopen();
    const worktree = next.episode(id).worktree ?? '';
    // As when the person empties their caches.
    repository.git('worktree', 'remove', '--force', '--force', worktree);
    value(await next.world.rework(id, 'Go on, please.'));
    await next.reaches(id, 'waiting');
    const last = next.episode(id).candidates.at(-1);
    expect(last?.source).toBe('agent');
    expect([...last?.inside ?? [], ...last?.companions ?? [], ...last?.outside ?? []].map((f) => f.path).sort()).toEqual(['packages/api/old.ts', 'packages/api/server.ts', 'packages/web/page.ts']);
    expect(existsSync(path.join(worktree, 'packages/web/page.ts'))).toBe(true);
    expect(existsSync(path.join(worktree, 'packages/web/view'))).toBe(false);
  });

  it('has everything on disk where the machine says so', async () => {
    const { world, model } = await given(FILES, WORK, { worktreeCheckout: () => 'full' });
    const id = await world.delegate('packages/api', 'Listen on 8080');
    await proposes(world, id, 2);
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('./packages/web/view/view.ts');
    expect(JSON.stringify(model.requests[0]?.body.messages)).not.toContain('checked out:');
  });
});

function nestedPackage(name: string): FileTree {
  const parts = Array.from({ length: 6 }, (_, i): readonly [string, string] => [`packages/${name}/src/part-${i}.js`, `/** Part ${i} of ${name}. */\nexports.part${i} = function () {};\n`.repeat(i === 1 ? 200 : 1)]);
  return {
    [`packages/${name}/package.json`]: `{"name":"@tool/${name}","main":"index.js"}`, [`packages/${name}/README.md`]: `# ${name}\r\n\r\nThe ${name} of the tool.\r\n`, [`packages/${name}/.gitignore`]: 'out/\n',
    [`packages/${name}/src/deep/er/x.js`]: 'exports.x = 1;\n', ...Object.fromEntries(parts),
  };
}

describe('a survey', () => {
  const NESTED: FileTree = {
    'package.json': '{"name":"tool","workspaces":["packages/*"],"scripts":{"test":"node --test"}}', 'README.md': '# Tool\n\nTool counts what people put into folders.\n', '.gitignore': 'build/\n',
    ...nestedPackage('api'), ...nestedPackage('web'), ...nestedPackage('core'),
    'docs/ünï/日本.md': '# Docs\n', 'docs/link.md': { symlink: '../README.md' }, 'docs/picture.png': new Uint8Array([1, 0, 2]),
  };

  it.each(['', 'packages'])('of "%s" writes the very same pages whether everything or no folder is on disk', async (folder) => {
    const pages = async (setting: 'full' | 'auto'): Promise<Record<string, string>> => {
      const { world, repository } = await given(NESTED, [], { worktreeCheckout: () => setting });
      const id = await world.delegate(folder, null);
      await world.reaches(id, 'waiting');
      const [candidate] = world.episode(id).candidates;
      expect(existsSync(path.join(world.episode(id).worktree ?? '', 'packages/api/src'))).toBe(setting === 'full');
      expect(candidate?.outside).toEqual([]);
      return Object.fromEntries((candidate?.inside ?? []).map((f) => [f.path, `${f.kind}\n${repository.git('show', `${candidate?.commit ?? ''}:${f.path}`)}`]));
    };
    const [full, sparse] = [await pages('full'), await pages('auto')];
    expect(sparse).toEqual(full);
    expect(Object.keys(full).length).toBeGreaterThan(3);
  });
});
