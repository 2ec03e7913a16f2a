import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { episodeId, type EpisodeId } from '../../../core/ids.ts';
import type { DiskUse } from '../../../core/limits/diskBudget.ts';

/** Bytes on disk below the folder for worktrees, but for caches. `home` is the folder in it that is this repository's. */
export async function diskUse(root: string, home: string, signal: AbortSignal): Promise<DiskUse> {
  const byEpisode = new Map<EpisodeId, number>();
  let total = 0;
  for (const repository of await namesIn(root)) {
    const folder = path.join(root, repository);
    for (const { name, at } of await worktreesIn(folder)) {
      const bytes = await bytesBelow(at, signal);
      total += bytes;
      const episode = episodeId.safeParse(name);
      if (folder === home && episode.success) byEpisode.set(episode.data, (byEpisode.get(episode.data) ?? 0) + bytes);
    }
  }
  return { total, byEpisode };
}

/** With what goes when they go. Caches of tools stay then: counted, they would cost each waiting change its worktree, and free nothing. */
async function worktreesIn(folder: string): Promise<readonly { readonly name: string; readonly at: string }[]> {
  const scratch = path.join(folder, 'scratch');
  const worktrees = (await namesIn(folder)).filter((name) => name !== 'caches' && name !== 'scratch');
  return [...worktrees.map((name) => ({ name, at: path.join(folder, name) })), ...(await namesIn(scratch)).map((name) => ({ name, at: path.join(scratch, name) }))];
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
