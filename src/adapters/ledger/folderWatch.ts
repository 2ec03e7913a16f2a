import { statSync, watch, type FSWatcher } from 'node:fs';

/**
 * Calls back when something may have changed in a folder: at once where the system tells, and every `pollMs` in any
 * case, since watches are lost on network disks, in containers and when the system's number of watches is used up.
 * The folder need not exist yet.
 */
export function watchFolder(folder: string, pollMs: number, changed: () => void): { dispose(): void } {
  let listening: { readonly watcher: FSWatcher; readonly inode: number } | undefined;
  const forget = (): void => {
    listening?.watcher.close();
    listening = undefined;
  };
  const listen = (): void => {
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
    // A folder that was removed and made again keeps an old watch silent.
    if (listening && listening.inode !== inode) forget();
    if (listening || inode === undefined) return;
    try {
      const watcher = watch(folder, { persistent: false }, changed);
      watcher.on('error', forget);
      listening = { watcher, inode };
    } catch {
      forget();
    }
  };
  const timer = setInterval(() => { listen(); changed(); }, pollMs);
  timer.unref();
  listen();
  return { dispose: () => { clearInterval(timer); forget(); } };
}
