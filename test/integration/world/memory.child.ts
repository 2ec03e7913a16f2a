import type { ModelReply } from '../../../src/core/episode/model.ts';
import { callId } from '../../../src/core/ids.ts';
import { promptTokens } from '../../../src/core/limits/estimate.ts';
import type { ModelRequest } from '../../../src/runtime/ports/models.ts';
import { TestWorld } from '../../support/testWorld.ts';

/** A window of its own, whose memory nothing else uses: agents read a long file turn by turn and then propose a change. */
const { checkout, machine, agents, turns } = JSON.parse(process.argv[2] ?? '{}') as { checkout: string; machine: string; agents: number; turns: number };

/** Bytes of the heap before anything, at every tenth turn of the first agent, and once all changes wait. */
const heaps: number[] = [];
const taken = new Map<string, number>();
const world = await TestWorld.open(checkout, { machine, models: { ask: (request) => Promise.resolve(reply(request)) }, daily: { costUsd: 1e9, allTokens: 1e12 } });
heaps.push(heap());
const ids = await Promise.all(Array.from({ length: agents }, (_, i) => world.delegate('', `Part ${String(i)}`, { turns: 2 * turns, costUsd: 1e9, freshTokens: 1e12 })));
for (const id of ids) await world.reaches(id, 'waiting', 600_000);
heaps.push(heap());
process.stdout.write(`${JSON.stringify(heaps)}\n`);
await world.close();

function reply({ messages }: ModelRequest): ModelReply {
  const goal = /Part \d+/.exec(messages[1]?.text ?? '')?.[0] ?? '';
  const usage = { fresh: 0, cached: promptTokens(messages, []), output: 100, reasoning: 0 };
  const says = (text: string, name?: string, args?: object): ModelReply => ({
    message: { role: 'assistant', text, calls: name === undefined ? [] : [{ id: callId.parse(`c${String(taken.get(goal) ?? 0)}`), name, arguments: JSON.stringify(args) }] },
    end: 'complete', usage, estimated: false,
  });
  if (messages.at(-1)?.text.includes('Answer with the summary itself') === true) return says('A summary of what was read so far, which is a long file of numbered lines, all of them alike.');
  const turn = (taken.get(goal) ?? 0) + 1;
  taken.set(goal, turn);
  if (goal === 'Part 0' && turn % 10 === 0) heaps.push(heap());
  if (turn < turns) return says('', 'read_file', { path: 'long.txt', from_line: turn });
  return turn === turns ? says('', 'write_file', { path: `${goal}.txt`, content: 'Read.\n' }) : says('', 'finish', { subject: goal, report: 'Read.' });
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
