import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

/**
 * Many worktrees, verdicts, a person at work with git, and kills of the window, on a repository of its own.
 *
 *   npm run soak [-- --seed 7 --worktrees 300 --at-once 16 --minutes 30]
 */
const { values } = parseArgs({ options: { seed: { type: 'string' }, worktrees: { type: 'string', default: '300' }, 'at-once': { type: 'string', default: '16' }, minutes: { type: 'string', default: '60' } } });
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const began = performance.now();
const say = (words: string): void => console.log(`${String(Math.round((performance.now() - began) / 1000)).padStart(5)} s  ${words}`);

say(`seed ${seed}: ${values.worktrees} worktrees, ${values['at-once']} at once; again with --seed ${seed}`);
const { wrong, kills, accepted } = await soak({ seed, worktrees: Number(values.worktrees), atOnce: Number(values['at-once']), minutes: Number(values.minutes), clicksBetweenKills: [8, 30], say });
for (const words of wrong) console.log(`  ✗ ${words}`);
say(wrong.length === 0 ? `all holds after ${kills} kills and ${accepted} accepted changes` : `${wrong.length} things are wrong (seed ${seed})`);
process.exitCode = wrong.length === 0 ? 0 : 1;
