import { afterEach, describe, expect, it } from 'vitest';
import type { Retention } from '../../../src/core/candidate/retention.ts';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { standingAccepts } from '../../../src/core/world/state.ts';
import type { TemporaryRepository } from '../../support/temporaryRepository.ts';
import { value, type TestWorld } from '../../support/testWorld.ts';
import { givenWorld, withLine, type Proposed } from './proposedChange.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function accepted(): Promise<Proposed & { id: EpisodeId; commit: string }> {
  const given = await givenWorld(cleanups);
  const id = await given.propose({ 'api/server.ts': withLine(6, 'agent') });
  const { message } = value(await given.world.world.planAccept(id, null));
  const { commit } = value(await given.world.accept(id, { message }));
  return { ...given, id, commit };
}

/** What is known of each accept once it has been read again. */
async function found(world: TestWorld, id: EpisodeId, wanted: (all: readonly (Retention | undefined)[]) => boolean): Promise<readonly (Retention | undefined)[]> {
  world.world.linesMoved();
  const all = () => standingAccepts(world.world.state(), id).map(({ prepared }) => world.world.retention(prepared.move));
  return world.becomes(() => (wanted(all()) ? all() : undefined), () => `known is ${JSON.stringify(all())}`);
}

const as = (commit: string) => (all: readonly (Retention | undefined)[]): boolean => all.every((one) => one?.kind === 'retained' && one.as === commit);
const head = (repository: TemporaryRepository): string => repository.git('rev-parse', 'HEAD');
const amend = (repository: TemporaryRepository, ...more: string[]): void => { repository.git('commit', '--quiet', '--amend', '--no-edit', ...more); };

describe('an accepted change is found again (D21)', () => {
  it('as itself, while the branch only grows', async () => {
    const { repository, world, id, commit } = await accepted();
    repository.commit('Later', { 'web/page.ts': 'export const page = 2;\n' });
    expect(await found(world, id, as(commit))).toEqual([{ kind: 'retained', as: commit }]);
  });

  it('by its trailer after an amend, a rebase onto others’ work and a squash', async () => {
    const { repository, world, id, commit } = await accepted();
    repository.write({ 'web/page.ts': 'export const page = 2;\n' });
    repository.git('add', '--all');
    amend(repository);
    expect(head(repository)).not.toBe(commit);
    await found(world, id, as(head(repository)));

    repository.git('checkout', '--quiet', '-b', 'theirs', 'HEAD^');
    repository.commit('Others', { 'README.md': '# Theirs\n' });
    repository.git('checkout', '--quiet', 'main');
    repository.git('rebase', '--quiet', 'theirs');
    await found(world, id, as(head(repository)));

    repository.commit('On top', { 'api/route.ts': withLine(2, 'person') });
    repository.git('reset', '--quiet', '--soft', 'HEAD~2');
    repository.git('commit', '--quiet', '-m', `Both (#12)\n\n* Change api/server.ts\n\nWorldtree-Episode: ${id}\n\n* On top\n`);
    await found(world, id, as(head(repository)));
  });

  it('by what it changes, where a message lost its trailers and other lines moved it', async () => {
    const { repository, world, id } = await accepted();
    repository.git('reset', '--quiet', '--hard', 'HEAD^');
    repository.commit('Lines above', { 'api/server.ts': `above\nabove\nabove\n${withLine(1, 'line 1')}` });
    repository.commit('Squash-merged pull request', { 'api/server.ts': `above\nabove\nabove\n${withLine(6, 'agent')}`, 'README.md': '# With more\n' });
    const as1 = head(repository);
    repository.commit('Later', { 'web/page.ts': 'export const page = 2;\n' });
    await found(world, id, as(as1));
  });

  it('or shown as rewritten, where the line holds something else in its place', async () => {
    const { repository, world, id } = await accepted();
    repository.git('reset', '--quiet', '--hard', 'HEAD^');
    repository.commit('Done by hand', { 'api/server.ts': withLine(2, 'person') });
    expect(await found(world, id, ([one]) => one?.kind === 'rewritten')).toEqual([{ kind: 'rewritten' }]);
  });

  it('each of the two accepts of one change, under the commits that they became', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': withLine(2, 'agent'), 'api/route.ts': withLine(2, 'agent') });
    const { message } = value(await world.world.planAccept(id, null));
    value(await world.accept(id, { files: ['api/server.ts'], message }));
    value(await world.accept(id, { message }));
    repository.git('checkout', '--quiet', '-b', 'theirs', 'HEAD~2');
    repository.commit('Others', { 'README.md': '# Theirs\n' });
    repository.git('checkout', '--quiet', 'main');
    repository.git('rebase', '--quiet', 'theirs');
    const commits = [repository.git('rev-parse', 'HEAD^'), head(repository)];
    await found(world, id, (all) => all.every((one, i) => one?.kind === 'retained' && one.as === commits[i]));
  });

  it('only the older of two where a rebase dropped the newer, and both where they were squashed', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': withLine(2, 'agent'), 'api/route.ts': withLine(2, 'agent') });
    const { message } = value(await world.world.planAccept(id, null));
    value(await world.accept(id, { files: ['api/server.ts'], message }));
    const { commit } = value(await world.accept(id, { message }));
    repository.git('reset', '--quiet', '--hard', 'HEAD^');
    amend(repository, '--date', '2020-01-01T00:00:00Z');
    const older = head(repository);
    await found(world, id, ([one, other]) => one?.kind === 'retained' && one.as === older && other?.kind === 'rewritten');

    repository.git('cherry-pick', commit);
    repository.git('reset', '--quiet', '--soft', 'HEAD^');
    amend(repository);
    await found(world, id, as(head(repository)));
  });
});
