import { afterEach, describe, expect, it } from 'vitest';
import { filePath } from '../../../src/core/ids.ts';
import { currentCandidate } from '../../../src/core/world/state.ts';
import { value } from '../../support/testWorld.ts';
import { givenWorld, withLine } from './proposedChange.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('what comes too late', () => {
  it('a save that is slower than the verdict is refused, and every number still holds what the history says (rule 4)', async () => {
    let save: (() => Promise<void>) | undefined;
    const { repository, world, propose } = await givenWorld(cleanups, undefined, {
      // A verdict from another place comes in while the save has its commit and not yet its fact.
      candidates: (candidates) => ({ ...candidates, commit: async (request) => { const commit = await candidates.commit(request); await save?.(); return commit; } }),
    });
    const id = await propose({ 'api/server.ts': withLine(2, 'agent'), 'api/route.ts': withLine(2, 'typed once') });
    save = async () => {
      save = undefined;
      value(await world.world.reject(id, ''));
    };
    const saved = await world.world.saveEdit(id, filePath.parse('api/route.ts'), Buffer.from(withLine(2, 'typed again')));
    expect(saved.ok ? null : saved.refusal.reason).toBe('wrong-state');
    for (const { number, commit } of world.episode(id).candidates) expect(repository.git('rev-parse', `refs/worldtree/episodes/${id}/candidate/${String(number)}`)).toBe(commit);
  });

  it.each(['merging', 'accepting'])('an accept that is cancelled while it is %s says so, and changed nothing', async (when) => {
    const { repository, world, propose } = await givenWorld(cleanups);
    const id = await propose({ 'api/server.ts': withLine(2, 'agent') });
    const before = [repository.git('rev-parse', 'HEAD'), currentCandidate(world.episode(id))?.commit];
    const cancel = new AbortController();
    const refused = await world.accept(id, { signal: cancel.signal, progress: (words) => { if (words.startsWith(when)) cancel.abort(); } });
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'cancelled', message: expect.stringMatching(/^The accept was cancelled/) as unknown });
    expect([repository.git('rev-parse', 'HEAD'), currentCandidate(world.episode(id))?.commit]).toEqual(before);
    value(await world.accept(id));
  });
});
