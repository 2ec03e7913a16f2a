import type { Candidate } from '../../core/candidate/candidate.ts';
import { changedPaths } from '../../core/candidate/scope.ts';
import { moveId, type AbsolutePath, type CommitId, type MoveId } from '../../core/ids.ts';
import type { PreparedMove } from '../../core/ledger/events.ts';
import { lineName } from '../../core/projections/episodeWords.ts';
import { Refused, type Refusal } from '../../core/refusal.ts';
import type { Episode } from '../../core/world/state.ts';
import type { WorldPorts } from '../ports/worldPorts.ts';
import type { UndoOptions } from '../openWorld.ts';
import type { WorldLog } from '../worldLog.ts';

export interface MoveRequest {
  readonly kind: PreparedMove['kind'];
  readonly episode: Episode;
  readonly candidate: number;
  /** The candidate that waits and that the move was made for; null where none waits. */
  readonly judged: CommitId | null;
  /** Of an undo: newer accepts that no line holds any more. */
  readonly gone?: readonly MoveId[];
  readonly target: PreparedMove['target'];
  readonly ref: PreparedMove['ref'];
  /** Null where the move makes the branch. */
  readonly old: CommitId | null;
  readonly new: CommitId;
  /** What `new` is compared with for the paths that change. */
  readonly tip: CommitId;
  readonly override: string | null;
  readonly split?: { readonly taken: Candidate; readonly rest: Candidate };
  readonly remade?: Candidate;
}

export type MoveEnd =
  | { readonly kind: 'moved'; readonly move: MoveId; readonly checkouts: readonly AbsolutePath[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The move of a line from its record in the ledger to its end there, and finding that end after a crash. */
export class LineMoves {
  readonly #ports: WorldPorts;
  readonly #log: WorldLog;

  constructor(ports: WorldPorts, log: WorldLog) {
    this.#ports = ports;
    this.#log = log;
  }

  async move(m: MoveRequest, options: UndoOptions): Promise<MoveEnd> {
    const { lines, repository } = this.#ports;
    const checkouts = m.old === null ? [] : await lines.checkoutsOf(m.ref);
    const paths = changedPaths(await repository.diff(m.tip, m.new));
    const prepared: PreparedMove = {
      move: this.#nextMove(m.episode), episode: m.episode.id, candidate: m.candidate, kind: m.kind, target: m.target, ref: m.ref,
      old: m.old, new: m.new, checkouts: [...checkouts], paths: [...paths], override: m.override,
      ...(m.split === undefined ? {} : { split: m.split }), ...(m.remade === undefined ? {} : { remade: m.remade }),
    };
    const told = await this.#log.dispatch({ type: 'prepare move', prepared, judged: m.judged, gone: m.gone ?? [] });
    if (!told.ok) return { kind: 'refused', refusal: told.refusal };
    if (!await this.#ports.ledger.isOwner()) return { kind: 'refused', refusal: { reason: 'not-owner', message: 'Another window took over this repository.', next: 'Use that window.' } };
    const moved = await lines.move(prepared, options).catch(async (error: unknown) => {
      // Neither done nor refused: the same look as after a crash tells, and nothing is left half said.
      if (await this.settle(prepared, 'The move failed half-way and was put back.') === 'new') return { kind: 'settled' as const };
      throw new Refused({ reason: 'git-failed', message: `Moving ${lineName(m.target)} failed: ${error instanceof Error ? error.message : String(error)}`, next: 'Look at the agent’s row: it says what was found. Try again when the cause is gone.' }, { cause: error });
    });
    if (moved.kind === 'settled') return { kind: 'moved', move: prepared.move, checkouts };
    if (moved.kind === 'refused') {
      await this.#log.dispatch({ type: 'move dropped', move: prepared.move, words: moved.refusal.message });
      return moved;
    }
    await this.#log.dispatch({ type: 'move done', move: prepared.move, tree: await repository.treeOf(prepared.new) });
    return { kind: 'moved', move: prepared.move, checkouts };
  }

  /** Looks where an interrupted move got to and writes it down. `words` are for the case that nothing of it is left. */
  async settle(prepared: PreparedMove, words: string): Promise<'old' | 'new' | 'unclear'> {
    const found = await this.#ports.lines.recover(prepared).catch((error: unknown) => ({ kind: 'unclear' as const, words: `It could not be looked at: ${error instanceof Error ? error.message : String(error)}.`, files: [] }));
    switch (found.kind) {
      case 'old':
        await this.#log.dispatch({ type: 'move dropped', move: prepared.move, words });
        break;
      case 'new':
        await this.#log.dispatch({ type: 'move done', move: prepared.move, tree: await this.#ports.repository.treeOf(prepared.new) });
        break;
      case 'unclear':
        await this.#log.dispatch({ type: 'move unclear', move: prepared.move, words: found.files.length === 0 ? found.words : `${found.words} (${found.files.slice(0, 10).join(', ')})` });
    }
    return found.kind;
  }

  /** A verdict that was cut off and could not be put right (a full disk, files in the way) is looked at again when the person asks. To be called in turn: then no move is under way here. */
  async settleLeft(id: Episode['id']): Promise<void> {
    const { phase } = this.#log.episode(id);
    if (phase.name !== 'judging' || this.#ports.ledger.readOnly() !== null) return;
    const move = this.#log.state.moves.get(phase.move);
    if (move) await this.settle(move.prepared, 'It had not moved the branch. Nothing was changed.');
  }

  settled(id: Episode['id']): Episode {
    const episode = this.#log.episode(id);
    if (episode.phase.name === 'judging') throw new Refused({ reason: 'wrong-state', message: `An accept or undo of this change was cut off, and could not be put right. ${episode.phase.unclear ?? ''}`.trim(), next: 'Put these files right by hand, then try again.' });
    return episode;
  }

  #nextMove(episode: Episode): MoveId {
    const count = [...this.#log.state.moves.values()].filter((m) => m.prepared.episode === episode.id).length;
    return moveId.parse(`${episode.id}/m${count + 1}`);
  }
}
