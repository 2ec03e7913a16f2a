// Builds dist/extension.cjs (the extension) and, with --tests, the suite that runs inside the editor.
// `--check-core` only proves that `src/core` bundles for a platform that has neither Node nor VS Code.
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';
import { copySandbox, SANDBOX } from './scripts/copySandbox.mjs';

const production = process.argv.includes('--production');
const node = { bundle: true, platform: 'node', target: 'node22', format: 'cjs', sourcemap: production ? false : 'linked', minify: production, external: ['vscode', SANDBOX, `${SANDBOX}/*`], logLevel: 'warning' };

if (process.argv.includes('--check-core')) {
  const entryPoints = readdirSync('src/core', { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ts')).map((f) => `src/core/${f}`);
  await build({ entryPoints, bundle: true, platform: 'neutral', mainFields: ['module', 'main'], conditions: ['import'], format: 'esm', write: false, outdir: 'unused', logLevel: 'warning' });
  console.log(`core bundles for a neutral platform: ${entryPoints.length} files`);
} else {
  await build({ ...node, entryPoints: { extension: 'src/extension.ts' }, outdir: 'dist', outExtension: { '.js': '.cjs' } });
  await copySandbox('dist');
  if (process.argv.includes('--tests')) await build({ ...node, entryPoints: { index: 'test/editor/index.ts' }, outdir: 'out/editor', outExtension: { '.js': '.cjs' }, external: [...node.external, 'mocha'] });
}
