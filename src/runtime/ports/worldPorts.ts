import type { ModelSlots } from '../modelSlots.ts';
import type { Candidates } from './candidates.ts';
import type { Checks } from './checks.ts';
import type { Clock } from './clock.ts';
import type { FirstCommit } from './firstCommit.ts';
import type { Inbox } from './inbox.ts';
import type { Ledger, Transcripts } from './ledger.ts';
import type { Lines } from './lines.ts';
import type { Models } from './models.ts';
import type { CommandPermissions, Person } from './person.ts';
import type { Remotes } from './remotes.ts';
import type { Repository } from './repository.ts';
import type { NetworkPermissions, Sandbox } from './sandbox.ts';
import type { Settings } from './settings.ts';
import type { Spending } from './spending.ts';
import type { Tools } from './tools.ts';
import type { Worktrees } from './worktrees.ts';

/** Everything that one repository's world is made of; wired by hand in extension.ts. */
export interface WorldPorts {
  readonly repository: Repository;
  readonly remotes: Remotes;
  readonly worktrees: Worktrees;
  readonly candidates: Candidates;
  readonly lines: Lines;
  readonly firstCommit: FirstCommit;
  readonly checks: Checks;
  readonly ledger: Ledger;
  readonly transcripts: Transcripts;
  readonly inbox: Inbox;
  readonly spending: Spending;
  readonly models: Models;
  /** One for all repositories of a window. */
  readonly slots: ModelSlots;
  readonly tools: Tools;
  readonly clock: Clock;
  readonly person: Person;
  readonly permissions: CommandPermissions;
  readonly sandbox: Sandbox;
  readonly network: NetworkPermissions;
  readonly settings: Settings;
  /** Ends long-lived processes and heartbeats; called once, when the world is closed. */
  close(): Promise<void>;
}
