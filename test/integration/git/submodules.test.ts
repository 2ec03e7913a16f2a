/** Submodules in agents' worktrees, with the setting that wants them there (A6, A7); without it: worktrees.test.ts. */
import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RepositoryCommand } from '../../../src/adapters/commands/repositoryCommand.ts';
import { createCandidates } from '../../../src/adapters/git/candidates/candidates.ts';
import { runCommand } from '../../../src/adapters/commands/runCommand.ts';
import { resolveUrl } from '../../../src/adapters/git/worktrees/submoduleUrls.ts';
import type { PreparedWorktree } from '../../../src/runtime/ports/worktrees.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { commit, episode, isolateGit, openRepository, photograph, preparation } from './support.ts';

const E1 = 'e1-abcd';
const THEIR_OWN = 'Submodules are repositories of their own: what is changed in these folders is in no proposed change: lib.';
const cleanups: (() => unknown)[] = [];
beforeEach(isolateGit);
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function repository(files: Record<string, string>): TemporaryRepository {
  const made = makeTemporaryRepository(files);
  cleanups.push(() => made.remove());
  return made;
}

/** A person's clone with a submodule `lib`, in which is a submodule `deep/core`, all checked out. */
async function given({ opened = 'main', cloned = true } = {}) {
  const core = repository({ 'core.txt': 'core\n' });
  const lib = repository({ 'lib.txt': 'lib\n' });
  const allowed = ['-c', 'protocol.file.allow=always'];
  lib.git(...allowed, 'submodule', '--quiet', 'add', core.folder, 'deep/core');
  lib.commit('With core');
  const origin = repository({ 'app.txt': 'app\n' });
  origin.git(...allowed, 'submodule', '--quiet', 'add', '--name', 'the library', lib.folder, 'lib');
  origin.commit('With lib');
  const home = makeTemporaryFolder('person');
  cleanups.push(() => removeFolder(home));
  const checkout = path.join(home, 'app');
  origin.git(...allowed, 'clone', '--quiet', ...(cloned ? ['--recurse-submodules'] : []), origin.folder, checkout);
  const anywhere = repository({});
  const git = (...args: string[]): string => anywhere.git('-C', checkout, ...args);
  const linked = path.join(home, 'linked');
  if (opened === 'linked') git('worktree', 'add', '--quiet', '--detach', linked);
  const root = path.join(home, 'worktrees');
  const ran: RepositoryCommand[] = [];
  const open = await openRepository(opened === 'linked' ? linked : checkout, root, 'init', (command) => {
    ran.push(command);
    return runCommand(command);
  });
  cleanups.push(open.close);
  const head = commit(git('rev-parse', 'HEAD'));
  const read = (made: PreparedWorktree, file: string): string => readFileSync(path.join(made.path, file), 'utf8');
  return { ...open, ran, origin, lib, core, checkout, linked, git, root, head, read };
}

/** Takes the repositories that submodules come from off the machine. */
function offline(...repositories: readonly TemporaryRepository[]): void {
  for (const { folder } of repositories) renameSync(folder, `${folder}.away`);
}

const own = (checkout: string): Record<string, string> => Object.fromEntries(Object.entries(photograph(checkout)).filter(([file]) => !file.startsWith('.git/worktrees/') && !file.startsWith('.git/objects/')));

describe.each(['main', 'linked'])('a worktree of a repository with submodules, opened from its %s checkout', (opened) => {
  it('has them, also those within, offline from what the person has, and nothing of the person’s is written', async () => {
    const { worktrees, checkout, head, git, read, core, lib, origin } = await given({ opened });
    offline(core, lib, origin);
    const before = own(checkout);
    const said: string[] = [];
    const made = await worktrees.prepare(preparation(E1, head, { progress: (words) => said.push(words) }));
    expect([read(made, 'lib/lib.txt'), read(made, 'lib/deep/core/core.txt'), made.notes, made.brought]).toEqual(['lib\n', 'core\n', [THEIR_OWN], ['lib']]);
    expect(said).toEqual(expect.arrayContaining(['checking out the submodule lib', 'checking out the submodule deep/core']));
    // The agent's own git sees them as they should be.
    expect([git('-C', made.path, 'status', '--porcelain'), git('-C', path.join(made.path, 'lib'), 'log', '-1', '--format=%s'), git('-C', made.path, 'submodule', 'foreach', '--quiet', '--recursive', 'git status --porcelain')]).toEqual(['', 'With core', '']);
    expect(own(checkout)).toEqual(before);

    await worktrees.remove(episode(E1), made.path);
    expect(existsSync(made.path)).toBe(false);
    expect(git('worktree', 'list', '--porcelain')).not.toContain(E1);
    expect(existsSync(path.join(checkout, '.git/worktrees', E1))).toBe(false);
    expect(own(checkout)).toEqual(before);
  });
});

