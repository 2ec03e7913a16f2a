import { afterEach, describe, expect, it } from 'vitest';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Foreseen } from '../../../src/core/candidate/foreseen.ts';
import { filePath, type EpisodeId } from '../../../src/core/ids.ts';
import { value, type TestWorld } from '../../support/testWorld.ts';
import { FILES, givenWorld, withLine } from './proposedChange.ts';
import { refsButRecords } from '../../support/refsButRecords.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Resolves once exactly this is foreseen of a change. */
function foresees(world: TestWorld, id: EpisodeId, expected: Foreseen): Promise<true> {
  return world.becomes(() => (isDeepStrictEqual(world.world.foreseen(id), expected) ? true : undefined), () => `foreseen is ${JSON.stringify(world.world.foreseen(id))}, not ${JSON.stringify(expected)}`);
}

const SERVER = filePath.parse('api/server.ts');

describe('what stands in the way of a waiting change is known before anyone asks:', () => {
  it('conflicts with the branch as it moves on, and none once they are solved', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': withLine(2, 'agent'), 'api/route.ts': withLine(2, 'agent') });
    await foresees(world, id, { behind: 0, conflicts: [], others: [] });
    repository.commit('The same line', { 'api/server.ts': withLine(2, 'person') });
    world.world.linesMoved();
    await foresees(world, id, { behind: 1, conflicts: [SERVER], others: [] });
    value(await world.world.saveEdit(id, SERVER, Buffer.from(withLine(2, 'person'))));
    await foresees(world, id, { behind: 1, conflicts: [], others: [] });
  });

  it('nothing, where the agent started from a detached HEAD and a branch is checked out', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    repository.git('checkout', '--quiet', '--detach');
    const id = await propose({ 'api/server.ts': withLine(2, 'agent') });
    await foresees(world, id, { behind: 0, conflicts: [], others: [] });
    repository.git('checkout', '--quiet', 'main');
    repository.commit('The same line', { 'api/server.ts': withLine(2, 'person') });
    world.world.linesMoved();
    await world.becomes(() => (world.world.foreseen(id) === undefined ? true : undefined), () => JSON.stringify(world.world.foreseen(id)));
  });

  it('conflicts with another change that waits, told at both, and gone with that change', async () => {
    const { world, propose } = await givenWorld(cleanups);
    const first = await propose({ 'api/server.ts': withLine(2, 'first') });
    const second = await propose({ 'api/server.ts': withLine(2, 'second'), 'api/route.ts': withLine(2, 'second') });
    const third = await propose({ 'api/route.ts': withLine(9, 'third') });
    await foresees(world, first, { behind: 0, conflicts: [], others: [{ episode: second, files: [SERVER] }] });
    await foresees(world, second, { behind: 0, conflicts: [], others: [{ episode: first, files: [SERVER] }] });
    await foresees(world, third, { behind: 0, conflicts: [], others: [] });
    value(await world.world.reject(first, ''));
    await foresees(world, second, { behind: 0, conflicts: [], others: [] });
  });

  it('conflicts of two changes that stand on different commits', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const first = await propose({ 'api/server.ts': withLine(2, 'first') });
    repository.commit('Elsewhere', { 'web/page.ts': 'export const page = 2;\n' });
    const second = await propose({ 'api/server.ts': withLine(2, 'second') });
    await foresees(world, first, { behind: 1, conflicts: [], others: [{ episode: second, files: [SERVER] }] });
    value(await world.accept(second));
    await foresees(world, first, { behind: 2, conflicts: [SERVER], others: [] });
  });

  it('a file in the way of a folder that was moved', async () => {
    const { world, propose } = await givenWorld(cleanups, { ...FILES, 'api/lib/one.ts': withLine(1, 'one'), 'api/lib/two.ts': withLine(1, 'two') });
    const mover = await propose({ 'api/library/one.ts': withLine(1, 'one'), 'api/lib/one.ts': null, 'api/library/two.ts': withLine(1, 'two'), 'api/lib/two.ts': null });
    const adder = await propose({ 'api/lib/three.ts': 'three\n' });
    await world.becomes(() => world.world.foreseen(adder)?.others.some(({ episode }) => episode === mover) === true || undefined, () => JSON.stringify(world.world.foreseen(adder)));
  });

  it('of every other change too, where one of them cannot be read', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const whole = await propose({ 'api/route.ts': withLine(2, 'agent') });
    const broken = await propose({ 'api/server.ts': withLine(2, 'agent') });
    await foresees(world, broken, { behind: 0, conflicts: [], others: [] });
    const commit = repository.git('rev-parse', `refs/worldtree/episodes/${broken}/candidate/1`);
    rmSync(path.join(repository.folder, '.git', 'objects', commit.slice(0, 2), commit.slice(2)));
    repository.commit('The same line', { 'api/route.ts': withLine(2, 'person') });
    world.world.linesMoved();
    await foresees(world, whole, { behind: 1, conflicts: [filePath.parse('api/route.ts')], others: [] });
    expect(world.world.foreseen(broken)).toBeUndefined();
  });

  it('is computed without touching a ref or the checkout, and a world closes while it computes', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const first = await propose({ 'api/server.ts': withLine(2, 'first') });
    const second = await propose({ 'api/server.ts': withLine(2, 'second') });
    const before = [refsButRecords(repository), repository.git('status', '--porcelain', '--ignored')];
    world.world.linesMoved();
    await foresees(world, first, { behind: 0, conflicts: [], others: [{ episode: second, files: [SERVER] }] });
    expect([refsButRecords(repository), repository.git('status', '--porcelain', '--ignored')]).toEqual(before);
    world.world.linesMoved();
  });
});
