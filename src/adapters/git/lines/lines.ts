import { Refused } from '../../../core/refusal.ts';
import type { Lines } from '../../../runtime/ports/lines.ts';
import type { GitDoor } from '../door/door.ts';
import { checkoutsOnLine, listCheckouts } from './lineCheckouts.ts';
import { LineMove } from './lineMove.ts';
import { LineRecovery } from './lineRecovery.ts';
import { commitAsPerson } from './personCommit.ts';

/** Moving a line, which only an accept and its undo may do (rule 3). One move at a time per repository. */
export function createLines(git: GitDoor): Lines {
  return {
    async checkoutsOf(ref) {
      return checkoutsOnLine(await listCheckouts(git, git.place), git.place, ref).map((checkout) => checkout.top);
    },

    commitAsPerson: (commit, signal) => commitAsPerson(git, commit, signal),

    async move(move, options) {
      try {
        await git.exclusive({ signal: options.signal }, (calls) => new LineMove(calls, git.place, move, options).run());
        return { kind: 'moved' };
      } catch (error) {
        if (error instanceof Refused) return { kind: 'refused', refusal: error.refusal };
        throw error;
      }
    },

    recover: (move) => git.exclusive({}, (calls) => new LineRecovery(calls, git.place, move).run()),
  };
}
