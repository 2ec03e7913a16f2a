import { afterEach, describe, expect, it } from 'vitest';
import { standingAccepts } from '../../../src/core/world/state.ts';
import { value } from '../../support/testWorld.ts';
import { givenWorld, withLine } from './proposedChange.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('a change for a detached HEAD, while a branch is checked out', () => {
  it('is compared with no branch: nothing is foreseen of it, and its accept is not called rewritten', async () => {
    const { repository, world, propose } = await givenWorld(cleanups);
    repository.git('checkout', '--quiet', '--detach');
    const id = await propose({ 'api/server.ts': withLine(2, 'agent'), 'api/route.ts': withLine(9, 'agent') });
    value(await world.accept(id, { files: ['api/server.ts'] }));
    const detached = repository.git('rev-parse', 'HEAD');
    const known = () => ({ retention: standingAccepts(world.world.state(), id).map(({ prepared }) => world.world.retention(prepared.move)), foreseen: world.world.foreseen(id) });
    const becomes = (retention: unknown, foreseen: unknown) => {
      world.world.linesMoved();
      const expected = JSON.stringify({ retention: [retention], foreseen });
      return world.becomes(() => (JSON.stringify(known()) === expected ? true : undefined), () => `known is ${JSON.stringify(known())}`);
    };
    const there = { kind: 'retained', as: detached };
    await becomes(there, { behind: 1, conflicts: [], others: [] });

    repository.git('checkout', '--quiet', 'main');
    repository.commit('The same line', { 'api/route.ts': withLine(9, 'person') });
    await becomes(undefined, undefined);
    repository.git('checkout', '--quiet', detached);
    await becomes(there, { behind: 1, conflicts: [], others: [] });
    expect(known().retention).toEqual([there]);
  });
});
