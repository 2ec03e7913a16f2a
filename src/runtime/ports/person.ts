import type { Answer, Question } from '../../core/ledger/events.ts';
import type { NetworkLevel } from '../../core/sandbox/network.ts';

/** What is asked of the person on the spot, in the middle of a verdict that they wait for. */
export interface Person {
  confirmRun(question: Extract<Question, { kind: 'run' }>): Promise<Answer>;
  /** Null where they did not say. */
  chooseNetwork(question: Extract<Question, { kind: 'network' }>): Promise<NetworkLevel | null>;
}

/** Command prefixes that the person allowed to run without asking, per repository, in machine storage. */
export interface CommandPermissions {
  allows(command: string): boolean;
  /** What `always` would remember for this command; null where it is not one simple command. */
  prefixOf(command: string): readonly string[] | null;
  remember(prefix: readonly string[]): Promise<void>;
}
