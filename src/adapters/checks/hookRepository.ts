import { constants, copyFile, mkdir, mkdtemp, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BlobId, CommitId, FilePath, TreeId } from '../../core/ids.ts';
import { onIndex, setEntries, withPrivateIndex, writeTree, type IndexChange } from '../git/candidates/privateIndex.ts';
import type { GitDoor } from '../git/door/door.ts';
import { fields } from '../git/door/nulList.ts';

/**
 * A git folder that commit hooks may do with what they like: they stage, stash and commit in it, and read the repository's
 * history and config through it. The repository's own is locked to them, and nothing of what they leave here is believed.
 */
export interface HookRepository {
  readonly gitDir: string;
  readonly messageFile: string;
}

/** Below `folder`, which must hold nothing that a command left. `index` holds what is to be committed on top of `tip`. */
export async function makeHookRepository(git: GitDoor, folder: string, commit: { readonly tip: CommitId; readonly index: string; readonly message: string }): Promise<HookRepository> {
  const { commonDir } = git.place;
  const gitDir = await mkdtemp(path.join(folder, 'hooks-'));
  const [refs, format] = await Promise.all([
    git.run(['for-each-ref', '--format=%(objectname) %(refname)'], { write: false }),
    git.run(['rev-parse', '--show-object-format'], { write: false }),
  ]);
  await Promise.all(['objects/info', 'objects/pack', 'refs', 'info'].map((name) => mkdir(path.join(gitDir, name), { recursive: true })));
  const objectFormat = format.stdout.toString('utf8').trim();
  const messageFile = path.join(gitDir, 'COMMIT_EDITMSG');
  await Promise.all([
    writeFile(path.join(gitDir, 'config'), `[core]\n\trepositoryformatversion = ${objectFormat === 'sha1' ? 0 : 1}\n${objectFormat === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${objectFormat}\n`}[include]\n\tpath = ${JSON.stringify(path.join(commonDir, 'config'))}\n[core]\n\tbare = false\n[gc]\n\tauto = 0\n`),
    writeFile(path.join(gitDir, 'HEAD'), `${commit.tip}\n`),
    writeFile(path.join(gitDir, 'packed-refs'), refs.stdout),
    writeFile(path.join(gitDir, 'objects/info/alternates'), `${path.join(commonDir, 'objects')}\n`),
    copyFile(commit.index, path.join(gitDir, 'index')),
    copyFile(path.join(commonDir, 'info/exclude'), path.join(gitDir, 'info/exclude')).catch(() => undefined),
    copyFile(path.join(commonDir, 'shallow'), path.join(gitDir, 'shallow')).catch(() => undefined),
    writeFile(messageFile, commit.message),
  ]);
  return { gitDir, messageFile };
}

/** The message as the hook left it. A link in its place would be followed to a file that the hook itself may not read. */
export async function messageOf({ messageFile }: HookRepository): Promise<string> {
  const file = await open(messageFile, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('the hook left no message');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** What the hook left staged, as a tree of the repository. Each file comes by its content, so that none is what it does not hash to. */
export async function stagedTree(git: GitDoor, repository: HookRepository, before: TreeId): Promise<TreeId> {
  const through = { env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(repository.gitDir, 'objects') } };
  const { stdout } = await git.run(['diff-index', '--cached', '-r', '-z', '--raw', '--no-renames', '--full-index', '--no-ext-diff', before], onIndex(path.join(repository.gitDir, 'index'), through));
  const raw = fields(stdout);
  const changes: IndexChange[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [, mode, , object, status] = (raw[i] ?? '').split(' ');
    const name = raw[i + 1] as FilePath;
    if (mode === undefined || object === undefined || status === 'D') changes.push({ path: name, entry: null });
    else changes.push({ path: name, entry: { mode, object: mode === '160000' ? object as CommitId : await bring(git, object, through) } });
  }
  if (changes.length === 0) return before;
  return withPrivateIndex(async (index) => {
    await git.run(['read-tree', before], onIndex(index));
    await setEntries(git, onIndex(index), changes, '0'.repeat(before.length));
    return writeTree(git, index);
  });
}

async function bring(git: GitDoor, blob: string, through: { readonly env: Readonly<Record<string, string>> }): Promise<BlobId> {
  const { stdout } = await git.run(['cat-file', 'blob', blob], { write: false, ...through });
  return (await git.run(['hash-object', '-w', '--stdin', '--no-filters'], { write: false, stdin: stdout })).stdout.toString('utf8').trim() as BlobId;
}
