import { build } from 'esbuild';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

export const SANDBOX = '@anthropic-ai/sandbox-runtime';

/** Programs that the library starts in the sandbox; those for Windows are of no use to us. */
const PROGRAMS = ['vendor/seccomp', 'vendor/java-proxy-agent'];

/**
 * Puts the sandbox library beside the bundle as it is: it looks for its programs by its own place, and bundled it throws, or
 * runs without the filter that keeps commands from other programs' sockets. Exactly the files that it loads are copied.
 */
export async function copySandbox(outdir) {
  const target = path.join(outdir, 'node_modules');
  rmSync(target, { recursive: true, force: true });
  const { metafile } = await build({ stdin: { contents: `import '${SANDBOX}'`, resolveDir: '.' }, bundle: true, write: false, metafile: true, platform: 'node', format: 'esm', logLevel: 'error', external: ['@microsoft/mxc-sdk'] });
  const files = Object.keys(metafile.inputs).filter((file) => file.startsWith('node_modules/'));
  const packages = new Set(files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)[0]));
  const beside = [...packages].flatMap((folder) => ['package.json', 'LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((name) => `${folder}/${name}`)).filter((file) => existsSync(file));
  for (const file of [...files, ...beside, ...PROGRAMS.map((folder) => `node_modules/${SANDBOX}/${folder}`)]) {
    const to = path.join(outdir, file);
    mkdirSync(path.dirname(to), { recursive: true });
    cpSync(file, to, { recursive: true, filter: (source) => !source.endsWith('.ts') });
  }
}
