import { homedir } from 'node:os';
import path from 'node:path';
import { absolutePath, type AbsolutePath } from '../core/ids.ts';

/** Where this machine keeps what can be made again: short, since paths of a repository come below it. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env, platform: string = process.platform): AbsolutePath {
  switch (platform) {
    case 'darwin': return absolutePath.parse(path.join(homedir(), 'Library', 'Caches', 'worldtree'));
    case 'win32': return absolutePath.parse(path.join(environment['LOCALAPPDATA'] ?? path.join(homedir(), 'AppData', 'Local'), 'worldtree'));
    default: return absolutePath.parse(path.join(environment['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'worldtree'));
  }
}
