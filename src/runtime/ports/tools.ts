import type { AbsolutePath, CommitId, EpisodeId, FilePath, FolderPath } from '../../core/ids.ts';
import type { ToolName } from '../../core/tools/catalogue.ts';

/** Where an episode's tools work. */
export interface ToolContext {
  readonly episode: EpisodeId;
  readonly worktree: AbsolutePath;
  /** The person's checkout: paths that name it are mapped into the worktree or refused. */
  readonly checkout: AbsolutePath;
  readonly folder: FolderPath;
  readonly base: CommitId;
  readonly brought: readonly FilePath[];
  readonly signal: AbortSignal;
  /** Asked before a command runs: in a sandbox only once for a repository, what it may reach. */
  readonly mayRun: (command: string) => Promise<{ readonly allowed: true } | { readonly allowed: false; readonly why: string }>;
  /** Asked when a command in the sandbox found a port of this machine closed on which something listens. */
  readonly mayReach: (port: number) => Promise<boolean>;
  /** Asked before a copied-in file that may hold secrets is shown to a model. */
  readonly mayShow: (path: FilePath) => Promise<boolean>;
}

export interface ToolResult {
  /** What the model reads, 16 KiB at most, cut with a note that says how to get the rest. */
  readonly text: string;
  readonly ok: boolean;
  /** A file that the call wrote. */
  readonly wrote?: FilePath;
  /** True where an ignore rule keeps that file out of the candidate. */
  readonly ignored?: boolean;
  /** True where the worktree's folder does not exist any more: no further call can succeed. */
  readonly worktreeGone?: boolean;
}

/** Tools that touch files and processes. A failure is a result with what to do next, never an exception. */
export interface Tools {
  /** `args` is the model's text, or a value that was parsed already; both are validated. */
  run(name: FileTool, args: unknown, context: ToolContext): Promise<ToolResult>;
  /** Which of these programs the commands of agents find by their names. */
  programsThere(names: readonly string[]): ReadonlySet<string>;
}

/** Tools that adapters carry out; the rest is the host's own (finish, read_history and the verbs of delegation). */
export type FileTool = Exclude<ToolName, 'finish' | 'read_history'>;
