import { afterEach, describe, expect, it } from 'vitest';
import { candidateFiles } from '../../../src/core/candidate/candidate.ts';
import { filePath, type EpisodeId } from '../../../src/core/ids.ts';
import { currentCandidate } from '../../../src/core/world/state.ts';
import { call } from '../../support/scriptedModel.ts';
import { value, type TestWorld } from '../../support/testWorld.ts';
import { FILES, givenWorld, withLine, type Proposed } from './proposedChange.ts';
import { refsButRecords } from '../../support/refsButRecords.ts';

const SERVER = withLine(2, 'agent');
const ROUTE = withLine(9, 'agent');

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const waits = (world: TestWorld, id: EpisodeId): string[] => {
  const candidate = currentCandidate(world.episode(id));
  return candidate && world.episode(id).phase.name === 'waiting' ? candidateFiles(candidate).map((file) => file.path) : [];
};

describe('an undo while the rest waits with files outside its folder', () => {
  const PAGE = Array.from({ length: 10 }, (_, i) => `line ${String(i + 1)}\n`).join('');
  async function restWithOutside(): Promise<Proposed & { id: EpisodeId }> {
    const given = await givenWorld(cleanups, { ...FILES, 'web/page.ts': PAGE }, {}, [
      { calls: [call('run', { command: 'sed -i "s/line 9/by the agent/" ../web/page.ts' })] },
      ...Array.from({ length: 3 }, () => ({ calls: [call('finish', { subject: 'Both', report: 'Changed the page too.' })] })),
    ]);
    const id = await given.propose({ 'api/server.ts': SERVER, 'api/route.ts': ROUTE });
    value(await given.world.accept(id, { files: ['api/server.ts'] }));
    value(await given.world.world.rework(id, 'Change the page too.'));
    await given.world.becomes(() => (given.world.episode(id).phase.name === 'asking' ? true : undefined), () => '').then(async () => value(await given.world.world.answer(id, { choice: 'run', words: '' })));
    await given.world.reaches(id, 'waiting');
    expect(currentCandidate(given.world.episode(id))?.outside.map((file) => file.path)).toEqual(['web/page.ts']);
    return { ...given, id };
  }

  it('keeps what the branch got there meanwhile, also when they are let in', async () => {
    const { repository, world, id } = await restWithOutside();
    repository.commit('Later', { 'web/page.ts': withLine(1, 'by the person', PAGE) });
    value(await world.undo(id));
    expect([waits(world, id), currentCandidate(world.episode(id))?.outside.map((file) => file.path)]).toEqual([['api/route.ts', 'api/server.ts'], ['web/page.ts']]);
    value(await world.world.decideOutside(id, 'allow', [filePath.parse('web/page.ts')]));
    value(await world.accept(id));
    expect(repository.git('show', 'HEAD:web/page.ts')).toBe(withLine(1, 'by the person', withLine(9, 'by the agent', PAGE)).trimEnd());
  });

  it('is refused where they conflict with what the branch got there, and leaves no ref behind', async () => {
    const { repository, world, id } = await restWithOutside();
    repository.commit('Later', { 'web/page.ts': withLine(9, 'by the person', PAGE) });
    const before = refsButRecords(repository);
    const refused = await world.undo(id);
    expect(refused.ok ? null : refused.refusal).toMatchObject({ reason: 'conflict', files: ['web/page.ts'] });
    expect(refsButRecords(repository)).toBe(before);
  });
});
