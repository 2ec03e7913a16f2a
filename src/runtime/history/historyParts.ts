import type { WorldPorts } from '../ports/worldPorts.ts';
import type { Proposals } from '../proposals.ts';
import type { Records } from '../record.ts';
import type { WorldLog } from '../worldLog.ts';

/** What publishing, fetching and importing are made of. */
export interface HistoryParts {
  readonly ports: Pick<WorldPorts, 'repository' | 'remotes' | 'ledger'>;
  readonly log: WorldLog;
  readonly records: Records;
  readonly proposals: Proposals;
}
