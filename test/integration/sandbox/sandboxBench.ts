import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { discover } from '../../../src/adapters/git/reading/discovery.ts';
import type { RunRepositoryCommand } from '../../../src/adapters/commands/repositoryCommand.ts';
import { MachineSandbox } from '../../../src/adapters/sandbox/machineSandbox.ts';
import { sandboxedCommands } from '../../../src/adapters/sandbox/repositorySandbox.ts';
import { writeMemory } from '../../../src/adapters/git/worktrees/worktreeAccess.ts';
import { FileTools } from '../../../src/adapters/tools/tools.ts';
import { commitId, episodeId, type AbsolutePath, type FilePath, type FolderPath } from '../../../src/core/ids.ts';
import type { NetworkLevel } from '../../../src/core/sandbox/network.ts';
import type { NetworkPermissions } from '../../../src/runtime/ports/sandbox.ts';
import type { ToolResult } from '../../../src/runtime/ports/tools.ts';
import { projectRoot } from '../../support/projectRoot.ts';
import { rememberedNetwork } from '../../support/rememberedNetwork.ts';
import { removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';

/**
 * A person's home, checkout and two agents' worktrees on a real disk, the machine's real sandbox, and the tool `run` of the
 * first agent. In no folder for what is temporary: those are hidden from commands whatever lies there.
 */
export class SandboxBench {
  readonly folder: string;
  readonly home: string;
  readonly repository: TemporaryRepository;
  readonly worktree: string;
  readonly neighbour: string;
  readonly network: NetworkPermissions;
  readonly run: RunRepositoryCommand;
  /** Ports that the person was asked about. */
  readonly askedPorts: number[] = [];
  readonly #machine: MachineSandbox;
  readonly #tools: FileTools;

  private constructor(parts: { folder: string; home: string; repository: TemporaryRepository; worktree: string; neighbour: string; network: NetworkPermissions; run: RunRepositoryCommand; machine: MachineSandbox; tools: FileTools }) {
    this.folder = parts.folder;
    this.home = parts.home;
    this.repository = parts.repository;
    this.worktree = parts.worktree;
    this.neighbour = parts.neighbour;
    this.network = parts.network;
    this.run = parts.run;
    this.#machine = parts.machine;
    this.#tools = parts.tools;
  }

  static async open(files: FileTree, options: { readonly level?: NetworkLevel; readonly furtherHosts?: readonly string[]; readonly environment?: NodeJS.ProcessEnv } = {}): Promise<SandboxBench> {
    const parent = isTemporary(projectRoot) ? path.join(userInfo().homedir, '.cache', 'worldtree-tests') : path.join(projectRoot, 'out', 'sandbox');
    mkdirSync(parent, { recursive: true });
    const folder = realpathSync(mkdtempSync(path.join(parent, 'bench-')));
    const home = path.join(folder, 'home');
    mkdirSync(home);
    const repository = makeTemporaryRepository(files, 'project', folder);
    const root = path.join(folder, 'worktrees');
    const [worktree, neighbour] = ['e1-abcd', 'e2-abcd'].map((name) => path.join(root, 'aaaaaaaa', name)) as [string, string];
    for (const each of [worktree, neighbour]) repository.git('worktree', 'add', '--quiet', '--detach', each);
    const place = await discover(repository.folder);
    if (!place) throw new Error('no repository');
    // The person's home is where the environment says; each test file is a process of its own.
    process.env['HOME'] = home;
    const environment = { ...(options.environment ?? process.env), HOME: home };
    const machine = new MachineSandbox({ enabled: true, environment, platform: process.platform });
    const status = await machine.settled();
    if (status.kind !== 'ready') throw new Error(`no sandbox: ${JSON.stringify(status)}`);
    const network = rememberedNetwork(options.level ?? 'off');
    const run = sandboxedCommands({ machine, place, worktreeRoot: root, network, furtherHosts: () => options.furtherHosts ?? [], ownFolders: [path.join(projectRoot, 'node_modules')], editorFolders: [path.join(home, 'editor')] });
    return new SandboxBench({ folder, home, repository, worktree, neighbour, network, run, machine, tools: new FileTools({ run, environment }) });
  }

  /** As the agent's tool `run`. */
  async call(command: string, more: { readonly seconds?: number; readonly brought?: readonly string[]; /** Links that setup left. */ readonly linked?: readonly string[]; readonly mayReach?: boolean; readonly signal?: AbortSignal } = {}): Promise<ToolResult> {
    await writeMemory(this.worktree as AbsolutePath, { brought: [], config: [], sparse: null, linked: (more.linked ?? []) as readonly FilePath[] });
    return this.#tools.run('run', { command, timeout_seconds: more.seconds ?? 60 }, {
      episode: episodeId.parse('e1-abcd'), worktree: this.worktree as AbsolutePath, checkout: this.repository.folder as AbsolutePath, folder: '' as FolderPath, base: commitId.parse(this.repository.git('rev-parse', 'HEAD')),
      brought: (more.brought ?? []) as readonly FilePath[], signal: more.signal ?? new AbortController().signal, mayRun: () => Promise.resolve({ allowed: true }), mayShow: () => Promise.resolve(false),
      mayReach: (port) => {
        this.askedPorts.push(port);
        return Promise.resolve(more.mayReach ?? false);
      },
    });
  }

  /** A file of the person's home; gives its path. */
  inHome(name: string, content: string): string {
    const file = path.join(this.home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  /** What there is to see of the person's repository from outside: refs, config, index, files, hooks. */
  snapshot(): Readonly<Record<string, string>> {
    const at = (name: string): string => {
      const file = path.join(this.repository.folder, name);
      return existsSync(file) ? readFileSync(file, 'latin1') : '(none)';
    };
    return {
      refs: this.repository.git('for-each-ref'), head: at('.git/HEAD'), config: at('.git/config'), index: at('.git/index'), stash: this.repository.git('stash', 'list'), status: this.repository.git('status', '--porcelain', '--ignored'),
      hooks: existsSync(path.join(this.repository.folder, '.git/hooks')) ? readdirSync(path.join(this.repository.folder, '.git/hooks')).join(' ') : '(none)', pointer: readFileSync(path.join(this.worktree, '.git'), 'latin1'),
    };
  }

  async close(): Promise<void> {
    await this.#tools.dispose();
    await this.#machine.close();
    removeFolder(this.folder);
  }
}

function isTemporary(folder: string): boolean {
  return [tmpdir(), '/tmp', '/var/tmp'].some((temporary) => folder.startsWith(`${temporary}/`));
}
