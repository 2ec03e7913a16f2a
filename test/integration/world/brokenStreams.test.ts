import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/adapters/systemClock.ts';
import type { TranscriptEntry } from '../../../src/core/episode/transcript.ts';
import type { EpisodeId } from '../../../src/core/ids.ts';
import { addUsage, NO_USAGE } from '../../../src/core/limits/usage.ts';
import { parseArguments } from '../../../src/core/tools/parseArguments.ts';
import { isToolName } from '../../../src/core/tools/catalogue.ts';
import { BrokenModel, type BrokenAnswer } from '../../support/brokenModel.ts';
import { memoryPorts } from '../../support/memoryPorts.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import { TestWorld, value } from '../../support/testWorld.ts';

const STREAMS = Number(process.env['WORLDTREE_BROKEN_STREAMS'] ?? 2_000);
const SEED = Number(process.env['WORLDTREE_SEED'] ?? 20_261_130);
const LIVES = 60;
const AT_ONCE = 8;
/** Long enough for a busy machine: one that gave up before the model had read its request would ask the next one before it is known. */
const IDLE_SECONDS = 4;

describe('agents whose model’s streams are cut, delayed, doubled, damaged and silent at random', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it(`run no tool on incomplete arguments, count each request once, and come to an end with a reason (${String(STREAMS)} streams, seed ${String(SEED)})`, async () => {
    const repository = makeTemporaryRepository({ 'api/a.txt': 'a\n' });
    const model = await BrokenModel.start(SEED, LIVES);
    // What a tool does is not what this is about, and each would start git.
    const ports = { ...memoryPorts('test'), tools: { run: (name: string) => Promise.resolve({ ok: true, text: `${name} was carried out.` }), programsThere: (names: readonly string[]) => new Set(names) } };
    const world = await TestWorld.open(repository.folder, {
      ports, baseUrl: model.baseUrl, traits: { idleSeconds: IDLE_SECONDS }, daily: { costUsd: 1e6, allTokens: 1e12 }, settings: { slots: () => AT_ONCE },
      clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 2), signal) },
    });
    cleanups.push(() => repository.remove(), () => model.stop(), () => world.forget(), () => world.close());

    const agents = new Map<number, EpisodeId>();
    let next = 1;
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      while (model.requests < STREAMS) {
        const goal = next++;
        const id = await world.delegate('api', `Goal ${String(goal)}`, { costUsd: 1e5, freshTokens: 1e12, turns: 10_000 });
        agents.set(goal, id);
        await end(world, id);
      }
    }));

    const wrong: string[] = [];
    for (const [goal, id] of agents) wrong.push(...wrongWith(world, id, await world.world.transcript(id), model.answers.get(goal) ?? []));
    expect(wrong).toEqual([]);
    const { spent, reserved } = await ports.spending.today();
    expect(reserved.usd).toBeCloseTo(0, 9);
    expect(spent.usd).toBeCloseTo([...world.world.state().episodes.values()].reduce((sum, e) => sum + e.spent.usd, 0), 6);
    expect(model.requests).toBeGreaterThanOrEqual(STREAMS);
    // Else nothing of the above was tried.
    const faults = [...model.answers.values()].flat();
    expect(new Set(faults.map((a) => a.fault)).size).toBe(9);
  }, 240_000);
});

/** Until it proposes or has ended: a question is answered by taking what there is. */
async function end(world: TestWorld, id: EpisodeId): Promise<void> {
  for (;;) {
    const { phase, spent } = world.episode(id);
    if (phase.name === 'waiting' || phase.name === 'ended') return;
    if (phase.name === 'asking') value(await world.world.answer(id, { choice: phase.question.kind === 'stuck' ? 'stop' : 'hand-in', words: '' }));
    else await world.becomes(() => world.episode(id).phase.name !== phase.name || world.episode(id).spent.nextRequest > spent.nextRequest + 20 || undefined, () => `${id} hangs: ${JSON.stringify(world.episode(id).phase)} ${JSON.stringify(world.world.live(id))}`);
  }
}

function wrongWith(world: TestWorld, id: EpisodeId, transcript: readonly TranscriptEntry[], answers: readonly BrokenAnswer[]): readonly string[] {
  const { spent, phase, candidates } = world.episode(id);
  const wrong: string[] = [];
  const say = (words: string): void => { wrong.push(`${id}: ${words}`); };
  if (phase.name === 'ended' ? phase.outcome !== 'no change' && phase.words === '' : phase.name !== 'waiting' || candidates.at(-1)?.subject === '') say(`ends without a reason: ${JSON.stringify(phase)}`);

  if (spent.inFlight.size > 0) say('something is still in flight');
  if (spent.requests.length !== answers.length || new Set(spent.requests.map((r) => r.request)).size !== answers.length) say(`${String(spent.requests.length)} requests are counted, ${String(answers.length)} were made`);
  const sum = spent.requests.reduce((all, r) => addUsage(all, r.usage), NO_USAGE);
  if (JSON.stringify(sum) !== JSON.stringify(spent.usage)) say('the sum is not that of its requests');
  for (const { request, usage, estimated, answered } of spent.requests) {
    const told = answers[request - 1];
    if (told === undefined || estimated || !answered || told.fault === 'corrupt') continue;
    if (told.usage === null || usage.fresh !== told.usage.prompt || usage.output !== told.usage.output) say(`request ${String(request)} counts ${JSON.stringify(usage)}, told was ${JSON.stringify(told.usage)}`);
  }

  const begun = new Set(transcript.flatMap((entry) => (entry.type === 'called' ? [entry.call] : [])));
  for (const entry of transcript) {
    if (entry.type !== 'replied' || entry.message.role !== 'assistant') continue;
    const meant = answers[entry.request - 1];
    const ran = entry.end === 'complete' ? entry.message.calls.filter((call) => begun.has(call.id)) : [];
    if (meant === undefined || ran.length === 0) continue;
    // Of one that lies only the last call is cut; those before it are as they were meant.
    if (!meant.whole && meant.fault !== 'lie') say(`request ${String(entry.request)} (${meant.fault}) was not whole, and ${ran.map((call) => call.arguments).join(' ')} ran`);
    for (const call of ran) {
      if (!isToolName(call.name) || !parseArguments(call.name, call.arguments).ok) say(`${call.name} ran on ${call.arguments}`);
      if (!['duplicate', 'drop', 'corrupt'].includes(meant.fault) && !meant.calls.includes(call.arguments)) say(`${call.arguments} ran and was never meant`);
    }
  }
  return wrong;
}
