// npm run soak: hundreds of worktrees, a person at work with git, and kills of the window; then a look at what is left.
// npm run soak -- --seed 7 --worktrees 300 --at-once 16 --minutes 30
import { onProjectNode } from './projectNode.mjs';

if (await onProjectNode(import.meta.url)) await import('../test/soak/run.ts');
