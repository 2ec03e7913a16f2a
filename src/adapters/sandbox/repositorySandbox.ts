import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { absolutePath, type FilePath } from '../../core/ids.ts';
import { portsFoundClosed, refusalNotes, saysPortTaken, saysReadOnly, saysSocket, saysUnreached } from '../../core/sandbox/denials.ts';
import { hostsOf } from '../../core/sandbox/network.ts';
import type { NetworkPermissions } from '../../runtime/ports/sandbox.ts';
import { OutputTail } from '../commands/outputTail.ts';
import type { RepositoryCommand, RunRepositoryCommand } from '../commands/repositoryCommand.ts';
import { runCommand, type CommandResult } from '../commands/runCommand.ts';
import type { GitPlace } from '../git/door/door.ts';
import { checkoutLinks, checkoutsOf } from '../git/worktrees/checkoutLinks.ts';
import { readMemory } from '../git/worktrees/worktreeAccess.ts';
import { foldersBeside } from './besideWorktree.ts';
import { insideScript } from './insideScript.ts';
import type { MachineSandbox } from './machineSandbox.ts';
import { diskPolicy } from './policy.ts';
import type { SandboxLibrary } from './sandboxLibrary.ts';
import { toolCacheEnvironment } from './toolCaches.ts';

interface RepositorySandboxOptions {
  readonly machine: MachineSandbox;
  readonly place: GitPlace;
  readonly worktreeRoot: string;
  readonly network: NetworkPermissions;
  /** Hosts besides the known registries that the level `registries` reaches. */
  readonly furtherHosts: () => readonly string[];
  /** Where the extension and its libraries are installed. */
  readonly ownFolders: readonly string[];
  readonly editorFolders: readonly string[];
}

/** Bytes of a command's output that are searched for what it was refused. */
const SEARCHED = 64 * 1024;
/** Links that are followed: each is a word on a command line, and a forest of them would be too long for one. */
const MOST_LINKS = 200;
/** What a command prints is its own choice: the host is no scanner of ports, and the person no clerk. */
const MOST_PORTS = 8;
const PORT_ANSWER_MS = 500;

/** Runs the commands of one repository in the machine's sandbox; where there is none, with the person's rights, which they were asked for. */
export function sandboxedCommands(options: RepositorySandboxOptions): RunRepositoryCommand {
  return async (command) => {
    const library = await options.machine.library();
    return library === null ? runCommand(command) : runInside(library, options, command);
  };
}

async function runInside(library: SandboxLibrary, options: RepositorySandboxOptions, command: RepositoryCommand): Promise<CommandResult> {
  const level = options.network.level() ?? 'off';
  const hosts = hostsOf(level, options.furtherHosts());
  const ports = options.network.allowedPorts();
  const home = homedir();
  try {
    const beside = await foldersBeside(command.worktree, command.caches);
    const checkouts = checkoutsOf(options.place);
    const disk = diskPolicy({
      platform: process.platform, home, worktreeRoot: options.worktreeRoot, worktree: command.worktree, ...beside, checkouts, readsCheckouts: command.purpose === 'setup',
      pointers: await pointersIn(command.worktree, command.brought),
      linked: [...await linkedFrom(command, checkouts), ...(command.needs ?? [])],
      commonDir: options.place.commonDir, ownFolders: options.ownFolders, editorFolders: options.editorFolders, sharedFolders: sharedFolders(),
    });
    const script = insideScript({ run: command.run, temporary: beside.scratch, reachesPrivate: level === 'on', ports: process.platform === 'linux' ? ports : [] });
    const wrapped = await library.wrap({ script, folder: command.folder, disk, hosts: [...hosts ?? [], ...ports.map((port) => `127.0.0.1:${port}`)], every: hosts === null, signal: command.signal });
    try {
      const seen = new OutputTail(SEARCHED);
      const output = { add: (chunk: Buffer): void => { seen.add(chunk); command.output.add(chunk); } };
      const result = await runCommand({
        ...command, output, run: { kind: 'program', file: wrapped.file, args: wrapped.args },
        environment: { ...command.environment, ...toolCacheEnvironment({ caches: beside.caches, worktree: command.worktree, home, inherited: command.environment, exists: existsSync }) },
      });
      const failed = result.ended.kind === 'exited' && result.ended.code !== 0;
      const closed = failed ? await closedPorts(seen.text(), command, options.network) : [];
      const notes = refusalNotes({ hosts: wrapped.refusedHosts(), ports: closed, unreached: level !== 'off' && saysUnreached(seen.text(), { failed }), wroteOutside: failed && saysReadOnly(seen.text(), process.platform), triedSocket: failed && saysSocket(seen.text()), portTaken: failed && saysPortTaken(seen.text()) }, { network: level, allowedPorts: options.network.allowedPorts() });
      if (notes.length > 0) command.output.add(Buffer.from(`\n${notes.join('\n')}\n`));
      return result;
    } finally {
      wrapped.done();
    }
  } catch (error) {
    // Never without: nobody was asked whether it may.
    return { ended: command.signal.aborted ? { kind: 'stopped' } : { kind: 'not-started', words: `[sandbox] The sandbox could not be made: ${error instanceof Error ? error.message : String(error)}` }, ms: 0 };
  }
}

/** Ports on which something of the person's listens, that the command found closed: asked about, where somebody can be. */
async function closedPorts(output: string, command: RepositoryCommand, network: NetworkPermissions): Promise<readonly number[]> {
  const known = network.allowedPorts();
  const tried = portsFoundClosed(output).filter((port) => !known.includes(port)).slice(0, MOST_PORTS);
  const open: number[] = [];
  for (const port of tried) if (await listens(port)) open.push(port);
  for (const port of open) if (await command.mayReach?.(port) === true) await network.allowPort(port);
  return open;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: PORT_ANSWER_MS });
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}

/** A submodule that was checked out is remembered as brought; among thousands of files it may be the last. */
async function pointersIn(worktree: string, brought: readonly FilePath[]): Promise<readonly string[]> {
  const inside = await Promise.all(brought.map(async (name) => {
    const pointer = path.join(worktree, name, '.git');
    return access(pointer).then(() => [pointer], () => []);
  }));
  return [path.join(worktree, '.git'), ...inside.flat()];
}

/**
 * What links of the worktree lead to in a checkout. An agent can put a link in the place of anything that was brought, so
 * for its commands only those count that setup was seen to leave.
 */
async function linkedFrom({ worktree, brought, purpose }: RepositoryCommand, checkouts: readonly string[]): Promise<readonly string[]> {
  const names = purpose === 'agent' ? (await readMemory(absolutePath.parse(worktree))).linked : brought;
  return [...(await checkoutLinks(worktree, checkouts, names)).values()].slice(0, MOST_LINKS);
}

/** Each command has empty ones: what other programs left there is none of its business. */
function sharedFolders(): readonly string[] {
  return process.platform === 'linux' ? [...new Set(['/tmp', '/var/tmp', tmpdir(), '/run/user'])] : [];
}
