import type { EpisodeId } from '../../../src/core/ids.ts';
import type { Lines } from '../../../src/runtime/ports/lines.ts';
import { TestWorld } from '../../support/testWorld.ts';

/** A window of its own that accepts some files and stops at a step, so that a test can end it there as a crash would. */
const { step, checkout, machine, episode, files } = JSON.parse(process.argv[2] ?? '{}') as { step: string; checkout: string; machine: string; episode: EpisodeId; files: readonly string[] };

async function reach(here: string): Promise<void> {
  if (here !== step) return;
  process.stdout.write(`at ${here}\n`);
  // Pending for ever; the timer keeps the process alive for whoever ends it.
  await new Promise(() => setInterval(() => undefined, 60_000));
}

const stopping = (lines: Lines): Lines => ({
  ...lines,
  commitAsPerson: async (commit, signal) => {
    await reach('candidates-made');
    return lines.commitAsPerson(commit, signal);
  },
  move: async (move, options) => {
    await reach('prepared');
    return lines.move(move, { ...options, onStep: reach });
  },
});

const world = await TestWorld.open(checkout, { machine, lines: stopping });
process.stdout.write(`${JSON.stringify(await world.accept(episode, { files }))}\n`);
await world.close();
