// npm run demo: the whole path in a real VS Code on a copy of this project, each step printed, with screenshots.
// npm run demo -- /path/to/any/repository [folder]    on a copy of that one
import { execFileSync } from 'node:child_process';
import { onProjectNode } from './projectNode.mjs';

if (await onProjectNode(import.meta.url)) {
  execFileSync('node', ['esbuild.mjs'], { stdio: 'inherit' });
  await import('../test/walkthrough/demo.ts');
}
