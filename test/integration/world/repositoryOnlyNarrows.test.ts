import { afterEach, describe, expect, it } from 'vitest';
import { agentReport } from '../../../src/core/projections/agentReport.ts';
import type { FolderPath } from '../../../src/core/ids.ts';
import { call, ScriptedModel } from '../../support/scriptedModel.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const GENESIS = `acceptance = "gate"
base_url = "http://127.0.0.1:1/v1"

[worktree]
api_key = "EVIL_KEY"
tokens_env = "EVIL"

[limits]
cost_usd = 1000
turns = 5
`;

describe('given a cloned repository whose genesis.toml asks for more than a repository may have (B14)', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('then none of it is in force, and the delegation and the agent’s page say so, with the line', async () => {
    const repository = makeTemporaryRepository({ 'genesis.toml': GENESIS, 'api/server.ts': 'export const port = 80;\n' });
    const model = await ScriptedModel.start({ script: [{ calls: [call('edit_file', { path: 'api/server.ts', old_text: '80', new_text: '8080' })] }, { calls: [call('finish', { subject: 'Listen on 8080', report: 'Done.' })] }] });
    const world = await TestWorld.open(repository.folder, { baseUrl: model.baseUrl });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());

    const { configWarnings } = value(await world.world.prepareDelegation('api' as FolderPath));
    for (const said of ['genesis.toml line 1: acceptance', 'genesis.toml line 2: base_url', 'genesis.toml line 5: worktree, api_key', 'genesis.toml line 6: worktree, tokens_env']) expect(configWarnings.join('\n')).toContain(said);

    const id = await world.delegate('api', 'Listen on 8080', { costUsd: 2 });
    await world.reaches(id, 'waiting');
    expect(world.episode(id)).toMatchObject({ limits: { costUsd: 2, turns: 5 }, phase: { name: 'waiting' } });
    expect(model.requests).toHaveLength(2);
    expect(agentReport(world.episode(id), undefined)).toMatch(/## Without effect[^]*acceptance[^]*limits, cost_usd has no effect/);
    // What asks for nothing of the machine narrows without a word.
    expect(world.episode(id).configWarnings.join('\n')).not.toContain('turns has');
  });
});
