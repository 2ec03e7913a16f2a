// Runs with any Node from 20 on, before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const binaries = path.join(root, 'node_modules', '.bin');
const node = path.join(binaries, process.platform === 'win32' ? 'node.cmd' : 'node');
const shell = process.platform === 'win32';
const inside = 'WORLDTREE_ON_PROJECT_NODE';

/**
 * Installs what is missing, then runs `script` again with the Node of node_modules, which runs TypeScript as it is.
 * True inside that second run; the first run only waits for it and passes on how it ended.
 */
export async function onProjectNode(script) {
  process.chdir(root);
  if (process.env[inside] === '1') {
    delete process.env[inside];
    return true;
  }
  installWhatIsMissing();
  const env = { ...process.env, [inside]: '1', PATH: `${binaries}${path.delimiter}${process.env.PATH ?? ''}` };
  const child = spawn(node, [fileURLToPath(script), ...process.argv.slice(2)], { env, shell, stdio: 'inherit' });
  // The terminal sends ctrl-C to both; the child clears up, and this one waits for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code, signal] = await new Promise((resolve, reject) => child.once('error', reject).once('exit', (...end) => resolve(end)));
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  return false;
}

function installWhatIsMissing() {
  const installed = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed) || statSync(path.join(root, 'package-lock.json')).mtimeMs > statSync(installed).mtimeMs) {
    console.log('Installing packages (npm ci)…');
    // CI machines often set production mode, which would leave out everything that tests need.
    npm('ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error');
  }
  // Where install scripts are off, the package `node` is there but empty.
  if (!nodeFits()) npm('rebuild', 'node', '--ignore-scripts=false', '--loglevel=error');
  if (!nodeFits()) throw new Error('node_modules/.bin/node is not Node 24. Remove node_modules and run: npm ci --ignore-scripts=false');
}

function nodeFits() {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', shell });
  return (stdout ?? '').startsWith('v24.');
}

function npm(...args) {
  const { status, error } = spawnSync('npm', args, { cwd: root, shell, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`);
}
