import { z } from 'zod';

/** A command declared for paths that must pass before a change there is accepted (`[[constraint]]` in genesis.toml). */
export const constraint = z.object({
  name: z.string().min(1),
  /** Run by the platform's shell in the root of a prepared check worktree. */
  run: z.string().min(1),
  /** Globs relative to the repository's root; a change to a path that matches is covered. */
  paths: z.array(z.string()),
  timeoutMs: z.number().positive(),
  required: z.boolean(),
});
export type Constraint = z.infer<typeof constraint>;

export const evidenceResult = z.enum(['passed', 'failed', 'timed-out', 'could-not-run', 'refused']);

/** What running a constraint on a tree gave. Remembered by (tree, definition, setup). */
export const evidence = z.object({
  constraint: z.string(),
  run: z.string(),
  required: z.boolean(),
  /** The tree that was checked. */
  tree: z.string(),
  /** Hash of the constraint's definition. */
  definition: z.string(),
  /** Hash of what prepared the check worktree. */
  setup: z.string(),
  result: evidenceResult,
  exitCode: z.number().nullable(),
  ms: z.number(),
  /** The end of what it printed, 8 KiB at most. */
  output: z.string(),
});
export type Evidence = z.infer<typeof evidence>;

/** The command ran and did not like what it found; one that could not run or was not allowed to says nothing of the files. */
export function foundFailing({ result }: Evidence): boolean {
  return result === 'failed' || result === 'timed-out';
}
