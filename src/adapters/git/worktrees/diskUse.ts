import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { episodeId, type EpisodeId } from '../../../core/ids.ts';
import type { DiskUse } from '../../../core/limits/diskBudget.ts';

/** Bytes on disk below the folder for worktrees. `home` is the folder in it that is this repository's. */
export async function diskUse(root: string, home: string, signal: AbortSignal): Promise<DiskUse> {
  const byEpisode = new Map<EpisodeId, number>();
  let total = 0;
  for (const repository of await namesIn(root)) {
    for (const name of await namesIn(path.join(root, repository))) {
      const bytes = await bytesBelow(path.join(root, repository, name), signal);
      total += bytes;
      const episode = episodeId.safeParse(name);
      if (path.join(root, repository) === home && episode.success) byEpisode.set(episode.data, bytes);
    }
  }
  return { total, byEpisode };
}

/** One file after the other: nobody waits for the sum. Links count as what they are, and a file with several names (a package store's) by its share. */
async function bytesBelow(at: string, signal: AbortSignal): Promise<number> {
  const pending = [at];
  let bytes = 0;
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    signal.throwIfAborted();
    const found = await lstat(file).catch(() => null);
    if (found === null) continue;
    bytes += (found.blocks * 512) / (found.isDirectory() ? 1 : found.nlink);
    if (found.isDirectory()) for (const name of await namesIn(file)) pending.push(path.join(file, name));
  }
  return bytes;
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
