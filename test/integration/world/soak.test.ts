import { expect, it } from 'vitest';
import { soak } from '../../soak/soak.ts';

/** The long one is `npm run soak`; this one shows that it would find something. */
it('many agents, a person at work with git and a window that is killed leave the line, the checkout and the disk as they must be (A5, C2, C4, D14, D20, D21)', async () => {
  const { wrong, kills, accepted } = await soak({ seed: 11, worktrees: 24, atOnce: 4, minutes: 5, clicksBetweenKills: [14, 20], say: () => undefined });
  expect(wrong).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(2);
  expect(accepted).toBeGreaterThanOrEqual(8);
}, 300_000);
