import { blobId, commitId, filePath, folderPath, refName, treeId } from '../../../core/ids.ts';
import type { AbsolutePath, BlobId, CommitId, FilePath, FolderPath, RefName, TreeId } from '../../../core/ids.ts';
import type { ChangedFile } from '../../../core/candidate/candidate.ts';
import { Refused } from '../../../core/refusal.ts';
import type { Head, Repository, TreeEntry } from '../../../runtime/ports/repository.ts';
import type { GitDoor } from '../door/door.ts';
import { filtersOff } from '../worktrees/filters.ts';
import { GitFailure, failureKind } from '../door/failure.ts';
import type { HistoryCommit } from '../../../core/candidate/retention.ts';
import { registrationOf } from './checkouts.ts';
import { historySince, samePatch } from './history.ts';
import { HARNESS_IDENTITY } from './identity.ts';
import { ObjectReader } from './objectReader.ts';
import { STATUS_ARGUMENTS, parseStatus } from './status.ts';
import type { Status } from './status.ts';
import { TREE_DIFF_ARGUMENTS, parseTreeDiff } from './treeDiff.ts';

/** One repository, read through its door. `close` ends the process that reads objects. */
export class GitRepository implements Repository {
  readonly #door: GitDoor;
  readonly #objects: ObjectReader;
  #partial: Promise<boolean> | null = null;

  constructor(door: GitDoor) {
    this.#door = door;
    this.#objects = new ObjectReader(door);
  }

  readonly platform = process.platform;

  get checkout(): AbsolutePath {
    return this.#door.place.checkout;
  }

  get commonDir(): AbsolutePath {
    return this.#door.place.commonDir;
  }

  close(): Promise<void> {
    return this.#objects.close();
  }

  async head(checkout = this.checkout): Promise<Head> {
    const gitDir = await this.#gitDirOf(checkout);
    const symbolic = await this.#door.run(['symbolic-ref', '-q', 'HEAD'], { write: false, gitDir, allowExit: [1] });
    if (symbolic.exitCode === 0) {
      const ref = refName.parse(line(symbolic.stdout));
      const commit = await this.resolve(ref);
      return commit === null ? { kind: 'unborn', ref } : { kind: 'branch', ref, commit };
    }
    const commit = await this.#resolve('HEAD', gitDir);
    if (commit === null) throw new GitFailure('unknown-revision', { args: ['rev-parse'], stderr: 'HEAD is detached and points to no commit' });
    return { kind: 'detached', commit };
  }

  async uncommitted(checkout = this.checkout): Promise<{ readonly files: readonly FilePath[]; readonly nestedRepositories: readonly FolderPath[] }> {
    const { tracked, untracked, nestedRepositories } = await this.#status(checkout);
    return { files: [...tracked, ...untracked], nestedRepositories };
  }

  async submodules(commit: CommitId): Promise<readonly FolderPath[]> {
    const answer = await this.#door.run(['ls-tree', '-r', '-z', '--full-tree', commit], { write: false });
    return records(answer.stdout).filter((entry) => entry.startsWith('160000 ')).map((entry) => folderPath.parse(entry.slice(entry.indexOf('\t') + 1)));
  }

  resolve(ref: string): Promise<CommitId | null> {
    return this.#resolve(ref, this.#door.place.gitDir);
  }

