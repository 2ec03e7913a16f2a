import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import type { DiskPolicy } from './policy.ts';

type Manager = typeof SandboxManager;

export interface WrapRequest {
  /** Run by bash, or sh where there is none. */
  readonly script: string;
  readonly folder: string;
  readonly disk: DiskPolicy;
  /** Reached whatever they are: of this machine, the person allowed them one by one. */
  readonly hosts: readonly string[];
  /** Reaches every host besides, but for this machine's own. */
  readonly every: boolean;
  readonly signal: AbortSignal;
}

export interface Wrapped {
  readonly file: string;
  readonly args: readonly string[];
  /** Hosts that it tried and was refused so far: `registry.example.com:443`. */
  refusedHosts(): readonly string[];
  /** Once it has ended, or was not started after all. */
  done(): void;
}

/**
 * The sandbox library. Its state is the process's, and it knows no list that stands for
 * all hosts. So there are two of it: one that lets pass what a command's own list names, one that lets pass all.
 */
export class SandboxLibrary {
  readonly #listed: Manager;
  /** Made when it is first needed: each listens on a port of this machine, which VS Code shows to those who work remotely. */
  #every: Promise<Manager> | null = null;
  readonly #shell = hasBash() ? '/bin/bash' : '/bin/sh';

  private constructor(listed: Manager) {
    this.#listed = listed;
  }

  /** Throws with words where the system lacks what it needs. Its relays to the network run until the process ends, or `close`. */
  static async start(): Promise<SandboxLibrary> {
    const { SandboxManager: listed } = await import('@anthropic-ai/sandbox-runtime');
    await listed.initialize(configuration());
    return new SandboxLibrary(listed);
  }

  /** Rejects where it cannot be wrapped; then it must not run. */
  async wrap({ script, folder, disk, hosts, every, signal }: WrapRequest): Promise<Wrapped> {
    const manager = every ? await this.#startedEvery() : this.#listed;
    // Whoever knows it uses this command's list: no other command may guess it.
    const commandId = randomBytes(16).toString('base64url');
    manager.registerCommandNetworkLists(commandId, { allowedDomains: [...hosts] });
    const done = (): void => manager.unregisterCommandNetworkLists(commandId);
    // Where `/tmp` is hidden, the socket of the way to the network would be too.
    const socket = manager.getLinuxHttpSocketPath();
    const filesystem = {
      denyRead: disk.hidden.map(literal), allowRead: [...disk.readable, ...(socket === undefined ? [] : [socket])].map(literal),
      allowWrite: disk.writable.map(literal), denyWrite: disk.locked.map(literal),
    };
    try {
      const { argv } = await manager.wrapWithSandboxArgv(script, this.#shell, { filesystem }, signal, folder, { commandId, commandText: 'command' });
      const [file, ...args] = argv.map(withoutKernelSettings);
      if (file === undefined) throw new Error('the sandbox gave nothing to start');
      return {
        file, args,
        refusedHosts: () => refusedIn(manager.getSandboxViolationStore().getViolationsForCommand(commandId).map(({ line }) => line)),
        done: () => {
          done();
          manager.cleanupAfterCommand();
        },
      };
    } catch (error) {
      done();
      throw error;
    }
  }

  #startedEvery(): Promise<Manager> {
    this.#every ??= startEvery().catch((error: unknown) => {
      this.#every = null;
      throw error;
    });
    return this.#every;
  }

  async close(): Promise<void> {
    await this.#listed.reset();
    await (await this.#every?.catch(() => null))?.reset();
  }
}

async function startEvery(): Promise<Manager> {
  const { SandboxManager: every } = await import('@anthropic-ai/sandbox-runtime/dist/sandbox/sandbox-manager.js?every');
  await every.initialize(configuration(), ({ host }) => Promise.resolve(isElsewhere(host)));
  return every;
}

/** Nothing is allowed by it: each command brings its own. */
function configuration(): Parameters<Manager['initialize']>[0] {
  return {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    // It would search the folder that the editor was started in, which is no place of a command's, for files to lock.
    ripgrep: { command: 'true' }, mandatoryDenySearchDepth: 1,
  };
}

/** The library's own mount of the system's processes, before any word of the command. */
const PROCESSES = ' --proc /proc ';

/**
 * To root its new mount of `/proc` would offer the kernel's settings for writing, one of which names a program that the
 * kernel runs outside (`core_pattern`). Others cannot write them.
 */
function withoutKernelSettings(argument: string): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !argument.startsWith('bwrap ')) return argument;
  const at = argument.indexOf(PROCESSES);
  if (at < 0) throw new Error('the sandbox has another form than the one that is known to be closed');
  return `${argument.slice(0, at)}${PROCESSES}--ro-bind /proc/sys /proc/sys --ro-bind-try /proc/fs /proc/fs ${argument.slice(at + PROCESSES.length)}`;
}

function literal(place: string): { path: string; literal: true } {
  return { path: place, literal: true };
}

function refusedIn(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.flatMap((line) => /^deny (?:network-outbound|socks-tunnel) (\S+)/.exec(line)?.[1] ?? []))];
}

/** Not this machine, and not what tells a machine of a cloud its keys. Names that lead there are refused by the library when it has looked them up. */
function isElsewhere(host: string): boolean {
  const name = canonical(host);
  if (name === null || name === 'localhost' || name.endsWith('.localhost') || name === 'metadata.google.internal') return false;
  const version = isIP(name);
  if (version === 0) return true;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  return !CLOSED.check(name, family) && !ownAddresses().check(name, family);
}

/** A server that listens on all of them answers there as it does on the loopback. Each time, since machines change networks. */
function ownAddresses(): BlockList {
  const own = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])) own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  return own;
}

/** `2852039166` is an address too. */
function canonical(host: string): string | null {
  try {
    const { hostname } = new URL(`http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`);
    return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  } catch {
    return null;
  }
}

/** What stands for an address of IPv4 in IPv6 is checked as that by Node itself; a rule for all of those would close all of IPv4. */
const CLOSED = new BlockList();
for (const [network, prefix] of [['0.0.0.0', 8], ['127.0.0.0', 8], ['169.254.0.0', 16], ['224.0.0.0', 3], ['100.100.100.200', 32], ['168.63.129.16', 32], ['192.0.0.192', 32]] as const) CLOSED.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [['::', 127], ['64:ff9b::', 96], ['fe80::', 10], ['ff00::', 8], ['fd00:ec2::', 32], ['fd20:ce::254', 128], ['fd00:c1::a9fe:a9fe', 128], ['fd00:42::42', 128]] as const) CLOSED.addSubnet(network, prefix, 'ipv6');

function hasBash(): boolean {
  try {
    accessSync('/bin/bash', constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

