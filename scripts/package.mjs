// npm run package: out/worldtree.vsix, from a production build.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { onProjectNode } from './projectNode.mjs';

const vsix = 'out/worldtree.vsix';
const allowed = /^(package\.json|package\.nls(\.[\w-]+)?\.json|README\.md|CHANGELOG\.md|LICENSE|SECURITY\.md|(dist|media|l10n)\/.+)$/;
const needed = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'dist/extension.cjs', ...['x64', 'arm64'].map((cpu) => `dist/node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp/${cpu}/apply-seccomp`)];

if (await onProjectNode(import.meta.url)) {
  const { createVSIX, listFiles } = await import('@vscode/vsce');
  // A development build leaves source maps there.
  rmSync('dist', { recursive: true, force: true });
  const built = spawnSync('node', ['esbuild.mjs', '--production'], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('The build failed.');
  const files = (await listFiles({ cwd: process.cwd(), dependencies: false })).map((file) => file.replaceAll('\\', '/')).toSorted();
  const wrong = files.filter((file) => !allowed.test(file) || file.endsWith('.map'));
  const missing = needed.filter((file) => !files.includes(file));
  if (wrong.length > 0) throw new Error(`These files do not belong into the package; see .vscodeignore: ${wrong.join(', ')}`);
  if (missing.length > 0) throw new Error(`The package misses ${missing.join(', ')}`);
  mkdirSync('out', { recursive: true });
  // The project has no public address yet that its README's links could be made absolute with.
  await createVSIX({ cwd: process.cwd(), packagePath: vsix, dependencies: false, allowMissingRepository: true, rewriteRelativeLinks: false });
  if (!existsSync(vsix)) throw new Error(`${vsix} was not written.`);
  for (const file of files) console.log(`  ${file}`);
  console.log(`${vsix}: ${files.length} files, ${Math.ceil(statSync(vsix).size / 1024)} KB`);
}
