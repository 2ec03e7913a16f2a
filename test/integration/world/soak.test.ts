import { utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { leftovers } from '../../soak/leftovers.ts';
import { differences, standing } from '../../soak/line.ts';
import { soak } from '../../soak/soak.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';

/** The long one is `npm run soak`. Its minutes stay below the time-out, so that what it found is told. */
it('many agents, a person at work with git and a window that is killed leave the line, the checkout and the disk as they must be (A5, C2, C4, D14, D20, D21)', async () => {
  const { wrong, kills, accepted } = await soak({ seed: 11, worktrees: 24, atOnce: 4, minutes: 3, clicksBetweenKills: [14, 20], say: () => undefined });
  expect(wrong).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(2);
  expect(accepted).toBeGreaterThanOrEqual(8);
}, 300_000);

it('finds a file that is not as accepted, one that was touched, and what is left in refs and folders', async () => {
  const onLine = { '.gitignore': '.env\nbuild/\n', 'api.ts': 'accepted\n', 'web.ts': 'the person’s\n' };
  const repository = makeTemporaryRepository(onLine);
  const storage = makeTemporaryFolder('soak-storage');
  const temporary = makeTemporaryFolder('soak-temporary');
  onTestFinished(() => { repository.remove(); removeFolder(storage); removeFolder(temporary); });
  repository.write({ 'thoughts.txt': 'mine\n', '.env': 'KEY=1\n', 'build/out.txt': 'built\n' });
  const before = standing(repository.folder);
  const line = { checkout: repository.folder, before, rows: [], files: new Map(Object.entries(onLine)), subjects: new Set<string>() };
  const left = () => leftovers({ checkout: repository.folder, storage, temporary, folders: [], rows: [] });
  expect([differences(line), await left()]).toEqual([[], []]);

  expect(differences({ ...line, files: new Map(Object.entries({ ...onLine, 'api.ts': 'something else\n', 'gone.ts': '' })) })).toEqual([expect.stringContaining('api.ts is not what was accepted'), 'the line lacks gone.ts']);
  expect(differences({ ...line, subjects: new Set(['Work of today']) })).toEqual(['"Work of today" stands 0 times on the line']);
  utimesSync(path.join(repository.folder, 'web.ts'), 1, 1);
  expect(differences(line)).toEqual(['web.ts was touched although no commit changed it']);

  repository.git('update-ref', 'refs/worldtree/scratch/merged', 'HEAD');
  repository.write({ '.git/worldtree/moves/one/locks': '' });
  expect(await left()).toEqual(['left in moves: one', 'left in moves: one/locks', 'left ref: refs/worldtree/scratch/merged']);
});
