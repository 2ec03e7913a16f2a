import { open } from 'node:fs/promises';
import path from 'node:path';
import { filePath } from '../../../core/ids.ts';
import type { FilePath } from '../../../core/ids.ts';
import type { GitDoor } from '../door/door.ts';
import { fields } from '../door/nulList.ts';
import type { WorktreeAccess } from './worktreeAccess.ts';

const POINTER = 'version https://git-lfs.github.com/spec/';

/** Settings that switch every configured filter off, so that files come as they are stored. */
export async function filtersOff(door: GitDoor): Promise<readonly string[]> {
  const answer = await door.run(['config', '-z', '--name-only', '--get-regexp', '^filter\\..*\\.(smudge|clean|process|required)$'], { write: false, allowExit: [1] });
  const filters = new Set(answer.stdout.toString('utf8').split('\0').filter((name) => name !== '').map((name) => name.slice(0, name.lastIndexOf('.'))));
  return [...filters].flatMap((filter) => [`${filter}.process=`, `${filter}.smudge=`, `${filter}.clean=`, `${filter}.required=false`]);
}

/** Files of a worktree that some filter would have changed at the checkout. */
export async function filteredFiles(door: GitDoor, access: WorktreeAccess): Promise<readonly FilePath[]> {
  const { stdout: files } = await door.run(['ls-files', '-z'], { ...access, write: false });
  const told = fields((await door.run(['check-attr', '-z', '--stdin', 'filter'], { ...access, write: false, stdin: files })).stdout);
  // Path, attribute, value; then the next path.
  return told.flatMap((value, i) => (i % 3 === 2 && value !== 'unspecified' && value !== 'unset' ? [filePath.parse(told[i - 2])] : []));
}

/** Files of a worktree that hold a Git LFS pointer instead of their content. */
export async function lfsPointers(door: GitDoor, access: WorktreeAccess): Promise<readonly FilePath[]> {
  const files = fields((await door.run(['ls-files', '-z', '--', ':(attr:filter=lfs)'], { ...access, write: false })).stdout).map((name) => filePath.parse(name));
  const pointers: FilePath[] = [];
  for (const file of files) if (await startsWith(path.join(access.workTree, file), POINTER)) pointers.push(file);
  return pointers;
}

async function startsWith(file: string, text: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(text.length), 0, text.length, 0);
    return buffer.subarray(0, bytesRead).toString('latin1') === text;
  } finally {
    await handle.close();
  }
}
