// npm run bench:git: the product's ways with git beside git's own, with the goal of each ratio.
// npm run bench:git -- /path/to/repository    on a clone of that one
import { onProjectNode } from './projectNode.mjs';

if (await onProjectNode(import.meta.url)) await import('../test/bench/gitBench.ts');
