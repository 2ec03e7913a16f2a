import { afterEach, describe, expect, it } from 'vitest';
import { agentSpending, topAgents } from '../../../src/core/projections/whereItWent.ts';
import { whereItWentPage } from '../../../src/core/projections/whereItWentPage.ts';
import { call, rateLimited, ScriptedModel } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld } from '../../support/testWorld.ts';

describe('after an agent has worked', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('its requests, what was sent again and its repeated calls are found in the ledger and transcript, also by a window that opens later', async () => {
    const repository = makeTemporaryRepository({ 'api/big.txt': 'a line of text\n'.repeat(800) });
    const read = { calls: [call('read_file', { path: 'api/big.txt' })] };
    const model = await ScriptedModel.start({ script: [read, { refuse: rateLimited({ 'retry-after': '0' }) }, read, { calls: [call('finish', { subject: 'Nothing', report: 'Read it.' })], usage: { prompt_tokens: 100_000, completion_tokens: 7 } }] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget());
    const id = await world.delegate('api', 'Read it');
    await world.reaches(id, 'ended');
    await world.close();
    const again = await TestWorld.open(repository.folder, { machine: world.machine });
    cleanups.push(() => again.close());
    const spending = agentSpending(again.episode(id), await again.world.transcript(id));
    expect(spending.episode.spent.requests.map((r) => r.answered)).toEqual([true, false, true, true]);
    expect(spending).toMatchObject({ repeated: [{ call: 'read_file {"path":"api/big.txt"}', times: 2 }], misses: [{ request: 4 }], failed: { requests: 1, usd: 0 } });
    expect(spending.sentAgain).toBeGreaterThan(3000);
    expect(whereItWentPage('shop', again.world.state(), topAgents(again.world.state(), 10).map(() => spending))).toMatch(/4 requests · .* sent again · 1 request failed/);
  });
});
