import { currentCandidate, type WorldState } from '../core/world/state.ts';
import { Foresight } from './foresight.ts';
import type { WorldPorts } from './ports/worldPorts.ts';
import { Retentions } from './retentions.ts';

/** What is known of lines without anyone having asked, and when it is read again. */
export class Outlook {
  readonly foresight: Foresight;
  readonly retentions: Retentions;
  #seen = '';

  constructor(ports: Pick<WorldPorts, 'repository' | 'candidates' | 'clock'>, state: () => WorldState, changed: () => void) {
    this.foresight = new Foresight(ports, state, changed);
    this.retentions = new Retentions(ports.repository, state, changed);
  }

  /** A running agent tells something new many times a second; only another set of changes that wait or are accepted asks for git. */
  worldChanged({ episodes, moves }: WorldState): void {
    const waiting = [...episodes.values()].flatMap((e) => (e.phase.name === 'waiting' ? currentCandidate(e)?.commit ?? [] : []));
    const seen = JSON.stringify([waiting, [...moves.values()].filter((move) => move.state.name === 'done').length]);
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.linesMoved();
  }

  linesMoved(): void {
    this.foresight.lookAgain();
    this.retentions.lookAgain();
  }

  async close(): Promise<void> {
    await Promise.all([this.foresight.close(), this.retentions.close()]);
  }
}