describe('submodules of an agent’s worktree', () => {
  it('stay as they are when its files are set back, and what it does in them is named, not taken', async () => {
    const { worktrees, door, repository: reading, head, git, read } = await given();
    const made = await worktrees.prepare(preparation(E1, head));
    await worktrees.reset(made.path, head, head);
    expect(read(made, 'lib/deep/core/core.txt')).toBe('core\n');
    const candidates = createCandidates(door, reading);
    const taken = await candidates.snapshot({ worktree: made.path, base: head, brought: made.brought, forced: [], written: [] });
    expect([taken.changed, taken.nestedRepositories, taken.insideSubmodules]).toEqual([[], [], []]);

    git('-C', path.join(made.path, 'lib'), '-c', 'user.name=A', '-c', 'user.email=a@example.test', 'commit', '--quiet', '--allow-empty', '-m', 'By an agent');
    const after = await candidates.snapshot({ worktree: made.path, base: head, brought: made.brought, forced: [], written: [] });
    expect(after.changed.map((file) => [file.path, file.kind])).toEqual([['lib', 'submodule']]);
  });

  it('are fetched where the person has none of them, and their objects are not put into the person’s', async () => {
    const { worktrees, checkout, head, git, read } = await given({ cloned: false });
    process.env['GIT_CONFIG_GLOBAL'] = path.join(checkout, '..', 'gitconfig');
    git('config', '--file', process.env['GIT_CONFIG_GLOBAL'], 'protocol.file.allow', 'always');
    const before = own(checkout);
    const made = await worktrees.prepare(preparation(E1, head));
    expect([read(made, 'lib/lib.txt'), read(made, 'lib/deep/core/core.txt'), made.notes]).toEqual(['lib\n', 'core\n', [THEIR_OWN]]);
    expect(own(checkout)).toEqual(before);
    expect(existsSync(path.join(checkout, '.git/modules'))).toBe(false);
    await worktrees.remove(episode(E1), made.path);
    expect(own(checkout)).toEqual(before);
  });

  it('that cannot be had are named with git’s words, and the agent starts: a protocol that the person does not allow, an address that is gone, a commit that is nowhere', async () => {
    const refused = await given({ cloned: false });
    const made = await refused.worktrees.prepare(preparation(E1, refused.head));
    expect(made.notes).toEqual([expect.stringMatching(/^Submodules are not checked out here, their folders are empty: lib \(.*transport 'file' not allowed.*\)\.$/)]);
    expect([readdirSync(path.join(made.path, 'lib')), made.brought]).toEqual([[], []]);

    const lost = await given();
    lost.core.commit('Gone again', { 'core.txt': 'other\n' });
    const nowhere = '1'.repeat(40);
    lost.git('update-index', '--add', '--cacheinfo', `160000,${nowhere},other`);
    lost.git('config', '--file', path.join(lost.checkout, '.gitmodules'), 'submodule.other.path', 'other');
    lost.git('config', '--file', path.join(lost.checkout, '.gitmodules'), 'submodule.other.url', path.join(lost.root, 'nothing.git'));
    lost.git('update-index', '--add', '--cacheinfo', `160000,${nowhere},undeclared`);
    lost.git('config', '--file', path.join(lost.checkout, '.gitmodules'), 'submodule.../../evil.path', 'evil');
    lost.git('config', '--file', path.join(lost.checkout, '.gitmodules'), 'submodule.../../evil.url', lost.core.folder);
    lost.git('update-index', '--add', '--cacheinfo', `160000,${nowhere},evil`);
    lost.git('add', '.gitmodules');
    lost.git('-c', 'user.name=P', '-c', 'user.email=p@example.test', 'commit', '--quiet', '-m', 'More');
    const rest = await lost.worktrees.prepare(preparation('e2-abcd', lost.git('rev-parse', 'HEAD')));
    expect(lost.read(rest, 'lib/lib.txt')).toBe('lib\n');
    expect(rest.notes.join()).toMatch(/evil \(\.gitmodules does not say.*other \(.*undeclared \(\.gitmodules does not say/);
    expect([rest.brought, readdirSync(path.join(rest.path, 'other'))]).toEqual([['lib'], []]);
  });

  it('are given up when it is cancelled, and nothing is left', async () => {
    const { worktrees, checkout, head, root } = await given();
    const cancel = new AbortController();
    const before = own(checkout);
    await expect(worktrees.prepare(preparation(E1, head, { signal: cancel.signal, progress: (words) => { if (words.includes('deep/core')) cancel.abort(); } }))).rejects.toMatchObject({ refusal: { reason: 'cancelled' } });
    expect([existsSync(path.join(checkout, '.git/worktrees', E1)), own(checkout)]).toEqual([false, before]);
    expect(readdirSync(path.join(root, readdirSync(root)[0] ?? '')).filter((name) => name !== '.trash')).toEqual([]);
  });

  it('are there when setup runs, which a sandbox is told, and no hook or template of the person’s is in them', async () => {
    const { worktrees, checkout, head, git, read, ran } = await given();
    const template = path.join(checkout, '..', 'template');
    process.env['GIT_CONFIG_GLOBAL'] = path.join(checkout, '..', 'gitconfig');
    git('config', '--file', process.env['GIT_CONFIG_GLOBAL'], 'init.templateDir', template);
    const made = await worktrees.prepare(preparation(E1, head, { setup: { include: null, script: { run: 'cat lib/lib.txt lib/deep/core/core.txt > made.txt', timeoutMs: 20_000 } } }));
    expect([read(made, 'made.txt'), [...made.brought].sort(), made.notes]).toEqual(['lib\ncore\n', ['lib', 'made.txt'], [THEIR_OWN]]);
    // What it is not told of, it does not lock: setup could put a repository of its own in its place.
    expect(ran.map(({ brought }) => brought)).toEqual([['lib']]);
    rmSync(template, { recursive: true, force: true });
    expect(existsSync(path.join(checkout, '.git/worktrees', E1, 'modules/1/hooks'))).toBe(false);
  });
});

it.each([
  ['https://example.test/team/app.git', '../lib.git', 'https://example.test/team/lib.git'],
  ['git@example.test:team/app.git', '../../other/lib', 'git@example.test:other/lib'],
  ['git@example.test:app.git', '../lib.git', 'git@example.test:lib.git'],
  ['/srv/app/', './lib', '/srv/app/lib'],
  ['/srv/app', 'https://example.test/lib', 'https://example.test/lib'],
])('the address of a submodule of %s declared as %s is %s', (base, url, address) => {
  expect(resolveUrl(base, url)).toBe(address);
});
