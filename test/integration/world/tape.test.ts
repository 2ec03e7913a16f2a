import { readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { playTape, recordTape } from '../../../src/adapters/models/tape.ts';
import type { Masked } from '../../../src/adapters/models/tapeMask.ts';
import { quietGitEnvironment } from '../../support/gitEnvironment.ts';
import { call, ScriptedModel } from '../../support/scriptedModel.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const KEY = 'sk-proj-abcdefghijklmnopqrstuvwx';

describe('an episode that was recorded', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it('comes to the same change in another clone with the model’s server gone, and its tape holds no key and no path', async () => {
    const repository = makeTemporaryRepository({ 'api/server.ts': 'export const port = 80;\n', 'api/notes.md': `The key is ${KEY}.\n` });
    const model = await ScriptedModel.start({ script: [
      { calls: [call('read_file', { path: 'api/notes.md' })] },
      { reasoning: 'where am I?', calls: [call('run', { command: 'pwd; echo "$HOME"' })] },
      { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })], fault: { kind: 'cut-arguments', how: 'end', finish: 'tool_calls' } },
      { calls: [call('edit_file', { path: 'api/server.ts', old_text: 'port = 80', new_text: 'port = 8080' })] },
      { calls: [call('finish', { subject: 'Listen on 8080', report: 'Changed the port.' })] },
    ] });
    const folder = makeTemporaryFolder('tape');
    const file = path.join(folder, 'episode.tape');
    cleanups.push(() => repository.remove(), () => model.stop().catch(() => undefined), () => removeFolder(folder));
    const maskedOn = (machine: string, checkout: string) => (): Promise<Masked> => Promise.resolve({ home: [homedir()], temporary: [tmpdir()], worktrees: [path.join(machine, 'worktrees')], checkouts: [checkout], keys: [] });

    const machine = makeTemporaryFolder('machine');
    const recorded = await TestWorld.open(repository.folder, { machine, baseUrl: model.baseUrl, modelsThrough: (models) => recordTape(models, { file, masked: maskedOn(machine, repository.folder), onProblem: (words) => { throw new Error(words); } }) });
    cleanups.push(() => recorded.forget(), () => recorded.close());
    const first = await work(recorded);
    await model.stop();
    expect(model.requests).toHaveLength(5);

    // Its name is what an agent is told of it.
    const clone = path.join(folder, path.basename(repository.folder));
    execFileSync('git', ['clone', '--quiet', repository.folder, clone], { env: quietGitEnvironment() });
    const elsewhere = makeTemporaryFolder('machine');
    const played = await TestWorld.open(clone, { machine: elsewhere, baseUrl: 'http://127.0.0.1:9/v1', modelsThrough: () => playTape({ file, masked: maskedOn(elsewhere, clone) }) });
    cleanups.push(() => played.forget(), () => played.close());
    const second = await work(played);

    expect(second.tree).toBe(first.tree);
    expect(second.usage).toEqual(first.usage);
    const tape = readFileSync(file, 'utf8');
    for (const text of [KEY, machine, path.basename(machine), homedir(), model.baseUrl, first.id]) expect(tape).not.toContain(text);
    expect(tape).toContain('The key is ⟨secret 1⟩.');
  });

  async function work(world: TestWorld): Promise<{ readonly id: string; readonly tree: string | undefined; readonly usage: unknown }> {
    const id = await world.delegate('api', 'Listen on 8080');
    expect((await world.reaches(id, 'asking')).question).toMatchObject({ kind: 'run', purpose: 'agent' });
    value(await world.world.answer(id, { choice: 'run', words: '' }));
    await world.reaches(id, 'waiting');
    const episode = world.episode(id);
    return { id, tree: episode.candidates.at(-1)?.tree, usage: episode.spent.usage };
  }
});
