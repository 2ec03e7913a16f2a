// npm run test:oldest: the suite inside the oldest VS Code that package.json promises. The last line sums it up.
import { onProjectNode } from './projectNode.mjs';

if (await onProjectNode(import.meta.url)) {
  const { countExit, countLastLine, runSections, summaryLine } = await import('./sections.mjs');
  const total = await runSections([
    { name: 'build', minutes: 5, commands: [['node', 'esbuild.mjs', '--tests']], count: countExit },
    { name: 'oldest', minutes: 30, commands: [['node', 'test/editor/run.ts', '--oldest']], count: countLastLine },
  ]);
  console.log(summaryLine(total));
  process.exitCode = total.failed > 0 ? 1 : 0;
}
