import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { quietGitEnvironment } from '../../support/gitEnvironment.ts';
import { call, ScriptedModel, type ScriptedAnswer, type SeenRequest } from '../../support/scriptedModel.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';
import { photograph } from '../git/support.ts';

/** A required check that writes into its folder and fails: an accept gets as far as running it. */
const GENESIS = '[[constraint]]\nname = "port"\nrun = "touch built.txt; exit 1"\npaths = ["api/**"]\nrequired = true\n';
const FILES = { 'README.md': '# Sample\n', 'api/server.ts': 'export const port = 80;\n', 'web/page.ts': 'export const page = 1;\n', '.gitignore': 'build/\n.env\nbuilt.txt\n', 'genesis.toml': GENESIS, '.worktreeinclude': '.env\n' };
const HOOK = { content: '#!/bin/sh\ntouch "$(git rev-parse --show-toplevel)/hook-ran"\n', mode: 0o755 };
const FINISH: ScriptedAnswer = { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] };

describe('the person’s repository', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('is as it was, byte by byte and time by time, after everything but an accept (rule 2)', async () => {
    const { repository, origin } = givenRepository();
    const model = await ScriptedModel.start({ script: (request) => answer(request, repository.folder) });
    const open = (machine?: string): Promise<TestWorld> => TestWorld.open(repository.folder, { baseUrl: model.baseUrl, ...(machine === undefined ? {} : { machine }) });
    const world = await open();
    cleanups.push(() => model.stop(), () => world.forget(), () => world.close());
    const before = personsOwn(repository, origin);
    const unchangedBy = (deed: string): void => { expect(personsOwn(repository, origin), deed).toEqual(before); };

    const id = await world.delegate('api', 'Listen on 8080');
    unchangedBy('delegating');
    for (let asked = 1; asked <= 3; asked++) {
      await world.reaches(id, 'asking');
      value(await world.world.answer(id, { choice: 'run', words: '' }));
      await model.arrived(3 + asked);
    }
    await world.reaches(id, 'waiting');
    unchangedBy('tools, commands and the proposed change');
    await world.world.look(id, 1);
    value(await world.world.saveEdit(id, 'api/server.ts' as never, Buffer.from('export const port = 9090;\n')));
    unchangedBy('looking and editing in the diff');
    value(await world.world.planAccept(id, null));
    const refused = await world.accept(id);
    expect(refused.ok ? null : refused.refusal.reason).toBe('check-failed');
    unchangedBy('a check run that ends an accept');
    value(await world.world.rework(id, 'Once more'));
    await world.reaches(id, 'waiting');
    unchangedBy('a rework');
    value(await world.world.reject(id, 'no'));
    value(await world.world.withdrawReject(id));
    value(await world.world.reject(id, 'no, really'));
    unchangedBy('a reject, its undo, and another');

    const stopped = await world.delegate('web', 'Wait for me');
    await world.reaches(stopped, 'asking');
    value(await world.world.stop(stopped));
    await world.reaches(stopped, 'ended');
    unchangedBy('a stop');
    const survey = await world.delegate('', null);
    await world.reaches(survey, 'waiting');
    unchangedBy('a survey');
    value(await world.world.reject(survey, ''));
    await world.close();
    const again = await open(world.machine);
    cleanups.push(() => again.close());
    unchangedBy('closing, opening and sweeping');
  });

  /** A repository in which everything that could be touched is there to be touched. */
  function givenRepository(): { repository: TemporaryRepository; origin: string } {
    const repository = makeTemporaryRepository(FILES);
    const parent = makeTemporaryFolder('origin');
    cleanups.push(() => repository.remove(), () => removeFolder(parent));
    const { folder } = repository;
    const git = (...args: readonly string[]): string => repository.git(...args);
    const write: TemporaryRepository['write'] = (files) => { repository.write(files); };
    const origin = path.join(parent, 'origin.git');
    git('clone', '--quiet', '--bare', folder, origin);
    git('remote', 'add', 'origin', origin);
    git('fetch', '--quiet', 'origin');
    for (const [name, setting] of [['user.name', 'Test Person'], ['user.email', 'person@example.test'], ['merge.autoStash', 'true'], ['rebase.autoStash', 'true'], ['pull.rebase', 'true'], ['gc.auto', '1'], ['maintenance.auto', 'true']] as const) git('config', name, setting);
    git('branch', 'other');
    git('tag', '-a', '-m', 'first', 'v1');
    write({ 'web/page.ts': 'stashed\n' });
    git('stash', 'push', '--quiet');
    mkdirSync(path.join(folder, '.git/hooks'), { recursive: true });
    write(Object.fromEntries(['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction', 'post-commit', 'pre-push'].map((hook) => [`.git/hooks/${hook}`, HOOK])));
    write({ 'README.md': '# Staged\n' });
    git('-c', 'core.hooksPath=/dev/null', 'add', 'README.md');
    write({ 'README.md': '# Staged, and changed since\n', 'thoughts.txt': 'untracked\n', 'build/out.bin': new Uint8Array([0, 255]), '.env': 'KEY=1\n' });
    return { repository, origin };
  }
});

/** What an agent does: reads, writes, and tries to reach the person's checkout by commands. */
function answer({ body }: SeenRequest, checkout: string): ScriptedAnswer {
  if (body.messages.some((message) => message.role === 'user' && (message.content ?? '').includes('Wait for me'))) return { calls: [call('run', { command: 'true' })] };
  const turns: readonly ScriptedAnswer[] = [
    { calls: [call('list_files', { folder: '.' }), call('read_file', { path: 'README.md' }), call('search', { pattern: 'port' })] },
    { calls: [call('edit_file', { path: `${checkout}/api/server.ts`, old_text: 'port = 80', new_text: 'port = 8080' })] },
    { calls: [call('write_file', { path: 'api/new.ts', content: 'export {};\n' })] },
    { calls: [call('run', { command: 'git status && git log --oneline && echo made > made.txt' })] },
    { calls: [call('run', { command: `git -C '${checkout}' commit -qam mine; git --git-dir='${checkout}/.git' branch mine; GIT_DIR='${checkout}/.git' git tag mine; true` })] },
    { calls: [call('run', { command: 'git add -A; git stash; git reset --hard; git checkout other; git clean -ffdx; true' })] },
  ];
  return turns[body.messages.filter((message) => message.role === 'assistant').length] ?? FINISH;
}

/** Ours, and what of git's holds nothing but objects or ours. */
const NOT_THE_PERSONS = /^\.git\/(worldtree|worktrees|objects|refs\/worldtree|logs\/refs\/worldtree)\/|^\.git\/packed-refs$/;

function personsOwn({ folder }: TemporaryRepository, origin: string): Record<string, string> {
  // Looking must not be what changes it: no index is refreshed and no hook runs.
  const git = (...args: readonly string[]): string => execFileSync('git', ['--no-optional-locks', '-c', 'core.hooksPath=/dev/null', ...args], { cwd: folder, env: quietGitEnvironment(), encoding: 'utf8' });
  return {
    ...Object.fromEntries(Object.entries(photograph(folder)).filter(([name]) => !NOT_THE_PERSONS.test(name))),
    ...Object.fromEntries(Object.entries(photograph(origin)).map(([name, seen]) => [`origin/${name}`, seen])),
    'git status': git('status', '--porcelain', '-z', '--ignored'),
    'git stash list': git('stash', 'list'),
    'refs': git('for-each-ref', '--format=%(refname) %(objectname) %(symref)', 'refs/heads', 'refs/tags', 'refs/remotes', 'refs/stash', 'refs/notes'),
  };
}
