import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** The first executable of that name on a search path. Relative folders of the path are left out: they lead elsewhere in each worktree. */
export function findProgram(name: string, searchPath: string): string | null {
  const endings = process.platform === 'win32' ? (process.env['PATHEXT'] ?? '.EXE;.CMD;.BAT;.COM').split(';') : [''];
  for (const folder of searchPath.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const file = endings.map((ending) => path.join(folder, name + ending)).find(isProgram);
    if (file !== undefined) return file;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
