import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { hostsOf } from '../../../src/core/sandbox/network.ts';

/** The public ones that package managers ask where nobody says otherwise. */
export const NPM_HOST = hostLike('registry.npm');
export const PYTHON_HOST = hostLike('pypi');

/**
 * The way to the internet of a machine behind a proxy: what is asked of public registries is answered here, from packages
 * that are made on the spot. Plain HTTP, so that no certificate has to be believed.
 */
export class Registries {
  readonly address: string;
  /** Hosts that were asked for something. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor(server: Server, asked: string[]) {
    this.#server = server;
    this.asked = asked;
    this.address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }

  /** Packages are made in `folder`. */
  static async start(folder: string): Promise<Registries> {
    const asked: string[] = [];
    const npm = npmPackage(folder);
    const wheel = pythonWheel(folder);
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', `http://${request.headers.host ?? ''}`);
      asked.push(url.hostname);
      if (url.hostname === NPM_HOST) answerNpm(url.pathname, npm, response);
      else if (url.hostname === PYTHON_HOST) answerPython(url.pathname, wheel, response);
      else response.writeHead(404).end();
      drain(request);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Registries(server, asked);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function hostLike(start: string): string {
  const found = hostsOf('registries', [])?.find((host) => host.startsWith(start));
  if (found === undefined) throw new Error(`no registry begins with ${start}`);
  return found;
}

function answerNpm(at: string, tarball: Buffer, response: ServerResponse): void {
  if (at.endsWith('.tgz')) {
    response.end(tarball);
    return;
  }
  if (at !== '/sum-of-two') {
    response.writeHead(404).end('{}');
    return;
  }
  const dist = { tarball: `http://${NPM_HOST}/sum-of-two/-/sum-of-two-1.0.0.tgz`, integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`, shasum: createHash('sha1').update(tarball).digest('hex') };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name: 'sum-of-two', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name: 'sum-of-two', version: '1.0.0', main: 'index.js', dist } } }));
}

function npmPackage(folder: string): Buffer {
  const content = path.join(folder, 'package');
  mkdirSync(content, { recursive: true });
  writeFileSync(path.join(content, 'package.json'), JSON.stringify({ name: 'sum-of-two', version: '1.0.0', main: 'index.js' }));
  writeFileSync(path.join(content, 'index.js'), 'module.exports = (a, b) => a + b;\n');
  execFileSync('tar', ['czf', 'sum-of-two.tgz', 'package'], { cwd: folder });
  return readFileSync(path.join(folder, 'sum-of-two.tgz'));
}

const WHEEL = 'sum_of_two-1.0.0-py3-none-any.whl';

function answerPython(at: string, wheel: Buffer | null, response: ServerResponse): void {
  if (at.endsWith('.whl') && wheel !== null) response.end(wheel);
  else if (at === '/simple/sum-of-two/') response.setHeader('content-type', 'text/html').end(`<a href="/files/${WHEEL}">${WHEEL}</a>`);
  else response.writeHead(404).end();
}

/** Null where there is no Python to make it with. */
function pythonWheel(folder: string): Buffer | null {
  const info = 'sum_of_two-1.0.0.dist-info';
  const files = { 'sum_of_two.py': 'def add(a, b):\n    return a + b\n', [`${info}/METADATA`]: 'Metadata-Version: 2.1\nName: sum-of-two\nVersion: 1.0.0\n', [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n', [`${info}/RECORD`]: '' };
  const script = `import json, sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w") as z:\n    [z.writestr(n, c) for n, c in json.loads(sys.argv[2]).items()]`;
  try {
    execFileSync('python3', ['-c', script, path.join(folder, WHEEL), JSON.stringify(files)], { stdio: 'ignore' });
    return readFileSync(path.join(folder, WHEEL));
  } catch {
    return null;
  }
}

function drain(request: IncomingMessage): void {
  request.resume();
}
