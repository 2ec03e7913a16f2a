import path from 'node:path';
import type { AbsolutePath } from '../../../core/ids.ts';
import { shortEpisode } from '../../../core/ids.ts';
import type { PreparedMove } from '../../../core/ledger/events.ts';
import { Refused } from '../../../core/refusal.ts';
import type { Lines, MoveStep } from '../../../runtime/ports/lines.ts';
import { CheckoutIndex } from './checkoutIndex.ts';
import type { FollowingCheckout } from './checkoutIndex.ts';
import { operationIn } from '../reading/checkouts.ts';
import type { GitCalls, GitPlace } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';
import { changesBetween } from './lineChange.ts';
import type { LineChange } from './lineChange.ts';
import { checkoutsOnLine, listCheckouts, operationHolding } from './lineCheckouts.ts';
import { updateFiles } from './lineFiles.ts';
import { lookForLosses } from './lineLook.ts';
import { MoveFolder } from './moveFolder.ts';
import { RefTransaction } from './refTransaction.ts';
import { restoreFiles } from './restoreFiles.ts';

export type MoveOptions = Parameters<Lines['move']>[1];

/**
 * One move of a line, in the order that ARCHITECTURE.md gives: never the ref before the files, since the checkout
 * would then hold the reverse of the accept, staged. Throws `Refused` where nothing happened; any other error says
 * that a repair is due.
 */
export class LineMove {
  readonly #git: GitCalls;
  readonly #place: GitPlace;
  readonly #move: PreparedMove;
  readonly #options: MoveOptions;
  readonly #folder: MoveFolder;
  readonly #indexes: CheckoutIndex[] = [];
  #changes: LineChange[] = [];
  /** From here on files may differ, and a failure has to put them back. */
  #touching = false;

  constructor(git: GitCalls, place: GitPlace, move: PreparedMove, options: MoveOptions) {
    this.#git = git;
    this.#place = place;
    this.#move = move;
    this.#options = options;
    this.#folder = MoveFolder.at(place.commonDir, move.move);
  }

