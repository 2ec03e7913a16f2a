import { GitDoor } from '../../../src/adapters/git/door/door.ts';
import type { GitPlace } from '../../../src/adapters/git/door/door.ts';
import { createLines } from '../../../src/adapters/git/lines/lines.ts';
import type { PreparedMove } from '../../../src/core/ledger/events.ts';

/** A process of its own that performs a move and stops at a step, so that a test can end it there as a crash would. */
const { place, move, stopAt } = JSON.parse(process.argv[2] ?? '{}') as { place: GitPlace; move: PreparedMove; stopAt: string };

const result = await createLines(new GitDoor(place)).move(move, {
  unsaved: () => Promise.resolve([]),
  signal: new AbortController().signal,
  onStep: async (step) => {
    if (step !== stopAt) return;
    process.stdout.write(`at ${step}\n`);
    // Pending for ever; the timer keeps the process alive for whoever ends it.
    await new Promise(() => setInterval(() => undefined, 60_000));
  },
});
process.stdout.write(`${JSON.stringify(result)}\n`);
