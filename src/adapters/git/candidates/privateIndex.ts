import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { BlobId, CommitId, FilePath, TreeId } from '../../../core/ids.ts';
import type { CallOptions, GitCalls } from '../door/door.ts';
import { nulTerminated } from '../door/nulList.ts';
import { temporaryPrefix } from '../../temporaryFolders.ts';

/**
 * How an index of our own is read and written, whatever the person's config says. Each setting names a way in which
 * a change would stay out of a candidate without a word:
 * - sparseCheckout, index.sparse: files outside the person's cone would count as unchanged
 * - trustctime, checkStat: an edit with the old time and size would count as unchanged
 * - splitIndex, untrackedCache: the file would not stand alone
 * - safecrlf: a warning of git's would be an error in the middle of a snapshot
 */
const OWN_INDEX_CONFIG: readonly string[] = [
  'core.sparseCheckout=false',
  'core.sparseCheckoutCone=false',
  'index.sparse=false',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'core.safecrlf=false',
  'index.version=2',
];

/** Options of a call that works on an index of our own and writes nothing else but objects. */
export function onIndex(file: string, more: Partial<CallOptions> = {}): CallOptions {
  return { write: false, ...more, env: { ...more.env, GIT_INDEX_FILE: file }, config: [...OWN_INDEX_CONFIG, ...(more.config ?? [])] };
}

/** An index file outside every worktree that lives as long as `work`. The file does not exist yet; git makes it. */
export async function withPrivateIndex<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(temporaryPrefix('index'));
  try {
    return await work(path.join(folder, 'index'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One path of an index as it shall be; `entry` null takes it out. */
export interface IndexChange {
  readonly path: FilePath;
  readonly entry: { readonly mode: string; readonly object: BlobId | CommitId } | null;
}

/** Sets paths of an index without looking at any file. A file that a new path needs as its folder gives way. */
export async function setEntries(git: GitCalls, index: CallOptions, changes: readonly IndexChange[], nullObject: string): Promise<void> {
  if (changes.length === 0) return;
  // What goes, goes first: `a` must be out before `a/b` comes in.
  const ordered = [...changes.filter((c) => c.entry === null), ...changes.filter((c) => c.entry !== null)];
  const lines = ordered.map(({ path: name, entry }) => (entry ? `${entry.mode} ${entry.object}\t${name}` : `0 ${nullObject}\t${name}`));
  await git.run(['update-index', '-z', '--index-info'], { ...index, stdin: nulTerminated(lines) });
}

export async function writeTree(git: GitCalls, index: string): Promise<TreeId> {
  return (await git.run(['write-tree'], onIndex(index))).stdout.toString('utf8').trim() as TreeId;
}
