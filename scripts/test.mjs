// npm test: everything, on the newest VS Code. The last line sums it up.
// npm test -- --only unit,editor            some sections
// npm test -- --only walkthrough survey     of a section that vitest runs, only the files whose path holds a word
import { parseArgs } from 'node:util';
import { onProjectNode } from './projectNode.mjs';

if (await onProjectNode(import.meta.url)) {
  const { countExit, countLastLine, countVitest, runSections, summaryLine } = await import('./sections.mjs');
  const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
  const vitest = (name, ...args) => {
    const report = `out/logs/${name}.json`;
    return { report, count: countVitest(report), commands: [['vitest', 'run', '--reporter=verbose', '--reporter=json', `--outputFile.json=${report}`, ...args, ...positionals]] };
  };
  const sections = [
    { name: 'typecheck', minutes: 10, commands: [['tsc', '--noEmit']], count: countExit },
    { name: 'lint', minutes: 10, commands: [['eslint', 'src', 'test']], count: countExit },
    { name: 'core', minutes: 5, commands: [['node', 'esbuild.mjs', '--check-core']], count: countExit },
    { name: 'build', minutes: 5, commands: [['node', 'esbuild.mjs', '--tests']], count: countExit },
    { name: 'unit', minutes: 40, ...vitest('unit', '--project=!walkthrough') },
    { name: 'editor', minutes: 30, commands: [['node', 'test/editor/run.ts']], count: countLastLine, needsBuild: true },
    { name: 'walkthrough', minutes: 60, ...vitest('walkthrough', '--project=walkthrough', '--no-file-parallelism'), needsBuild: true },
    // Last, because it leaves a production build behind.
    { name: 'package', minutes: 15, commands: [['node', 'scripts/package.mjs'], ['node', 'test/editor/run.ts', '--vsix', 'out/worldtree.vsix', '--only', 'activation']], count: countLastLine, needsBuild: true },
  ];
  const wanted = new Set(values.only?.split(',') ?? sections.map(({ name }) => name));
  const unknown = [...wanted].filter((name) => !sections.some((section) => section.name === name));
  if (unknown.length > 0) {
    console.error(`No section ${unknown.join(', ')}; there are ${sections.map(({ name }) => name).join(', ')}.`);
    process.exit(2);
  }
  if (sections.some(({ name, needsBuild }) => needsBuild === true && wanted.has(name))) wanted.add('build');
  const total = await runSections(sections.filter(({ name }) => wanted.has(name)));
  console.log(summaryLine(total));
  process.exitCode = total.failed > 0 ? 1 : 0;
}
