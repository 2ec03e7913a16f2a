import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Candidate } from '../../../src/core/candidate/candidate.ts';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { call, ScriptedModel, type ScriptedAnswer, type ScriptedCall } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const FAILS = '[[constraint]]\nname = "port"\nrun = "exit 1"\npaths = ["**"]\nrequired = true\n';
const FILES: FileTree = {
  'README.md': '# Sample\n', '.gitignore': '.env\nnode_modules/\n*.log\n', '.worktreeinclude': '.env\n',
  'api/server.ts': 'export const port = 80;\n', 'api/package.json': '{ "name": "api" }\n', 'package-lock.json': '{}\n', 'web/page.ts': 'export const page = 1;\n',
};
const runs = (command: string): ScriptedCall => call('run', { command });
const finish: ScriptedCall = call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' });

describe('what an agent does beyond its folder', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** An agent that makes these calls, one a turn, each command allowed, until its change waits. */
  async function proposed(calls: readonly ScriptedCall[], options: { readonly files?: FileTree; readonly folder?: string; readonly ignored?: FileTree; readonly calls?: (checkout: string) => readonly ScriptedCall[] } = {}): Promise<{ repository: TemporaryRepository; world: TestWorld; id: EpisodeId; candidate: Candidate; said: string }> {
    const repository = makeTemporaryRepository(options.files ?? FILES);
    repository.git('config', 'user.name', 'Test Person');
    repository.git('config', 'user.email', 'person@example.test');
    repository.write(options.ignored ?? {});
    const script: readonly ScriptedAnswer[] = (options.calls?.(repository.folder) ?? calls).map((one) => ({ calls: [one] }));
    const model = await ScriptedModel.start({ script });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());
    const id = await world.delegate(options.folder ?? 'api', `Listen on 8080, see ${repository.folder}/api/server.ts`);
    const allow = world.world.onChange(() => {
      const { phase } = world.episode(id);
      if (phase.name === 'asking' && phase.question.kind === 'run') void world.world.answer(id, { choice: 'run', words: '' });
    });
    await world.reaches(id, 'waiting');
    allow.dispose();
    const candidate = world.episode(id).candidates.at(-1);
    if (candidate === undefined) throw new Error('nothing was proposed');
    return { repository, world, id, candidate, said: JSON.stringify(model.requests.at(-1)?.body.messages) };
  }

  const files = (changed: Candidate['inside']): string[] => changed.map((file) => (file.from === null ? file.path : `${file.from} -> ${file.path}`)).sort();
  const refusal = async (world: TestWorld, id: EpisodeId): Promise<string | null> => {
    const accepted = await world.accept(id);
    return accepted.ok ? null : accepted.refusal.reason;
  };

  it('by absolute paths of the person’s checkout lands in its own worktree, or is refused (B1)', async () => {
    const { repository, candidate, said } = await proposed([], {
      calls: (checkout) => [call('edit_file', { path: `${checkout}/api/server.ts`, old_text: '80', new_text: '8080' }), call('write_file', { path: `${checkout}/web/page.ts`, content: 'mine\n' }), call('write_file', { path: `${checkout}-other/x`, content: 'mine\n' }), finish],
    });
    expect(files(candidate.inside)).toEqual(['api/server.ts']);
    expect(candidate.outside).toEqual([]);
    expect(said).toMatch(/outside your folder/);
    expect(said).toMatch(/outside the repository/);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(readFileSync(path.join(repository.folder, 'api/server.ts'), 'utf8')).toBe('export const port = 80;\n');
  });

  // Disks of macOS take no such name.
  it.skipIf(process.platform !== 'linux')('under a name that is not valid UTF-8 is told to it, and the person is asked nothing', async () => {
    const { candidate, said } = await proposed([runs("echo x > $(printf 'bad\\377.txt')"), finish, runs('mv bad*.txt good.txt'), finish]);
    expect(files(candidate.inside)).toEqual(['api/good.txt']);
    expect(said).toMatch(/not valid UTF-8[^]*- api\/bad\ufffd\.txt[^]*Rename or remove them/);
  });

  it('through a link is refused, and the link itself is shown as one that leaves the folder (B3)', async () => {
    const { candidate, repository, said } = await proposed([runs('ln -s ../web out && ln -s ../../nowhere dangling && ln -s server.ts alias.ts'), call('write_file', { path: 'api/out/page.ts', content: 'mine\n' }), call('write_file', { path: 'api/dangling/deep/x', content: 'mine\n' }), finish]);
    expect(files(candidate.inside)).toEqual(['api/alias.ts', 'api/dangling', 'api/out']);
    expect(candidate.flags).toEqual([{ kind: 'symlink-leaves-scope', files: ['api/dangling', 'api/out'] }]);
    expect(said.match(/through a link|out of the worktree/g)?.length).toBeGreaterThanOrEqual(2);
    expect(repository.git('show', `${candidate.commit}:web/page.ts`)).toBe('export const page = 1;');
  });

  it.each([
    ['out of the folder', 'mv server.ts ../web/server.ts', 'api/server.ts', 'web/server.ts'],
    ['into the folder', 'mv ../web/page.ts page.ts', 'api/page.ts', 'web/page.ts'],
  ])('by a rename %s counts on both sides (B6)', async (_way, command, inside, outside) => {
    const { world, id, candidate, repository } = await proposed([runs(command), finish, call('finish', { subject: 'Moved', report: 'Moved.', include_outside: true })]);
    const all = [...candidate.inside, ...candidate.outside].flatMap((file) => [file.path, ...(file.from === null ? [] : [file.from])]);
    expect(new Set(all)).toEqual(new Set([inside, outside]));
    expect(candidate.outside).not.toEqual([]);
    expect(await refusal(world, id)).toBe('outside-scope');
    value(await world.world.decideOutside(id, 'allow', candidate.outside.map((file) => file.path)));
    value(await world.accept(id));
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('to settings, hooks and its own checks is flagged, and nothing of it holds before it is accepted (B7)', async () => {
    const { world, id, candidate } = await proposed([
      call('write_file', { path: 'genesis.toml', content: FAILS.replace('exit 1', 'true') }), call('write_file', { path: '.vscode/settings.json', content: '{ "task.allowAutomaticTasks": "on" }\n' }),
      call('write_file', { path: '.husky/pre-commit', content: 'true\n' }), call('edit_file', { path: 'api/server.ts', old_text: '80', new_text: '8080' }), finish,
    ], { files: { ...FILES, 'genesis.toml': FAILS }, folder: '' });
    expect(candidate.flags).toEqual([{ kind: 'touches-checks', files: ['.husky/pre-commit', '.vscode/settings.json', 'genesis.toml'] }]);
    expect(await refusal(world, id)).toBe('check-failed');
  });

  it('to ignore files brings no file that was copied in into its change (B10)', async () => {
    const { candidate, repository } = await proposed([call('write_file', { path: '.gitignore', content: '!.env\n!node_modules\n' }), runs('test -f .env && echo more >> .env && mkdir node_modules && echo x > node_modules/own.js'), finish], { folder: '', ignored: { '.env': 'KEY=1\n' } });
    const tree = repository.git('ls-tree', '-r', '--name-only', candidate.commit).split('\n');
    expect(tree).not.toContain('.env');
    expect(files(candidate.inside)).toEqual(['.gitignore', 'node_modules/own.js']);
    expect(readFileSync(path.join(repository.folder, '.env'), 'utf8')).toBe('KEY=1\n');
  });

  it('to a file that an ignore rule keeps out is named at the write, at finish and beside the change; force brings it in (B11)', async () => {
    const { candidate, said } = await proposed([call('write_file', { path: 'api/trace.log', content: 'x\n' }), call('write_file', { path: 'api/kept.log', content: 'x\n', force: true }), finish, finish]);
    expect(said).toMatch(/trace\.log: made.*ignore/);
    expect(said).toMatch(/an ignore rule keeps these files[^"]*api\/trace\.log/);
    expect(files(candidate.inside)).toEqual(['api/kept.log']);
    expect(candidate.ignored).toEqual(['api/trace.log']);
  });

  it('to the root’s lock file is part of its change where it added a dependency, and listed apart (B12)', async () => {
    const { world, id, candidate, repository } = await proposed([call('write_file', { path: 'api/package.json', content: '{ "name": "api", "dependencies": { "left": "1" } }\n' }), runs('echo \'{ "packages": {} }\' > ../package-lock.json'), finish]);
    expect([files(candidate.inside), files(candidate.companions), files(candidate.outside)]).toEqual([['api/package.json'], ['package-lock.json'], []]);
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:package-lock.json')).toBe('{ "packages": {} }');
  });
});
