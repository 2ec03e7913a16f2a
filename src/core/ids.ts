import { z } from 'zod';

/**
 * Names of things, branded so that a tree cannot be passed for a commit, nor a file for a folder.
 * Each has a schema (for what comes from disk, git or a model) beside its type.
 */
declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** `e12-k3f9`: a number that people read, and a tag of the ledger it was given in, so that the ids of two clones never collide. */
export type EpisodeId = Branded<string, 'EpisodeId'>;
/** A commit's full object name, 40 or 64 hexadecimal digits. */
export type CommitId = Branded<string, 'CommitId'>;
export type TreeId = Branded<string, 'TreeId'>;
export type BlobId = Branded<string, 'BlobId'>;
/** A folder relative to the repository's root, POSIX separators, no leading or trailing slash; the root is the empty string. */
export type FolderPath = Branded<string, 'FolderPath'>;
/** A file relative to the repository's root, POSIX separators. */
export type FilePath = Branded<string, 'FilePath'>;
/** A full ref name: `refs/heads/main`. */
export type RefName = Branded<string, 'RefName'>;
/** An absolute path of this machine, in its own separators. */
export type AbsolutePath = Branded<string, 'AbsolutePath'>;
/** One accept or undo of a candidate, unique within a ledger. */
export type MoveId = Branded<string, 'MoveId'>;
/** A tool call as its model named it; made up by us where the model gave none. */
export type CallId = Branded<string, 'CallId'>;

const branded = <T extends string>(schema: z.ZodType<string>) => schema as unknown as z.ZodType<T>;
const objectName = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'a full object name');
const repositoryPath = z.string().refine((p) => isRepositoryPath(p), 'a repository-relative path with forward slashes');

export const episodeId = branded<EpisodeId>(z.string().regex(/^e[1-9][0-9]*-[a-z0-9]{4}$/));
export const commitId = branded<CommitId>(objectName);
export const treeId = branded<TreeId>(objectName);
export const blobId = branded<BlobId>(objectName);
export const folderPath = branded<FolderPath>(z.union([z.literal(''), repositoryPath]));
export const filePath = branded<FilePath>(repositoryPath);
export const refName = branded<RefName>(z.string().startsWith('refs/'));
export const absolutePath = branded<AbsolutePath>(z.string().min(1));
export const moveId = branded<MoveId>(z.string().min(1));
export const callId = branded<CallId>(z.string().min(1));

/** The part of an episode's id that people see: `e12`. */
export function shortEpisode(id: EpisodeId): string {
  return id.slice(0, id.indexOf('-'));
}

/** The first seven digits, as git and VS Code show a commit. */
export function shortCommit(id: CommitId): string {
  return id.slice(0, 7);
}

/** Git allows almost any byte in a name; what no path of ours may have is an empty, `.` or `..` component, or a NUL. */
function isRepositoryPath(path: string): boolean {
  return path !== '' && !path.includes('\0') && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
