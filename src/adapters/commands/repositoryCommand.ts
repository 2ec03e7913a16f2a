import type { FilePath } from '../../core/ids.ts';
import type { CommandRequest, CommandResult } from './runCommand.ts';

/** A command that comes from a repository or from an agent: it is run where it can do least. */
export interface RepositoryCommand extends CommandRequest {
  /** A setup script copies and links from the person's checkout; the others have no business there. */
  readonly purpose: 'agent' | 'setup' | 'check' | 'hook';
  /** Absolute. What it may write, but for the pointer to the repository. */
  readonly worktree: string;
  /** Caches of tools: those of the repository's agents, or the worktree's own. */
  readonly caches: 'shared' | 'own';
  /** What of the worktree was brought in: where it is a link into the person's checkout, what is there may be read. */
  readonly brought: readonly FilePath[];
  /** Further folders that it reads, wherever they are. */
  readonly needs?: readonly string[];
  /** Asked when it found a port of this machine closed on which something listens. Left out, nobody is. */
  readonly mayReach?: (port: number) => Promise<boolean>;
}

/** Runs one to its end. Never throws. */
export type RunRepositoryCommand = (command: RepositoryCommand) => Promise<CommandResult>;
