import type { HistoryCommit } from '../../../core/candidate/retention.ts';
import { commitId, type CommitId, type FilePath } from '../../../core/ids.ts';
import type { GitCalls } from '../door/door.ts';
import { fields } from '../door/nulList.ts';

/** How far back a rewritten line is read. */
const MOST_COMMITS = 500;

/** A longer list of paths might not fit on a command line; then whole commits are compared. */
const MOST_PATHS = 200;

/** Commits that `tip` has and `commit` lacks, newest first. */
export async function historySince(git: GitCalls, commit: CommitId, tip: CommitId): Promise<readonly HistoryCommit[]> {
  const { stdout } = await git.run(['log', '-z', '--no-show-signature', '--no-notes', '--no-decorate', `--max-count=${MOST_COMMITS}`, '--format=%H%n%B', tip, '--not', commit], { write: false, priority: 'background' });
  return fields(stdout).filter((entry) => entry !== '').map((entry) => ({ commit: commitId.parse(entry.slice(0, entry.indexOf('\n'))), message: entry.slice(entry.indexOf('\n') + 1) }));
}

/** The first of some commits whose change of these paths is that of `commit`, whatever lines they have moved to. */
export async function samePatch(git: GitCalls, commit: CommitId, paths: readonly FilePath[], among: readonly CommitId[]): Promise<CommitId | null> {
  const only = paths.length > MOST_PATHS ? [] : ['--', ...paths.map((path) => `:(literal)${path}`)];
  const patches = await git.run(['diff-tree', '--stdin', '-p', '-r', '--root', '--no-renames', '--no-ext-diff', '--no-textconv', '--full-index', ...only], { write: false, priority: 'background', stdin: [commit, ...among].map((id) => `${id}\n`).join('') });
  const { stdout } = await git.run(['patch-id', '--stable'], { write: false, priority: 'background', stdin: patches.stdout });
  const ids = new Map(stdout.toString('utf8').split('\n').flatMap((entry) => {
    const [patch = '', of = ''] = entry.split(' ');
    return of === '' ? [] : [[of, patch] as const];
  }));
  const wanted = ids.get(commit);
  return wanted === undefined ? null : among.find((id) => ids.get(id) === wanted) ?? null;
}
