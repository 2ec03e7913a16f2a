import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Listeners } from '../../core/listeners.ts';
import { distributionOf, failureAdvice, installAdvice, type SandboxProgram, type SandboxStatus } from '../../core/sandbox/sandboxStatus.ts';
import type { Sandbox } from '../../runtime/ports/sandbox.ts';
import { OutputTail } from '../commands/outputTail.ts';
import { runCommand } from '../commands/runCommand.ts';
import { SandboxLibrary } from './sandboxLibrary.ts';

interface MachineSandboxOptions {
  /** The person's setting. */
  readonly enabled: boolean;
  /** Where programs are found. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

const PROBE_TIMEOUT_MS = 20_000;

/** The one sandbox of this process, tried out when it is first asked for. */
export class MachineSandbox implements Sandbox {
  readonly #options: MachineSandboxOptions;
  readonly #changed = new Listeners<void>();
  #status: SandboxStatus;
  #started: Promise<SandboxLibrary | null> | null = null;

  constructor(options: MachineSandboxOptions) {
    this.#options = options;
    this.#status = options.enabled ? { kind: 'starting' } : { kind: 'off' };
  }

  status(): SandboxStatus {
    return this.#status;
  }

  async settled(): Promise<SandboxStatus> {
    await this.library();
    return this.#status;
  }

  onChange(listener: () => void): { dispose(): void } {
    return this.#changed.add(listener);
  }

  /** Null where commands run without a sandbox. */
  library(): Promise<SandboxLibrary | null> {
    this.#started ??= this.#options.enabled ? this.#start() : Promise.resolve(null);
    return this.#started;
  }

  async close(): Promise<void> {
    await (await this.#started)?.close();
  }

  async #start(): Promise<SandboxLibrary | null> {
    const { library, status } = await tryOut(this.#options);
    this.#status = status;
    this.#changed.tell();
    return library;
  }
}

interface Tried {
  readonly library: SandboxLibrary | null;
  readonly status: SandboxStatus;
}

async function tryOut({ environment, platform }: MachineSandboxOptions): Promise<Tried> {
  if (platform !== 'linux' && platform !== 'darwin') return without('There is none for this system.', 'Open the repository in WSL or in a container to have one.');
  const missing = platform === 'linux' ? PROGRAMS.filter((program) => !isOnPath(program, environment['PATH'] ?? '')) : [];
  if (missing.length > 0) return without(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed.`, installAdvice(missing, distribution()));
  let library: SandboxLibrary | null = null;
  try {
    library = await SandboxLibrary.start();
    const failure = await probe(library, environment, platform);
    if (failure === null) return { library, status: { kind: 'ready' } };
    await library.close();
    return without(failure.why, failure.next);
  } catch (error) {
    await library?.close().catch(() => undefined);
    const { why, next } = failureAdvice(error instanceof Error ? error.message : String(error));
    return without(why, next);
  }
}

function without(why: string, next: string): Tried {
  return { library: null, status: { kind: 'unavailable', why, next } };
}

/** A real command in the sandbox: that it starts, that it can write neither files nor the kernel's settings, that no socket of the host can be opened. */
async function probe(library: SandboxLibrary, environment: MachineSandboxOptions['environment'], platform: string): Promise<{ readonly why: string; readonly next: string } | null> {
  const signal = new AbortController().signal;
  // Two failures in one word each, since what programs print is in the person's language.
  const socket = platform === 'linux' ? 'if LC_ALL=C socat -u OPEN:/dev/null UNIX-CONNECT:/worldtree-no-such-socket 2>&1 | grep -q "not permitted"; then :; else echo open-socket; fi; ' : '';
  const kernel = platform === 'linux' ? 'if (: >> /proc/sys/kernel/core_pattern) 2>/dev/null; then echo open-disk; fi; ' : '';
  const script = `${socket}${kernel}if (: > /worldtree-probe) 2>/dev/null; then echo open-disk; fi; echo inside`;
  const wrapped = await library.wrap({ script, folder: '/', disk: { hidden: [], readable: [], writable: [], locked: [] }, hosts: [], every: false, signal });
  const output = new OutputTail(4_096);
  try {
    const { ended } = await runCommand({ run: { kind: 'program', file: wrapped.file, args: wrapped.args }, folder: '/', environment: { PATH: environment['PATH'] ?? '' }, timeoutMs: PROBE_TIMEOUT_MS, output, signal });
    const printed = output.text().trim();
    if (ended.kind === 'exited' && printed === 'inside') return null;
    if (printed.includes('open-socket')) return { why: 'Its filter is not in force: commands could open the sockets of other programs.', next: 'Install the extension again for this platform, then reload the window.' };
    if (printed.includes('open-disk')) return { why: 'Commands could write in it where they must not.', next: 'Reload the window to try again.' };
    return failureAdvice(ended.kind === 'not-started' ? ended.words : printed);
  } finally {
    wrapped.done();
  }
}

const PROGRAMS: readonly SandboxProgram[] = ['bwrap', 'socat'];

function isOnPath(program: string, searched: string): boolean {
  return searched.split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function distribution(): readonly string[] {
  const file = ['/etc/os-release', '/usr/lib/os-release'].find((place) => existsSync(place));
  return file === undefined ? [] : distributionOf(readFileSync(file, 'utf8'));
}