  async #resolve(ref: string, gitDir: AbsolutePath): Promise<CommitId | null> {
    const answer = await this.#door.run(['rev-parse', '--verify', '-q', '--end-of-options', `${ref}^{commit}`], { write: false, gitDir, allowExit: [1, 128] });
    if (answer.exitCode === 0) return commitId.parse(line(answer.stdout));
    const kind = failureKind(answer.stderr);
    // A repository that cannot be read must not pass for a branch that is not there.
    if (answer.exitCode === 128 && kind !== 'unknown-revision' && kind !== 'missing-object') throw new GitFailure(kind, { args: ['rev-parse', ref], exitCode: 128, stderr: answer.stderr });
    return null;
  }

  async treeOf(commit: CommitId | TreeId): Promise<TreeId> {
    const info = await this.#objects.info(`${commit}^{tree}`);
    if (info === null) throw unknown(`${commit}^{tree}`);
    return treeId.parse(info.id);
  }

  async isAncestor(ancestor: CommitId, of: CommitId): Promise<boolean> {
    const answer = await this.#door.run(['merge-base', '--is-ancestor', ancestor, of], { write: false, allowExit: [1] });
    return answer.exitCode === 0;
  }

  async commitsBetween(from: CommitId, to: CommitId): Promise<number> {
    return Number(await this.#door.text(['rev-list', '--count', `${from}..${to}`]));
  }

  async hasMerges(commit: CommitId): Promise<boolean> {
    const parents = await this.#door.text(['rev-list', '--first-parent', '--max-count=200', '--parents', commit]);
    return parents.split('\n').some((entry) => entry.split(' ').length > 2);
  }

  historySince(commit: CommitId, tip: CommitId): Promise<readonly HistoryCommit[]> {
    return historySince(this.#door, commit, tip);
  }

  samePatch(commit: CommitId, paths: readonly FilePath[], among: readonly CommitId[]): Promise<CommitId | null> {
    return samePatch(this.#door, commit, paths, among);
  }

  async list(tree: CommitId | TreeId, folder: FolderPath): Promise<readonly TreeEntry[]> {
    const at = await this.#locate(tree, folder);
    if (at === null) {
      if ((await this.#objects.info(tree)) === null) throw unknown(tree);
      return [];
    }
    if (at.type !== 'tree') return [];
    // In a partial clone each size would be fetched, one by one.
    const sizes = (await this.#isPartialClone()) ? [] : ['-l'];
    const answer = await this.#door.run(['ls-tree', '-r', ...sizes, '-z', '--full-tree', at.id], { write: false });
    const prefix = folder === '' ? '' : `${folder}/`;
    return records(answer.stdout).map((entry) => treeEntry(entry, prefix));
  }

  async read(tree: CommitId | TreeId, path: FilePath): Promise<Uint8Array | null> {
    const found = path.includes('\n') ? await this.#locate(tree, path) : { id: `${tree}:${path}` };
    const object = found === null ? null : await this.#objects.contents(found.id);
    if (object !== null) return object.type === 'blob' ? object.bytes : null;
    // Told apart, since "the file is not there" must not stand for "the commit is gone".
    if ((await this.#objects.info(tree)) === null) throw unknown(tree);
    return null;
  }

  async readBlob(blob: BlobId): Promise<Uint8Array> {
    const object = await this.#objects.contents(blob);
    if (object === null) throw new GitFailure('missing-object', { args: ['cat-file', blob], stderr: `missing blob object ${blob}` });
    return object.bytes;
  }

  async diff(from: CommitId | TreeId, to: CommitId | TreeId): Promise<readonly ChangedFile[]> {
    const answer = await this.#door.run([...TREE_DIFF_ARGUMENTS, from, to], { write: false });
    return parseTreeDiff(answer.stdout);
  }

  async setRef(ref: RefName, commit: CommitId): Promise<void> {
    assertOurs(ref);
    await this.#door.run(['update-ref', '--no-deref', ref, commit], { write: true });
  }

  async deleteRefs(prefix: string): Promise<void> {
    assertOurs(prefix);
    const refs = await this.listRefs(prefix);
    if (refs.length === 0) return;
    const input = refs.map(({ ref }) => `option no-deref\0delete ${ref}\0\0`).join('');
    await this.#door.run(['update-ref', '--stdin', '-z'], { write: true, stdin: input });
  }

  async listRefs(prefix: string): Promise<readonly { readonly ref: RefName; readonly commit: CommitId }[]> {
    assertOurs(prefix);
    const answer = await this.#door.run(['for-each-ref', '--format=%(objectname) %(refname)', prefix], { write: false });
    return answer.stdout.toString('utf8').split('\n').filter((entry) => entry !== '').map((entry) => {
      const space = entry.indexOf(' ');
      return { ref: refName.parse(entry.slice(space + 1)), commit: commitId.parse(entry.slice(0, space)) };
    });
  }

  async writeRecord(ref: RefName, files: Readonly<Record<string, string>>, message: string): Promise<CommitId> {
    assertOurs(ref);
    const entries: string[] = [];
    for (const [name, text] of Object.entries(files)) {
      if (name.includes('/')) throw new TypeError(`a record is flat: ${name}`);
      const blob = await this.#door.run(['hash-object', '-w', '--stdin'], { write: false, stdin: text });
      entries.push(`100644 blob ${line(blob.stdout)}\t${filePath.parse(name)}\0`);
    }
    const tree = await this.#door.run(['mktree', '-z'], { write: false, stdin: entries.join('') });
    // The earlier record is its parent: a newer one is a fast-forward for every clone that has the earlier one.
    const earlier = await this.resolve(ref);
    const commit = await this.#door.run(['commit-tree', '--no-gpg-sign', ...(earlier === null ? [] : ['-p', earlier]), '-F', '-', line(tree.stdout)], { write: false, stdin: message, env: HARNESS_IDENTITY, config: ['i18n.commitEncoding=UTF-8'] });
    const id = commitId.parse(line(commit.stdout));
    await this.setRef(ref, id);
    return id;
  }

  #isPartialClone(): Promise<boolean> {
    this.#partial ??= this.#door.run(['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$'], { write: false, allowExit: [1] }).then((answer) => answer.exitCode === 0);
    return this.#partial;
  }

  /** Optional locks are off: the person's index is not refreshed on disk (rule 2). */
  async #status(checkout: AbsolutePath): Promise<Status> {
    const options = { write: false, gitDir: await this.#gitDirOf(checkout), workTree: checkout } as const;
    const answer = await this.#door.run(STATUS_ARGUMENTS, options).catch(async (error: unknown) => {
      if (!(error instanceof GitFailure) || error.kind !== 'filter-missing') throw error;
      // What the filter's program would say is not known without it; too many names are better than none at all.
      return this.#door.run(STATUS_ARGUMENTS, { ...options, config: await filtersOff(this.#door) });
    });
    return parseStatus(answer.stdout);
  }

  /** A checkout's own git folder: HEAD and index are there. What is no linked worktree is the main one. */
  async #gitDirOf(checkout: AbsolutePath): Promise<AbsolutePath> {
    const { place } = this.#door;
    return checkout === place.checkout ? place.gitDir : (await registrationOf(place, checkout))?.gitDir ?? place.commonDir;
  }

  /** What stands at a path of a tree; null where nothing does. */
  async #locate(tree: CommitId | TreeId, path: FilePath | FolderPath): Promise<{ readonly id: string; readonly type: string } | null> {
    if (!path.includes('\n')) return this.#objects.info(path === '' ? `${tree}^{tree}` : `${tree}:${path}`);
    // The reader's protocol is lines; as an argument a newline is a character like any other.
    const answer = await this.#door.run(['rev-parse', '--verify', '-q', `${tree}:${path}`], { write: false, allowExit: [1, 128] });
    return answer.exitCode === 0 ? this.#objects.info(line(answer.stdout)) : null;
  }
}

function assertOurs(ref: string): void {
  if (ref.startsWith('refs/worldtree/')) return;
  throw new Refused({ reason: 'git-failed', message: `${ref} is not one of Worldtree's own refs, so it is left alone.`, next: 'This is a mistake in Worldtree: please report it.' });
}

function unknown(name: string): GitFailure {
  return new GitFailure('unknown-revision', { args: ['cat-file', name], stderr: `Not a valid object name ${name}` });
}

function treeEntry(entry: string, prefix: string): TreeEntry {
  const tab = entry.indexOf('\t');
  const [mode = '', , blob = '', size = ''] = entry.slice(0, tab).split(/ +/);
  return { path: filePath.parse(prefix + entry.slice(tab + 1)), mode, blob: blobId.parse(blob), size: /^\d+$/.test(size) ? Number(size) : null };
}

function records(output: Buffer): string[] {
  return output.toString('utf8').split('\0').filter((entry) => entry !== '');
}

function line(output: Buffer): string {
  return output.toString('utf8').replace(/\r?\n$/, '');
}