  async run(): Promise<void> {
    const move = this.#move;
    if (move.ref !== 'HEAD' && !move.ref.startsWith('refs/heads/')) throw new Error(`a line is a branch or HEAD, not ${move.ref} (rule 3)`);
    const before = await this.#checkouts();
    if (move.old !== null && before.length > 0) this.#changes = await changesBetween(this.#git, move.old, move.new);
    await this.#folder.create().catch(async (cause: unknown) => {
      await this.#folder.remove().catch(() => undefined);
      throw new Refused({ reason: 'disk-failed', message: `Nothing was changed: what an accept has to note before it begins could not be written (${cause instanceof Error ? cause.message : String(cause)}).`, next: 'Free some space, or give yourself write permission to the git folder, then accept again.' }, { cause });
    });
    const ref = await this.#lock(before);
    try {
      await this.#folder.noteLocks(this.#lockFiles(before));
      await this.#step('locked');
      // Asked again under the lock: what was true before it may have changed since.
      await this.#lookAround(await this.#checkouts());
      await this.#step('looked');
      await this.#updateFiles();
      await this.#step('files-updated');
      await ref.commit();
    } catch (error) {
      try {
        await this.#undo();
      } finally {
        await this.#release();
        await ref.abort();
      }
      await this.#folder.remove();
      throw error;
    }
    await this.#release();
    await this.#options.onStep?.('ref-updated');
    await this.#folder.remove();
  }

  async #lock(checkouts: readonly FollowingCheckout[]): Promise<RefTransaction> {
    const { ref, old, new: to, kind, episode } = this.#move;
    const gitDir = ref === 'HEAD' ? this.#place.gitDir : (checkouts[0]?.gitDir ?? this.#place.commonDir);
    try {
      return await RefTransaction.prepare(this.#git, { gitDir, ref, old, new: to, reflog: `worldtree: ${kind} ${shortEpisode(episode)}` });
    } catch (error) {
      await this.#folder.remove();
      if (error instanceof GitFailure && error.kind === 'ref-moved') throw moved(this.#move, error);
      throw error;
    }
  }

  /** Files that git locks a ref and HEAD with. */
  #lockFiles(checkouts: readonly FollowingCheckout[]): string[] {
    const heads = [this.#place.gitDir, ...checkouts.map((c) => c.gitDir)].map((gitDir) => path.join(gitDir, 'HEAD.lock'));
    return this.#move.ref === 'HEAD' ? heads : [path.join(this.#place.commonDir, `${this.#move.ref}.lock`), ...heads];
  }

  /** The checkouts that follow, which must be those that were prepared for, with nothing under way in them. */
  async #checkouts(): Promise<FollowingCheckout[]> {
    const all = await listCheckouts(this.#git, this.#place);
    const following = checkoutsOnLine(all, this.#place, this.#move.ref);
    const prepared = new Set<AbsolutePath>(this.#move.checkouts);
    if (following.length !== prepared.size || !following.every((checkout) => prepared.has(checkout.top))) {
      throw new Refused({ reason: 'branch-moved', message: `Where ${nameOf(this.#move.ref)} is checked out has changed since the accept was asked for.`, next: 'Accept again.' });
    }
    for (const { top, gitDir } of following) {
      const operation = operationIn(gitDir);
      if (operation !== null) throw underWay(operation, top);
    }
    for (const { top, gitDir } of all) {
      const operation = gitDir && await operationHolding(gitDir, this.#move.ref);
      if (operation) throw underWay(operation, top);
    }
    return following;
  }

  async #lookAround(checkouts: readonly FollowingCheckout[]): Promise<void> {
    for (const [i, checkout] of checkouts.entries()) this.#indexes.push(await CheckoutIndex.lock(checkout, this.#folder, `index-${i}`));
    const unsaved = this.#indexes.length > 0 ? await this.#options.unsaved() : [];
    for (const index of this.#indexes) {
      const loss = await lookForLosses(this.#git, index, this.#changes, unsaved);
      if (loss) throw new Refused(loss);
    }
  }

  async #updateFiles(): Promise<void> {
    const { old, new: to } = this.#move;
    if (old === null) return;
    this.#touching = true;
    for (const index of this.#indexes) await updateFiles(this.#git, index, old, to, this.#folder, this.#options.signal);
    for (const index of this.#indexes) await index.install();
  }

  async #step(step: MoveStep): Promise<void> {
    await this.#options.onStep?.(step);
    if (this.#options.signal.aborted) throw new Refused({ reason: 'cancelled', message: 'The accept was cancelled.', next: 'Nothing was changed. Accept again when you want.' });
  }

  /** Puts files and indexes back. Where that fails nobody knows where things are: a repair is due, so no refusal. */
  async #undo(): Promise<void> {
    if (!this.#touching) return;
    try {
      for (const index of this.#indexes) {
        // What the copy knows of files that git had written is no use any more: begin from the index that is there.
        await index.refill();
        const restored = await restoreFiles(this.#git, index, this.#changes);
        if (restored.kind === 'unclear') throw new Error(`files changed while they were being updated: ${restored.files.join(', ')}`);
        await index.install();
      }
    } catch (cause) {
      throw new Error('The accept failed, and the files could not be put back.', { cause });
    }
  }

  async #release(): Promise<void> {
    for (const index of this.#indexes) await index.release();
  }
}

function moved(move: PreparedMove, cause: GitFailure): Refused {
  const name = nameOf(move.ref);
  return new Refused(move.old === null
    ? { reason: 'branch-moved', message: `${name} exists already.`, next: 'Choose another name for the new branch.' }
    : { reason: 'branch-moved', message: `${name} is not at ${move.old.slice(0, 7)} any more.`, next: 'Accept again: the change is merged onto where the branch is now.' }, { cause });
}

function underWay(operation: string, top: AbsolutePath): Refused {
  return new Refused({
    reason: 'operation-in-progress',
    message: `A ${operation} is under way in ${top}.`,
    next: operation === 'bisect' ? 'End it with git bisect reset, then accept again.' : `Finish it, or give it up with git ${operation} --abort, then accept again.`,
  });
}

function nameOf(ref: string): string {
  return ref === 'HEAD' ? 'HEAD' : ref.replace(/^refs\/heads\//, '');
}
