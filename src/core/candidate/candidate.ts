import { z } from 'zod';
import { blobId, commitId, filePath, treeId } from '../ids.ts';

/** One entry of a tree difference. Both sides count for scope: `from` is where a rename or copy came from. */
export const changedFile = z.object({
  path: filePath,
  kind: z.enum(['added', 'modified', 'deleted', 'renamed', 'copied', 'mode', 'type', 'submodule']),
  from: filePath.nullable(),
  /** Git's octal modes (`100644`, `100755`, `120000` symlink, `160000` submodule); null on the side where the file does not exist. */
  oldMode: z.string().nullable(),
  newMode: z.string().nullable(),
  oldBlob: blobId.nullable(),
  newBlob: blobId.nullable(),
  /** Null for a binary file. */
  lines: z.object({ added: z.number(), removed: z.number() }).nullable(),
});
export type ChangedFile = z.infer<typeof changedFile>;

/** Why a candidate waits for a person whatever else holds (rules 5, 6 and 11). */
const candidateFlag = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('touches-checks'), files: z.array(filePath) }),
  z.object({ kind: z.literal('nested-repository'), files: z.array(z.string()) }),
  /** Files, or submodules that the agent checked out: none of it is in the change. */
  z.object({ kind: z.literal('inside-submodule'), files: z.array(z.string()) }),
  z.object({ kind: z.literal('symlink-leaves-scope'), files: z.array(filePath) }),
]);
export type CandidateFlag = z.infer<typeof candidateFlag>;

export const candidateSource = z.enum(['agent', 'edit', 'remade', 'hook', 'allowed', 'dropped', 'taken', 'rest']);

/** A proposed change: a commit whose parent is always its own recorded base. */
export const candidate = z.object({
  number: z.number().int().positive(),
  commit: commitId,
  base: commitId,
  tree: treeId,
  source: candidateSource,
  subject: z.string(),
  report: z.string(),
  /** Under the world's folder. */
  inside: z.array(changedFile),
  /** Lock files of manifests inside, and what `[[scope]]` allows at the base. Part of the commit, listed apart. */
  companions: z.array(changedFile),
  /** Not part of the commit: kept in `outsideCommit` until a person lets them in or drops them. */
  outside: z.array(changedFile),
  outsideCommit: commitId.nullable(),
  /** Files that the agent wrote and that an ignore rule keeps out. */
  ignored: z.array(filePath),
  flags: z.array(candidateFlag),
});
export type Candidate = z.infer<typeof candidate>;

export function candidateFiles(c: Candidate): readonly ChangedFile[] {
  return [...c.inside, ...c.companions];
}

/** Lines added and removed over a list of files; binary files count as none. */
export function lineTotals(files: readonly ChangedFile[]): { added: number; removed: number } {
  return files.reduce((sum, f) => ({ added: sum.added + (f.lines?.added ?? 0), removed: sum.removed + (f.lines?.removed ?? 0) }), { added: 0, removed: 0 });
}
