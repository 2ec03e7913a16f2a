import type { CommitId, RefName } from '../../../core/ids.ts';
import type { RemoteRef } from '../../../runtime/ports/remotes.ts';
import type { CallOptions, GitDoor } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';

/** Objects only: no FETCH_HEAD, no tags, no remote-tracking branch, nothing pruned or collected, whatever the person's config says. */
const ONLY_OBJECTS = ['--no-write-fetch-head', '--no-tags', '--no-prune', '--no-auto-gc', '--no-recurse-submodules', '--no-progress', '--refmap='] as const;

type Wanted = RemoteRef & { readonly old: CommitId | null };

/**
 * Brings the objects, then writes the refs itself: git's own fetch moves a ref outside of branches and tags anywhere,
 * also back, and a remote must be able to do no more than add to a history.
 */
export async function fetchRefs(door: GitDoor, remote: string, wanted: readonly Wanted[], options: CallOptions): Promise<{ ref: RefName; words: string }[]> {
  if (wanted.length === 0) return [];
  await door.run(['fetch', ...ONLY_OBJECTS, '--stdin', remote], { ...options, stdin: `${wanted.map(({ ref }) => ref).join('\n')}\n`, config: ['fetch.writeCommitGraph=false', 'maintenance.auto=false'] });
  const left: { ref: RefName; words: string }[] = [];
  for (const { ref, commit, old } of wanted) {
    const words = await whyNot(door, commit, old);
    if (words === null) await door.run(['update-ref', '--no-deref', ref, commit, old ?? '0'.repeat(commit.length)], { write: true }).catch((error: unknown) => left.push({ ref, words: saidBy(error) }));
    else left.push({ ref, words });
  }
  return left;
}

async function whyNot(door: GitDoor, commit: CommitId, old: CommitId | null): Promise<string | null> {
  // The remote may have moved the ref since it was asked, or name something that is no commit.
  const type = await door.run(['cat-file', '-t', commit], { write: false, allowExit: [1, 128] });
  if (type.stdout.toString('utf8').trim() !== 'commit') return 'it is no commit, or moved while it was fetched';
  if (old === null) return null;
  const forward = await door.run(['merge-base', '--is-ancestor', old, commit], { write: false, allowExit: [1] });
  return forward.exitCode === 0 ? null : 'it went another way in the other clone';
}

function saidBy(error: unknown): string {
  if (error instanceof GitFailure && error.kind === 'ref-moved') return 'it moved here meanwhile';
  return error instanceof Error ? error.message : String(error);
}
