import type { Candidate } from '../../core/candidate/candidate.ts';
import { changedPaths } from '../../core/candidate/scope.ts';
import { shortCommit, type CommitId, type MoveId } from '../../core/ids.ts';
import type { PreparedMove } from '../../core/ledger/events.ts';
import { lineName } from '../../core/projections/episodeWords.ts';
import { Refused } from '../../core/refusal.ts';
import { acceptedNumber, candidateOf, standingAccepts, type Episode, type Move } from '../../core/world/state.ts';
import type { UndoOptions } from '../openWorld.ts';
import type { WorldPorts } from '../ports/worldPorts.ts';
import type { Proposals } from '../proposals.ts';
import type { WorldLog } from '../worldLog.ts';
import type { LineMoves } from './lineMoves.ts';
import { findAccepts } from '../findAccepts.ts';
import { tipOf, tipOrNone } from './tips.ts';

/** What takes an accept back. */
interface Revert {
  readonly prepared: PreparedMove;
  /** Newer accepts that no line holds any more. */
  readonly gone: readonly MoveId[];
  /** Undefined where the ledger does not know it. */
  readonly taken: Candidate | undefined;
  readonly tip: CommitId;
  readonly commit: CommitId;
}

/** Takes an accept back: a revert of just that one on the tip of now, and the change made again there, so that it waits. */
export class Undoing {
  readonly #ports: WorldPorts;
  readonly #log: WorldLog;
  readonly #proposals: Proposals;
  readonly #moves: LineMoves;

  constructor(ports: WorldPorts, log: WorldLog, proposals: Proposals, moves: LineMoves) {
    this.#ports = ports;
    this.#log = log;
    this.#proposals = proposals;
    this.#moves = moves;
  }

  async undo(episode: Episode, asked: MoveId, options: UndoOptions): Promise<CommitId> {
    const { repository, candidates, lines } = this.#ports;
    const { accept: { prepared }, gone } = await this.#standing(episode, asked, options.signal);
    const tip = await tipOf(repository, prepared.target, await repository.head(), 'Take the change back by hand with git revert, where it is still held.');
    const before = await this.#before(prepared);
    // The accepted commit is the base, what stood before it is theirs: exactly that change is taken back, later ones stay.
    const merge = await candidates.merge(prepared.new, tip, before);
    if (merge.kind === 'conflict') throw new Refused({ reason: 'conflict', message: 'The accept cannot be taken back by itself: later commits changed the same places.', next: 'Undo the later accepts first, or edit these files by hand.', files: merge.files });
    if (merge.tree === await repository.treeOf(tip)) throw new Refused({ reason: 'nothing-to-accept', message: `${lineName(prepared.target)} no longer holds this change: there is nothing to take back.`, next: 'It may have been reverted or removed by hand.' });
    const taken = candidateOf(episode, acceptedNumber(prepared));
    const message = `Undo: ${taken?.subject ?? episode.goal}\n\nTakes back ${shortCommit(prepared.new)}.\n\nWorldtree-Episode: ${episode.id}\n`;
    const commit = await lines.commitAsPerson({ tree: merge.tree, parents: [tip], message }, options.signal);
    return this.#proposals.aroundMove(episode.id, () => this.#move(episode, { prepared, gone, taken, tip, commit }, options));
  }

  async #move(asked: Episode, { prepared, gone, taken, tip, commit }: Revert, options: UndoOptions): Promise<CommitId> {
    const episode = this.#log.episode(asked.id);
    const waiting = episode.phase.name === 'waiting' ? candidateOf(episode, episode.phase.candidate) : undefined;
    const remade = await this.#remade(episode, taken, waiting, tip, commit);
    const moved = await this.#moves.move({ kind: 'undo', episode, candidate: acceptedNumber(prepared), judged: waiting?.commit ?? null, gone, target: prepared.target, ref: prepared.ref, old: tip, new: commit, tip, override: null, ...(remade === null ? {} : { remade }) }, options);
    if (moved.kind === 'moved') return commit;
    throw new Refused(moved.refusal);
  }

  /**
   * A button that offers to undo may be older than the accept that stands now: another is never taken back in its place.
   * Newer ones that the person took off their lines are passed over.
   */
  async #standing(episode: Episode, asked: MoveId, signal: AbortSignal): Promise<{ readonly accept: Move; readonly gone: readonly MoveId[] }> {
    const standing = standingAccepts(this.#log.state, episode.id);
    const at = standing.findIndex(({ prepared }) => prepared.move === asked);
    const [accept, ...newer] = at < 0 ? [] : standing.slice(at);
    if (!accept) throw new Refused({ reason: 'wrong-state', message: 'There is no such accept of this agent to undo.', next: 'It may have been undone already.' });
    for (const ref of new Set(newer.map(({ prepared }) => prepared.ref))) {
      const accepts = standing.filter(({ prepared }) => prepared.ref === ref);
      const tip = await tipOrNone(this.#ports.repository, accepts[0]?.prepared.target ?? accept.prepared.target);
      const found = await findAccepts(this.#ports.repository, { episode: episode.id, accepts, tip }, signal);
      if (accepts.some((one, i) => newer.includes(one) && found[i]?.kind === 'retained')) throw new Refused({ reason: 'wrong-state', message: 'More of this change was accepted since. Nothing was undone.', next: 'Undo the newer accept first: the agent’s row offers the newest.' });
    }
    return { accept, gone: newer.map(({ prepared }) => prepared.move) };
  }

  /** What waits when the undo is done: all that the line lacks then, which is what was taken away, and the rest where one waits. */
  async #remade(episode: Episode, taken: Candidate | undefined, waiting: Candidate | undefined, tip: CommitId, undone: CommitId): Promise<Candidate | null> {
    const { repository, candidates } = this.#ports;
    const told = waiting ?? taken;
    // A ledger that was copied in part does not know what was accepted.
    if (!told) return null;
    // The tip before the undo, seen from the undo, is exactly what the undo took away.
    let tree = await repository.treeOf(tip);
    if (waiting) {
      // With what nobody has decided about yet: let in from its old base, it would take back what the line got there since.
      const whole = waiting.outsideCommit === null ? waiting.tree : await candidates.pick(waiting.tree, await repository.treeOf(waiting.outsideCommit), changedPaths(waiting.outside));
      const both = await candidates.merge(waiting.base, tip, whole);
      if (both.kind === 'conflict') throw new Refused({ reason: 'conflict', message: 'The rest of this change waits, and conflicts with what the branch holds now. Nothing was undone.', next: 'Edit these files in the diff, send the rest back with Rework, or reject it; then undo.', files: both.files });
      tree = both.tree;
    }
    return this.#proposals.makeOfTree(episode, undone, tree, told, { source: 'remade' }, waiting ? changedPaths(waiting.outside) : []);
  }

  /** What the line held before an accept: its old commit, or for a new branch the accepted commit's first parent. */
  async #before(prepared: PreparedMove): Promise<CommitId> {
    const { repository } = this.#ports;
    if (await repository.resolve(prepared.new) === null) throw new Refused({ reason: 'git-failed', message: `The accepted commit ${shortCommit(prepared.new)} is not in the repository any more: ${lineName(prepared.target)} was moved off it, and git has removed it since.`, next: `Where ${lineName(prepared.target)} still holds the change, take it back by hand with git revert.` });
    const before = await repository.resolve(prepared.old ?? `${prepared.new}^1`);
    if (before === null) throw new Refused({ reason: 'git-failed', message: `The commit before ${shortCommit(prepared.new)} cannot be found.`, next: 'Take the change back by hand with git revert.' });
    return before;
  }
}
