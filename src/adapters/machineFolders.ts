import { homedir } from 'node:os';
import path from 'node:path';
import { absolutePath, type AbsolutePath } from '../core/ids.ts';

/**
 * Where worktrees are made unless a setting says otherwise: short, since paths of a repository come below it, and
 * without a folder whose name begins with a dot. Web servers refuse to serve from below one, and test runners and
 * linters leave it out: a project's own tests failed in a worktree under `~/.cache`.
 */
export function worktreeRoot(environment: NodeJS.ProcessEnv = process.env, platform: string = process.platform): AbsolutePath {
  switch (platform) {
    case 'darwin': return absolutePath.parse(path.join(homedir(), 'Library', 'Caches', 'worldtree'));
    case 'win32': return absolutePath.parse(path.join(environment['LOCALAPPDATA'] ?? path.join(homedir(), 'AppData', 'Local'), 'worldtree'));
    default: return absolutePath.parse(path.join(homedir(), 'worldtree'));
  }
}
