import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, ScriptedModel } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';
import { isolateGit } from '../git/support.ts';

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5000000\n`;

describe('given a repository whose filter needs a program that is missing (A3)', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  beforeEach(isolateGit);
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('then an agent asks, starts without filters when the person says so, knows which files are pointers, and proposes just what it changed', async () => {
    const repository = makeTemporaryRepository({ '.gitattributes': '*.psd filter=lfs\n*.key filter=vault\n', 'art/cover.psd': POINTER, 'art/sign.key': 'sealed\n', 'art/notes.md': 'Draft\n' });
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    for (const [filter, program] of [['lfs', 'git-lfs-missing'], ['vault', 'vault-missing']] as const) {
      for (const way of ['smudge', 'clean']) repository.git('config', `filter.${filter}.${way}`, `${program} ${way} %f`);
      repository.git('config', `filter.${filter}.required`, 'true');
    }
    const model = await ScriptedModel.start({ script: [{ calls: [call('edit_file', { path: 'art/notes.md', old_text: 'Draft', new_text: 'Final' })] }, { calls: [call('finish', { subject: 'Finish the notes', report: 'Done.' })] }] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    const id = await world.delegate('art', 'Finish the notes');

    const asked = await world.reaches(id, 'asking');
    expect(asked.question).toMatchObject({ kind: 'failed', words: expect.stringMatching(/-missing/) as unknown, also: ['without-filters'] });
    expect(world.episode(id).worktree).toBeNull();
    expect(repository.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    expect(model.requests).toHaveLength(0);

    value(await world.world.answer(id, { choice: 'without-filters', words: '' }));
    await world.reaches(id, 'waiting');
    const told = JSON.stringify(model.requests[0]?.body.messages);
    expect(told).toContain('Git LFS pointers, not their content: art/cover.psd.');
    expect(told).toContain('since a filter of theirs could not be run: art/sign.key.');
    const [candidate] = world.episode(id).candidates;
    expect([...candidate?.inside ?? [], ...candidate?.outside ?? []].map((file) => file.path)).toEqual(['art/notes.md']);
    expect(existsSync(world.episode(id).worktree ?? '')).toBe(true);
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:art/notes.md')).toBe('Final');
  });
});
