import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { diskUse } from '../../../src/adapters/git/worktrees/diskUse.ts';
import { episodeId } from '../../../src/core/ids.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';

const MEGABYTE = 1024 * 1024;
let root = '';
afterEach(() => removeFolder(root));

function holds(place: string, bytes: number): void {
  mkdirSync(path.join(root, place), { recursive: true });
  writeFileSync(path.join(root, place, 'file'), Buffer.alloc(bytes, 1));
}

it('what goes with an episode’s worktree counts as its own; caches, which giving back would not free, count as nobody’s', async () => {
  root = makeTemporaryFolder('worktrees');
  holds('home/e1-abcd', MEGABYTE);
  holds('home/scratch/e1-abcd', 2 * MEGABYTE);
  holds('home/caches/npm', 64 * MEGABYTE);
  holds('home-checks/check', MEGABYTE);
  holds('home-checks/caches/check', 64 * MEGABYTE);
  const use = await diskUse(root, path.join(root, 'home'), new AbortController().signal);
  const megabytes = (bytes = 0): number => Math.floor(bytes / MEGABYTE);
  expect([megabytes(use.total), [...use.byEpisode.keys()], megabytes(use.byEpisode.get(episodeId.parse('e1-abcd')))]).toEqual([4, ['e1-abcd'], 3]);
});
