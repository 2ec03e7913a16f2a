import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { discover } from '../../../src/adapters/git/reading/discovery.ts';
import { MachineSandbox } from '../../../src/adapters/sandbox/machineSandbox.ts';
import { sandboxedCommands } from '../../../src/adapters/sandbox/repositorySandbox.ts';
import type { EpisodeId } from '../../../src/core/ids.ts';
import type { Answer } from '../../../src/core/ledger/events.ts';
import type { NetworkPermissions } from '../../../src/runtime/ports/sandbox.ts';
import { projectRoot } from '../../support/projectRoot.ts';
import { rememberedNetwork } from '../../support/rememberedNetwork.ts';
import { NO_SANDBOX } from '../../support/sandboxPrograms.ts';
import { call, ScriptedModel } from '../../support/scriptedModel.ts';
import { makeTemporaryFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe.skipIf(NO_SANDBOX !== null)(`given a sandbox, when agents and checks run commands${NO_SANDBOX === null ? '' : ` (skipped: ${NO_SANDBOX})`}`, () => {
  it('then the person is asked once for the repository what they may reach, whoever else waits, and no more', async () => {
    const { world, network } = await given({ 'README.md': '#\n' }, ['echo first > "$(basename "$TMPDIR").txt"']);
    const ids = [await world.delegate('', 'One'), await world.delegate('', 'Two')];
    for (const id of ids) expect((await world.reaches(id, 'asking')).question).toMatchObject({ kind: 'network' });
    value(await world.world.answer(ids[0] as EpisodeId, say('network-registries')));
    for (const id of ids) await world.reaches(id, 'waiting');
    expect(network.level()).toBe('registries');
    await world.reaches(await world.delegate('', 'Three'), 'waiting');
  });

  it('then who is asking when it becomes known, by another’s answer or by the setting, is not left asking', async () => {
    const network = rememberedNetwork();
    let looked = 0;
    const { world } = await given({ 'README.md': '#\n' }, ['echo x > a.txt'], { ...network, level: () => (looked++ === 0 ? null : network.level()) });
    await network.rememberLevel('registries');
    await world.reaches(await world.delegate('', 'One'), 'waiting');

    const other = await given({ 'README.md': '#\n' }, ['echo x > a.txt']);
    const id = await other.world.delegate('', 'One');
    await other.world.reaches(id, 'asking');
    await other.network.rememberLevel('on');
    await other.world.reaches(id, 'waiting');
    expect(other.network.level()).toBe('on');
  });

  it('then a setup script copies from the checkout, and neither it nor a check changes anything outside', async () => {
    const { world, repository } = await given({
      'README.md': '#\n', '.gitignore': '.env\ndeps\nlinked\n',
      'genesis.toml': '[worktree]\nsetup = "cp \\"$SOURCE_REPO_PATH/.env\\" . && ln -s \\"$SOURCE_REPO_PATH/deps\\" deps; touch \\"$SOURCE_REPO_PATH/by-setup\\" || true"\n\n[[constraint]]\nname = "test"\nrun = "cat .env deps/dep; touch $PWD/../outside; cat $(cat where)/private; ! test -e $(cat where)/README.md"\nrequired = true\n',
    }, ['cat .env deps/dep > seen.txt; true'], 'off');
    repository.commit('Say where', { where: repository.folder });
    repository.write({ '.env': 'COPIED=1\n', 'deps/dep': 'linked dependency\n', 'private': 'not for checks\n' });
    const id = await world.delegate('', 'Look');
    await world.reaches(id, 'waiting');
    value(await world.accept(id));
    expect(readFileSync(path.join(repository.folder, 'seen.txt'), 'utf8')).toBe('COPIED=1\nlinked dependency\n');
    const evidence = world.episode(id).evidence.map(({ evidence: each }) => each);
    expect(evidence).toMatchObject([{ result: 'passed' }]);
    expect(evidence[0]?.output).toContain('linked dependency');
    expect(evidence[0]?.output).not.toContain('not for checks');
    expect(existsSync(path.join(repository.folder, 'by-setup'))).toBe(false);
  });

  it('then commit hooks stage and stash in a git folder of their own, and what they format is offered', async () => {
    const { world, repository } = await given({ 'README.md': '#\n' }, ['echo draft > a.txt'], 'off');
    repository.write({ '.git/hooks/pre-commit': { content: `#!/bin/sh\nset -e\ntouch ${repository.folder}/by-hook 2>/dev/null || true\ngit stash -q\ngit stash pop -q\nif grep -q draft a.txt; then echo formatted > a.txt; git add a.txt; fi\n`, mode: 0o755 } });
    const id = await world.delegate('', 'Draft');
    await world.reaches(id, 'waiting');
    const first = await world.accept(id);
    expect(first).toMatchObject({ ok: false });
    expect(world.episode(id).candidates.at(-1)).toMatchObject({ source: 'hook' });
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:a.txt')).toBe('formatted');
    expect(repository.git('stash', 'list')).toBe('');
    expect(existsSync(path.join(repository.folder, 'by-hook'))).toBe(false);
  });

  it('then neither an agent\'s caches nor those of a change that was not taken serve a check (C14)', async () => {
    const poisoned = 'if test -e "$npm_config_cache/poison" || test -e "$TMPDIR/poison"; then echo poisoned; exit 1; fi; mkdir -p "$npm_config_cache"; touch "$npm_config_cache/poison" "$TMPDIR/poison"';
    const { world, machine } = await given({ 'README.md': '#\n', 'genesis.toml': `[[constraint]]\nname = "test"\nrun = '''${poisoned}; grep -q good a.txt'''\nrequired = true\n` }, ['mkdir -p "$npm_config_cache"; touch "$npm_config_cache/poison"; echo bad > a.txt', 'echo good > a.txt'], 'off');
    const bad = await world.delegate('', 'One');
    await world.reaches(bad, 'waiting');
    expect(await world.accept(bad)).toMatchObject({ ok: false });
    expect(world.episode(bad).evidence.map(({ evidence }) => evidence.output).join('')).not.toContain('poisoned');
    value(await world.world.reject(bad, 'no'));
    const good = await world.delegate('', 'Two');
    await world.reaches(good, 'waiting');
    value(await world.accept(good));
    expect(world.episode(good).evidence).toMatchObject([{ evidence: { result: 'passed' } }]);
    const home = readdirSync(path.join(machine, 'worktrees')).find((name) => !name.endsWith('-checks')) ?? '';
    expect(existsSync(path.join(machine, 'worktrees', home, 'caches/npm/poison'))).toBe(true);
  });

  it('then what is private to an agent goes with it', async () => {
    const { world, machine } = await given({ 'README.md': '#\n' }, ['touch "$TMPDIR/mine"; echo x > a.txt'], 'off');
    const id = await world.delegate('', 'One');
    await world.reaches(id, 'waiting');
    const [home = ''] = readdirSync(path.join(machine, 'worktrees'));
    const scratch = path.join(machine, 'worktrees', home, 'scratch', id);
    expect(readdirSync(scratch)).toEqual(['mine']);
    value(await world.world.reject(id, 'no'));
    await expect.poll(() => existsSync(scratch), { timeout: 20_000 }).toBe(false);
  });
});

it('without a sandbox each command asks, as it did', async () => {
  const { world } = await given({ 'README.md': '#\n' }, ['echo x > a.txt'], null, false);
  const id = await world.delegate('', 'One');
  expect((await world.reaches(id, 'asking')).question).toMatchObject({ kind: 'run', command: 'echo x > a.txt', prefix: null });
});

interface Given {
  readonly repository: TemporaryRepository;
  readonly world: TestWorld;
  readonly network: NetworkPermissions;
  /** Where worktrees are. */
  readonly machine: string;
}

/** Agents each run the next of the commands, the last one again and again, and propose what came of it. */
async function given(files: FileTree, commands: readonly string[], known: 'off' | null | NetworkPermissions = null, enabled = true): Promise<Given> {
  const repository = makeTemporaryRepository(files, 'project', makeTemporaryFolder('repository', 'on disk'));
  repository.git('config', 'user.name', 'Test Person');
  repository.git('config', 'user.email', 'person@example.test');
  const left = [...commands];
  const model = await ScriptedModel.start({
    script: ({ body: { messages } }) => messages.some(({ role }) => role === 'tool') ? { calls: [call('finish', { subject: 'Be done', report: 'Done.' })] } : { calls: [call('run', { command: (left.length > 1 ? left.shift() : left[0]) ?? '' })] },
  });
  const machine = makeTemporaryFolder('machine', 'on disk');
  const place = await discover(repository.folder);
  if (!place) throw new Error('no repository');
  const sandbox = new MachineSandbox({ enabled, environment: process.env, platform: process.platform });
  const network = known === null || known === 'off' ? rememberedNetwork(known) : known;
  const run = sandboxedCommands({ machine: sandbox, place, worktreeRoot: path.join(machine, 'worktrees'), network, furtherHosts: () => [], ownFolders: [path.join(projectRoot, 'node_modules')], editorFolders: [] });
  const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl, machine, sandbox, run, network });
  cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => sandbox.close(), () => world.close());
  return { repository, world, network, machine };
}

function say(choice: Answer['choice']): Answer {
  return { choice, words: '' };
}
