import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath, CommitId, FilePath, TreeId } from '../../../core/ids.ts';
import { chainTo, fileIn, parentFolder } from '../../../core/paths.ts';
import type { MergeResult } from '../../../runtime/ports/candidates.ts';
import type { GitDoor } from '../door/door.ts';
import { HARNESS_IDENTITY } from '../reading/identity.ts';
import { fields } from '../door/nulList.ts';
import { entriesAt } from '../reading/treeEntries.ts';
import type { Entry } from '../reading/treeEntries.ts';
import { temporaryPrefix } from '../../temporaryFolders.ts';

/**
 * Three-way merge from a base that is given: git 2.39 can only search one, so the three trees are put into commits
 * that say so. A person's config must not bend what an accept brings, so what decides is set here.
 */
export async function mergeTrees(git: GitDoor, base: CommitId | TreeId, ours: CommitId, theirs: CommitId | TreeId): Promise<MergeResult> {
  const [root, attributes] = await Promise.all([dummyCommit(git, base, null), attributesFor(git, base, ours, theirs)]);
  const [left, right] = await Promise.all([dummyCommit(git, ours, root), dummyCommit(git, theirs, root)]);
  return inFolderWith(git, attributes, async (folder) => {
    const { stdout, exitCode } = await git.run(
      ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', left, right],
      { write: false, gitDir: git.place.commonDir, workTree: folder, config: ['merge.renames=true', 'merge.directoryRenames=conflict', 'merge.renormalize=false', 'merge.conflictStyle=merge'], allowExit: [1] },
    );
    const [tree = '', ...names] = fields(stdout);
    if (exitCode === 0) return { kind: 'clean', tree: tree as TreeId };
    return { kind: 'conflict', files: [...new Set(names.filter((name) => name !== ''))] as FilePath[] };
  });
}

/** The same trees give the same commits, so that a merge that is asked for again leaves no further objects behind. */
async function dummyCommit(git: GitDoor, tree: CommitId | TreeId, parent: CommitId | null): Promise<CommitId> {
  const { stdout } = await git.run(
    ['commit-tree', `${tree}^{tree}`, ...(parent === null ? [] : ['-p', parent])],
    { write: false, stdin: 'merge', env: { ...HARNESS_IDENTITY, GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' } },
  );
  return stdout.toString('utf8').trim() as CommitId;
}

/**
 * The line's own `.gitattributes`, as far as they bear on what is merged. Git 2.39 reads attributes from files only, and
 * without them `merge=union` or `-merge` (lock files) would be merged as plain text.
 */
async function attributesFor(git: GitDoor, base: CommitId | TreeId, ours: CommitId, theirs: CommitId | TreeId): Promise<ReadonlyMap<FilePath, Entry>> {
  const { stdout } = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, theirs], { write: false });
  const folders = new Set(fields(stdout).flatMap((file) => chainTo(parentFolder(file as FilePath))));
  return entriesAt(git, ours, [...folders].map((folder) => fileIn(folder, '.gitattributes')));
}

async function inFolderWith<T>(git: GitDoor, files: ReadonlyMap<FilePath, Entry>, work: (folder: AbsolutePath) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(temporaryPrefix('merge')) as AbsolutePath;
  try {
    for (const [name, { mode, object }] of files) {
      if (!mode.startsWith('100')) continue;
      const { stdout: bytes } = await git.run(['cat-file', 'blob', object], { write: false });
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), bytes);
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
