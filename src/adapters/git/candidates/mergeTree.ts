import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { absolutePath, commitId, treeId } from '../../../core/ids.ts';
import type { CommitId, FilePath, TreeId } from '../../../core/ids.ts';
import { chainTo, fileIn, parentFolder } from '../../../core/paths.ts';
import type { MergeResult } from '../../../runtime/ports/candidates.ts';
import type { GitCalls, GitPlace } from '../door/door.ts';
import { fields } from '../door/nulList.ts';
import type { GitRepository } from '../reading/repository.ts';
import { temporaryPrefix } from '../../temporaryFolders.ts';

/** Git, and where its repository is. */
export type MergeCalls = GitCalls & { readonly place: GitPlace };

/**
 * Three-way merge from a base that is given: git 2.39 can only search one, so the three trees are put into commits
 * that say so. A person's config must not bend what an accept brings, so what decides is set here.
 */
export async function mergeTrees(git: MergeCalls, reading: Pick<GitRepository, 'treeOf' | 'read'>, base: CommitId | TreeId, ours: CommitId | TreeId, theirs: CommitId | TreeId): Promise<MergeResult> {
  const folder = await mkdtemp(temporaryPrefix('merge'));
  try {
    const workTree = path.join(folder, 'files');
    const [[left, right]] = await Promise.all([
      Promise.all([base, ours, theirs].map((of) => reading.treeOf(of))).then((trees) => dummyCommits(git, trees, folder)),
      writeAttributes(git, reading, { base, ours, theirs }, workTree),
    ]);
    const { stdout, exitCode } = await git.run(
      ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', left, right],
      { write: false, gitDir: git.place.commonDir, workTree: absolutePath.parse(workTree), config: ['merge.renames=true', 'merge.directoryRenames=conflict', 'merge.renormalize=false', 'merge.conflictStyle=merge'], allowExit: [1] },
    );
    const [tree = '', ...names] = fields(stdout);
    if (exitCode === 0) return { kind: 'clean', tree: treeId.parse(tree) };
    return { kind: 'conflict', files: [...new Set(names.filter((name) => name !== ''))] as FilePath[] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Two commits on one parent, written by one process: what the parent will be called is known before git says so. The
 * same trees give the same commits, so that a merge that is asked for again leaves no further objects behind.
 */
async function dummyCommits(git: MergeCalls, [base, ours, theirs]: readonly TreeId[], folder: string): Promise<readonly [CommitId, CommitId]> {
  if (base === undefined || ours === undefined || theirs === undefined) throw new Error('a merge is of three trees');
  const root = commitText(base, null);
  const texts = [root, commitText(ours, commitName(root, base)), commitText(theirs, commitName(root, base))];
  const files = texts.map((_, i) => path.join(folder, `commit${i}`));
  await Promise.all(files.map((file, i) => writeFile(file, texts[i] ?? '')));
  const { stdout } = await git.run(['hash-object', '-t', 'commit', '-w', '--no-filters', '--stdin-paths'], { write: false, stdin: files.map((file) => `${file}\n`).join('') });
  const [, left, right] = stdout.toString('utf8').trim().split('\n').map((name) => commitId.parse(name));
  if (left === undefined || right === undefined) throw new Error('git hash-object answered less than it was asked');
  return [left, right];
}

function commitText(tree: TreeId, parent: string | null): string {
  const nobody = 'Worldtree <worldtree@localhost> 0 +0000';
  return `tree ${tree}\n${parent === null ? '' : `parent ${parent}\n`}author ${nobody}\ncommitter ${nobody}\n\nmerge\n`;
}

/** What git calls a commit of this text, in the repository of this tree: SHA-1, or SHA-256 where names are longer. */
function commitName(text: string, tree: TreeId): string {
  return createHash(tree.length === 40 ? 'sha1' : 'sha256').update(`commit ${Buffer.byteLength(text)}\0${text}`).digest('hex');
}

/**
 * The line's own `.gitattributes`, as far as they bear on what is merged. Git 2.39 reads attributes from files only, and
 * without them `merge=union` or `-merge` (lock files) would be merged as plain text.
 */
async function writeAttributes(git: MergeCalls, reading: Pick<GitRepository, 'read'>, sides: { readonly base: CommitId | TreeId; readonly ours: CommitId | TreeId; readonly theirs: CommitId | TreeId }, workTree: string): Promise<void> {
  await mkdir(workTree);
  const { stdout } = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', sides.base, sides.theirs], { write: false });
  const folders = new Set(fields(stdout).flatMap((file) => chainTo(parentFolder(file as FilePath))));
  for (const folder of folders) {
    const name = fileIn(folder, '.gitattributes');
    const bytes = await reading.read(sides.ours, name);
    if (bytes === null) continue;
    await mkdir(path.dirname(path.join(workTree, name)), { recursive: true });
    await writeFile(path.join(workTree, name), bytes);
  }
}
