import type { Constraint, Evidence } from '../../core/constraints/constraint.ts';
import type { CommitId, TreeId } from '../../core/ids.ts';
import type { Setup } from './worktrees.ts';

export interface CheckRequest {
  /** A commit whose tree is the one to check; the commit need not be on any line. */
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly constraint: Constraint;
  readonly setup: Setup | null;
  readonly signal: AbortSignal;
  readonly progress: (words: string) => void;
  /** Asked before a command runs. */
  readonly mayRun: (command: string, purpose: 'setup' | 'check' | 'hook') => Promise<boolean>;
}

/** Constraints and hooks run by the host in prepared check worktrees (rule 5), one at a time. */
export interface Checks {
  run(request: CheckRequest): Promise<Evidence>;
  /** Hashes of constraint and setup under which evidence is remembered for a tree. */
  keyOf(request: Pick<CheckRequest, 'tree' | 'constraint' | 'setup'>): Promise<{ readonly definition: string; readonly setup: string }>;
  /** The repository's `pre-commit` and `commit-msg` hooks, as git would find them for the person; empty where there are none. */
  hooks(): Promise<readonly ('pre-commit' | 'commit-msg')[]>;
  /**
   * Runs the hooks on a tree that is staged in the check worktree on top of `tip`. A hook that changes the tree or the
   * message gives what it made.
   */
  runHooks(request: { readonly tip: CommitId; readonly tree: TreeId; readonly message: string; readonly setup: Setup | null; readonly signal: AbortSignal; readonly progress: (words: string) => void; readonly mayRun: (command: string, purpose: 'setup' | 'check' | 'hook') => Promise<boolean> }): Promise<HookResult>;
}

export type HookResult =
  | { readonly kind: 'passed'; readonly message: string }
  | { readonly kind: 'changed-tree'; readonly tree: TreeId; readonly hook: string }
  | { readonly kind: 'failed'; readonly hook: string; readonly output: string };
