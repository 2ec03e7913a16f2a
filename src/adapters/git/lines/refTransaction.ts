import type { AbsolutePath, CommitId } from '../../../core/ids.ts';
import type { GitCalls } from '../door/door.ts';
import type { HeldProcess } from '../door/heldProcess.ts';

export interface RefUpdate {
  /** Whose HEAD is locked together with the branch, and gets the reflog line too. */
  readonly gitDir: AbsolutePath;
  /** A branch, or `HEAD` for one that is detached. */
  readonly ref: string;
  /** Null where the ref must not exist. */
  readonly old: CommitId | null;
  readonly new: CommitId;
  readonly reflog: string;
}

/**
 * A ref that is locked and checked but not moved yet: a long-lived `update-ref --stdin`. When this process dies, its
 * input ends, and git takes the locks away itself.
 */
export class RefTransaction {
  readonly #git: HeldProcess;

  private constructor(git: HeldProcess) {
    this.#git = git;
  }

  /** Throws `GitFailure`: `ref-moved` where the ref is not at `old`, `lock-exists` where another git holds it. */
  static async prepare(git: GitCalls, update: RefUpdate): Promise<RefTransaction> {
    const held = git.hold(['update-ref', '-m', update.reflog, '-z', '--stdin'], { write: true, gitDir: update.gitDir });
    const change = update.old === null ? `create ${update.ref}\0${update.new}\0` : `update ${update.ref}\0${update.new}\0${update.old}\0`;
    held.write(`start\0${update.ref === 'HEAD' ? 'option no-deref\0' : ''}${change}prepare\0`);
    await expectLine(held, 'start: ok');
    await expectLine(held, 'prepare: ok');
    return new RefTransaction(held);
  }

  /** Moves the ref. Throws `GitFailure` where it did not. */
  async commit(): Promise<void> {
    this.#git.write('commit\0');
    await expectLine(this.#git, 'commit: ok');
    await this.#git.close();
  }

  /** Gives the locks back; nothing moved. */
  async abort(): Promise<void> {
    // Its input ends without a commit, which is an abort also where the process is in trouble.
    await this.#git.close();
  }
}

async function expectLine(held: HeldProcess, expected: string): Promise<void> {
  const line = await held.readLine();
  if (line !== expected) {
    held.kill();
    throw new Error(`git update-ref answered "${line}" where "${expected}" was due`);
  }
}
