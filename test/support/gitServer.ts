import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { quietGitEnvironment } from './gitEnvironment.ts';
import { makeTemporaryFolder, removeFolder } from './temporaryFolder.ts';

interface GitServerOptions {
  /** Who is let in; left out, everyone. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Over TLS, with a certificate that nobody signed but itself. */
  readonly secure?: boolean;
}

/** Where the server stops answering: at the question for its refs, or at what carries objects. */
type Hang = 'never' | 'at refs' | 'at objects';

/** A remote as a server in a company is: real HTTP or HTTPS on 127.0.0.1 in front of git's own `http-backend`, with one bare repository. */
export class GitServer {
  readonly url: string;
  readonly port: number;
  /** The server's own certificate, in a file; undefined where it speaks plain HTTP. */
  readonly certificate: string | undefined;
  hang: Hang = 'never';
  readonly #server: Server;
  readonly #options: GitServerOptions;
  readonly #folder: string;
  #hanging: { readonly arrived: () => void; readonly gone: () => void }[] = [];

  private constructor(server: Server, folder: string, certificate: string | undefined, options: GitServerOptions) {
    this.#server = server;
    this.#options = options;
    this.#folder = folder;
    this.port = (server.address() as AddressInfo).port;
    this.certificate = certificate;
    this.url = `http${certificate === undefined ? '' : 's'}://127.0.0.1:${String(this.port)}/remote.git`;
  }

  static async start(options: GitServerOptions = {}): Promise<GitServer> {
    const folder = makeTemporaryFolder('git-server');
    mkdirSync(path.join(folder, 'served'));
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', path.join(folder, 'served/remote.git')], { env: quietGitEnvironment() });
    const pair = options.secure === true ? selfSigned(folder) : undefined;
    const server = pair === undefined ? createServer() : createSecureServer({ key: readFileSync(pair.key), cert: readFileSync(pair.certificate) });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const made = new GitServer(server, folder, pair?.certificate, options);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => made.#answer(request, response));
    return made;
  }

  /** The bare repository's git. */
  git(...args: readonly string[]): string {
    return execFileSync('git', ['--git-dir', path.join(this.#folder, 'served/remote.git'), ...args], { env: quietGitEnvironment(), encoding: 'utf8' }).trim();
  }

  get repository(): string {
    return path.join(this.#folder, 'served/remote.git');
  }

  /** Resolves when a request is left without an answer; `gone` when whoever asked has hung up. */
  hung(): Promise<{ readonly gone: Promise<void> }> {
    return new Promise((resolve) => {
      let hungUp: () => void = () => undefined;
      const gone = new Promise<void>((then) => { hungUp = then; });
      this.#hanging.push({ arrived: () => resolve({ gone }), gone: () => hungUp() });
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    removeFolder(this.#folder);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { login } = this.#options;
    if (login !== undefined && request.headers.authorization !== `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const [at = '', query = ''] = (request.url ?? '').split('?', 2);
    const objects = request.method === 'POST';
    if (this.hang === (objects ? 'at objects' : 'at refs')) {
      for (const one of this.#hanging) request.socket.once('close', one.gone);
      for (const one of this.#hanging.splice(0)) one.arrived();
      return;
    }
    const length = request.headers['content-length'];
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...quietGitEnvironment(), GIT_PROJECT_ROOT: path.join(this.#folder, 'served'), GIT_HTTP_EXPORT_ALL: '1', PATH_INFO: at, QUERY_STRING: query, REQUEST_METHOD: request.method, CONTENT_TYPE: request.headers['content-type'] ?? '',
        // Whoever gets this far may push.
        REMOTE_USER: login?.user ?? 'anybody', REMOTE_ADDR: '127.0.0.1', HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '', GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        ...(length === undefined ? {} : { CONTENT_LENGTH: length }),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    backend.stdin.on('error', () => undefined);
    request.pipe(backend.stdin);
    answerAsCgi(backend.stdout, response);
  }
}

/** Headers, an empty line, then the body: what a CGI program writes. */
function answerAsCgi(output: NodeJS.ReadableStream, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    output.off('data', read);
    const headers = head.subarray(0, end).toString('latin1').split('\r\n').map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')));
    response.write(head.subarray(end + 4));
    output.pipe(response);
  };
  output.on('data', read);
}

function selfSigned(folder: string): { readonly key: string; readonly certificate: string } {
  const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'ignore' });
  return { key, certificate };
}
