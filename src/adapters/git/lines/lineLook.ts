import { copyFile, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath, FilePath } from '../../../core/ids.ts';
import type { Refusal } from '../../../core/refusal.ts';
import type { CheckoutIndex } from './checkoutIndex.ts';
import { filesBelow, onDisk } from './diskEntry.ts';
import type { GitCalls } from '../door/door.ts';
import { sameEntry } from './lineChange.ts';
import type { LineChange } from './lineChange.ts';
import { fields, nulTerminated } from '../door/nulList.ts';
import { indexEntriesAt } from '../reading/treeEntries.ts';

/** Files are looked at side by side, but not all of a large change at once. */
const AT_ONCE = 64;

/**
 * What would be lost if the checkout followed the move; null where nothing would. `read-tree -m -u` alone is not
 * enough: it names one file only, brings back files that the person removed, and overwrites ignored files and folders
 * without a word.
 */
export async function lookForLosses(git: GitCalls, index: CheckoutIndex, changes: readonly LineChange[], unsaved: readonly AbsolutePath[]): Promise<Refusal | null> {
  // Exit code 1 says that some files differ, which is the question. Without it, a file that was only touched would count.
  await git.run(['update-index', '-q', '--refresh', '--ignore-submodules'], index.options({ allowExit: [1] }));
  const where = index.checkout.top;
  const dirty = await dirtyFiles(git, index, changes);
  if (dirty.length > 0) {
    return { reason: 'dirty-files', message: `${countOf(dirty, 'file has', 'files have')} uncommitted changes in ${where} and would be overwritten: ${some(dirty)}`, next: 'Commit or stash them, then accept again. Nothing was changed.', files: dirty };
  }
  const untracked = await untrackedFiles(git, index, changes);
  if (untracked.length > 0) {
    return { reason: 'untracked-files', message: `The change adds what exists in ${where} already without being under git: ${some(untracked)}`, next: 'Move or rename it, then accept again. Nothing was changed.', files: untracked };
  }
  const open = await unsavedFiles(where, changes, unsaved);
  if (open.length > 0) {
    return { reason: 'unsaved-files', message: `${countOf(open, 'file of the change is', 'files of the change are')} open in the editor with unsaved changes: ${some(open)}`, next: 'Save and compare, or discard what is unsaved, then accept again. Nothing was changed.', files: open };
  }
  return null;
}

/** Paths of the move whose index entry or file is not what the line has. */
async function dirtyFiles(git: GitCalls, index: CheckoutIndex, changes: readonly LineChange[]): Promise<FilePath[]> {
  const paths = changes.map((change) => change.path);
  const { entries, unmerged, skipped, assumed } = await indexEntriesAt(git, index.options(), paths);
  const touched = new Set<string>(paths);
  const { stdout } = await git.run(['diff-files', '-z', '--name-only', '--ignore-submodules=dirty'], index.options());
  const changedOnDisk = new Set(fields(stdout).filter((name) => touched.has(name)));
  const dirty = new Set(changes.filter((c) => unmerged.has(c.path) || changedOnDisk.has(c.path) || !sameEntry(entries.get(c.path), c.old)).map((c) => c.path));
  for (const name of await hiddenEdits(git, index, [...new Set([...skipped, ...assumed])])) dirty.add(name);
  // A file that the person added and that a new path needs as its folder.
  const blockers = [...new Set(changes.flatMap((c) => (c.old === null ? ancestorsOf(c.path) : [])))].filter((name) => !touched.has(name));
  for (const blocker of (await indexEntriesAt(git, index.options(), blockers)).entries.keys()) dirty.add(blocker);
  return [...dirty];
}

/** Edits at which git was told not to look; it would refuse at the first one, without a word about the others. */
async function hiddenEdits(git: GitCalls, index: CheckoutIndex, hidden: readonly FilePath[]): Promise<FilePath[]> {
  if (hidden.length === 0) return [];
  const open = `${index.file}-open`;
  await copyFile(index.file, open);
  try {
    const { env } = index.options();
    const options = { ...index.options(), env: { ...env, GIT_INDEX_FILE: open } };
    for (const bit of ['--no-assume-unchanged', '--no-skip-worktree']) await git.run(['update-index', '-z', bit, '--stdin'], { ...options, stdin: nulTerminated(hidden) });
    await git.run(['update-index', '-q', '--refresh', '--ignore-submodules'], { ...options, allowExit: [1] });
    const { stdout } = await git.run(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], options);
    const differs = new Set(fields(stdout));
    const there = await Promise.all(hidden.map(async (name) => differs.has(name) && (await onDisk(index.checkout.top, name)).kind === 'entry'));
    return hidden.filter((_, i) => there[i] === true);
  } finally {
    await rm(open, { force: true });
  }
}

/** What stands on disk at a path that the move adds, or at one of its folders, without being in the index. */
async function untrackedFiles(git: GitCalls, index: CheckoutIndex, changes: readonly LineChange[]): Promise<FilePath[]> {
  const { top } = index.checkout;
  const added = changes.filter((change) => change.old === null && change.new !== null);
  const fold = (await ignoresCase(git, index)) ? (name: string) => name.toLowerCase() : (name: string) => name;
  const leaving = new Set(changes.filter((change) => change.old !== null && change.new === null).map((change) => fold(change.path)));
  const found = new Set<FilePath>();
  for (let i = 0; i < added.length; i += AT_ONCE) {
    await Promise.all(added.slice(i, i + AT_ONCE).map(async ({ path: name }) => {
      const there = await onDisk(top, name);
      switch (there.kind) {
        case 'absent':
          return;
        case 'blocked':
          if (!leaving.has(fold(there.by))) found.add(there.by);
          return;
        case 'entry':
          // On a disk that ignores case, a file that is renamed in case only is found under its new name too.
          if (!leaving.has(fold(name))) found.add(name);
          return;
        case 'folder':
          for (const file of await filesBelow(top, name)) if (!leaving.has(fold(file))) found.add(file);
      }
    }));
  }
  return [...found];
}

async function unsavedFiles(top: AbsolutePath, changes: readonly LineChange[], unsaved: readonly AbsolutePath[]): Promise<FilePath[]> {
  if (unsaved.length === 0) return [];
  const root = await realpath(top);
  const open = new Set((await Promise.all(unsaved.map((file) => realFile(file)))).map(comparable));
  return changes.filter((change) => open.has(comparable(path.join(root, change.path))) || open.has(comparable(path.join(top, change.path)))).map((change) => change.path);
}

async function ignoresCase(git: GitCalls, index: CheckoutIndex): Promise<boolean> {
  const { stdout } = await git.run(['config', '--type=bool', '--get', 'core.ignoreCase'], { write: false, gitDir: index.checkout.gitDir, allowExit: [1] });
  return stdout.toString('utf8').trim() === 'true';
}

/** A file that is open but does not exist yet has a real folder. */
async function realFile(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(await realFile(folder), path.basename(file));
  }
}

function comparable(file: string): string {
  const normal = path.normalize(file);
  return process.platform === 'win32' || process.platform === 'darwin' ? normal.toLowerCase() : normal;
}

function ancestorsOf(name: FilePath): FilePath[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/') as FilePath);
}

function countOf(files: readonly string[], one: string, many: string): string {
  return `${files.length} ${files.length === 1 ? one : many}`;
}

function some(files: readonly string[]): string {
  return `${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`;
}
