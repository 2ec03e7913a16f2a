import type { CommitId, FilePath, MoveId } from '../../core/ids.ts';
import { Turns } from '../../core/turns.ts';
import type { Episode, Move } from '../../core/world/state.ts';
import type { Accepted, AcceptPlan, AcceptRequest, UndoOptions } from '../openWorld.ts';
import type { CheckRequest } from '../ports/checks.ts';
import type { WorldPorts } from '../ports/worldPorts.ts';
import type { Proposals } from '../proposals.ts';
import type { WorldLog } from '../worldLog.ts';
import { Accepting } from './accepting.ts';
import { LineMoves } from './lineMoves.ts';
import { Undoing } from './undoing.ts';

/** Accept and undo, one at a time in a repository. ARCHITECTURE.md says in which order a line moves, and why. */
export class Acceptance {
  readonly #log: WorldLog;
  readonly #proposals: Proposals;
  readonly #moves: LineMoves;
  readonly #accepting: Accepting;
  readonly #undoing: Undoing;
  readonly #turns = new Turns();

  constructor(ports: WorldPorts, log: WorldLog, proposals: Proposals, mayRun: CheckRequest['mayRun']) {
    this.#log = log;
    this.#proposals = proposals;
    this.#moves = new LineMoves(ports, log);
    this.#accepting = new Accepting(ports, log, proposals, this.#moves, mayRun);
    this.#undoing = new Undoing(ports, log, proposals, this.#moves);
  }

  async plan(id: Episode['id'], files: readonly FilePath[] | null): Promise<AcceptPlan> {
    if (this.#log.episode(id).phase.name === 'judging') await this.#turns.run(() => this.#settleLeft(id));
    return this.#accepting.plan(this.#moves.settled(id), files);
  }

  accept(request: AcceptRequest): Promise<Accepted> {
    return this.#turns.run(async () => {
      await this.#settleLeft(request.episode);
      return this.#accepting.accept(request);
    });
  }

  undo(id: Episode['id'], accept: MoveId, options: UndoOptions): Promise<CommitId> {
    return this.#turns.run(async () => {
      await this.#settleLeft(id);
      return this.#undoing.undo(this.#log.episode(id), accept, options);
    });
  }

  /** Makes a waiting change again on its line's tip, so that its agent sees both sides of what fails together. Gives the tip; null where it stays where it is. */
  ontoTip(id: Episode['id']): Promise<CommitId | null> {
    return this.#turns.run(() => this.#accepting.ontoTip(this.#log.episode(id)));
  }

  /** What the start after a crash does with a move that has no end in the ledger. */
  recover({ prepared }: Move): Promise<void> {
    return this.#turns.run(() => this.#proposals.aroundMove(prepared.episode, async () => { await this.#moves.settle(prepared, 'The window closed before the branch had moved. Nothing was changed.'); }));
  }

  async #settleLeft(id: Episode['id']): Promise<void> {
    if (this.#log.episode(id).phase.name === 'judging') await this.#proposals.aroundMove(id, () => this.#moves.settleLeft(id));
  }
}
