import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { filePath } from '../../core/ids.ts';
import type { Place } from './insideWorktree.ts';
import { isRealFolder, readExisting, replaceFile, type ExistingFile } from './replaceFile.ts';
import type { ToolCall } from './toolCall.ts';

/** As `readExisting`; a file that is not checked out is put on disk first, as a checkout would have, so that it can be changed there. */
export async function existingFile({ path: relative, absolute }: Place, call: ToolCall): Promise<ExistingFile | null> {
  const onDisk = await readExisting(absolute);
  if (call.committed === null) return onDisk;
  if (onDisk !== null) {
    // A command put it there, or a crash came before it was told: not told now, its removal later would be none.
    if (call.committed.kindOf(relative) === 'file') await call.committed.broughtIn(filePath.parse(relative));
    return onDisk;
  }
  for (let at = relative.lastIndexOf('/'); at > 0; at = relative.lastIndexOf('/', at - 1)) {
    if (call.committed.kindOf(relative.slice(0, at)) === 'file') throw new Error('a part of its path is a file, not a folder');
  }
  switch (call.committed.kindOf(relative)) {
    case null: case 'link': return null;
    case 'folder': throw new Error('it is a folder');
    case 'file': {
      const { bytes, executable } = await call.committed.asCheckedOut(relative);
      await mkdir(path.dirname(absolute), { recursive: true });
      if (!(await isRealFolder(path.dirname(absolute)))) throw new Error('a folder of its path is a link');
      await replaceFile(absolute, bytes, executable ? 'executable' : null);
      // Only now: a file that is said to be there and is not would count as deleted.
      await call.committed.broughtIn(filePath.parse(relative));
      return readExisting(absolute);
    }
  }
}
