// Runs a TypeScript file: node scripts/runTypeScript.mjs test/editor/run.ts [arguments]
// Bundled first, because Node's own type stripping does not find `./x.ts` behind an import of `./x.js`.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { build } from 'esbuild';

const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) throw new Error('Name the TypeScript file to run.');
const outfile = path.resolve('out', 'run', `${entry.replaceAll(/[\\/]/g, '.').replace(/\.ts$/, '')}.mjs`);
await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node22', packages: 'external', sourcemap: 'inline', logLevel: 'warning' });

const child = spawn(process.execPath, ['--enable-source-maps', outfile, ...rest], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => (process.exitCode = code ?? (signal === null ? 0 : 1)));
