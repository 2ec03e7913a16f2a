import { GitDoor } from '../../../src/adapters/git/door/door.ts';
import type { GitPlace } from '../../../src/adapters/git/door/door.ts';
import type { HeldProcess } from '../../../src/adapters/git/door/heldProcess.ts';
import { createFirstCommit } from '../../../src/adapters/git/lines/firstCommit.ts';
import type { FilePath } from '../../../src/core/ids.ts';

/** A process of its own that makes a first commit and stops where the branch's turn has come, so that a test can end it there as a crash would. */
const { place, files } = JSON.parse(process.argv[2] ?? '{}') as { place: GitPlace; files: readonly FilePath[] };

class StoppingDoor extends GitDoor {
  override hold(...call: Parameters<GitDoor['hold']>): HeldProcess {
    const held = super.hold(...call);
    const write = held.write.bind(held);
    held.write = (text) => {
      if (text !== 'commit\0') {
        write(text);
        return;
      }
      process.stdout.write('at branch\n');
      // What waits for the answer waits for ever; the timer keeps the process alive for whoever ends it.
      setInterval(() => undefined, 60_000);
    };
    return held;
  }
}

const commit = await createFirstCommit(new StoppingDoor(place)).make({ files, message: 'First commit', signal: new AbortController().signal });
process.stdout.write(`${commit}\n`);
