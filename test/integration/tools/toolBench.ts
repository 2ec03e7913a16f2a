import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../../../src/adapters/commands/runCommand.ts';
import { FileTools, type FileToolsOptions } from '../../../src/adapters/tools/tools.ts';
import { commitId, episodeId, type AbsolutePath, type FilePath, type FolderPath } from '../../../src/core/ids.ts';
import type { FileTool, ToolContext, ToolResult } from '../../../src/runtime/ports/tools.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';

/** A real repository, a real linked worktree of it, and the tools of an agent that was given one folder there. */
export class ToolBench {
  readonly repository: TemporaryRepository;
  readonly worktree: string;
  /** Of the commands: what gets past the guard must not reach the settings of whoever runs the tests. */
  readonly home: string;
  /** Commands that the person was asked about. */
  readonly asked: string[] = [];
  readonly askedToShow: string[] = [];
  context: ToolContext;
  private readonly tools: FileTools;
  private readonly around: string;

  constructor(files: FileTree, folder = '', options: Omit<FileToolsOptions, 'run'> = {}) {
    this.repository = makeTemporaryRepository(files);
    this.around = makeTemporaryFolder('worktrees');
    this.home = path.join(this.around, 'home');
    mkdirSync(this.home);
    this.worktree = path.join(this.around, 'e1');
    this.repository.git('worktree', 'add', '--quiet', '--detach', this.worktree);
    this.tools = new FileTools({ environment: { ...process.env, HOME: this.home }, ...options, run: runCommand });
    this.context = {
      episode: episodeId.parse('e1-abcd'), worktree: this.worktree as AbsolutePath, checkout: this.repository.folder as AbsolutePath,
      folder: folder as FolderPath, base: commitId.parse(this.repository.git('rev-parse', 'HEAD')), brought: [], signal: new AbortController().signal,
      mayRun: (command) => {
        this.asked.push(command);
        return Promise.resolve({ allowed: true });
      },
      mayReach: () => Promise.resolve(false),
      mayShow: (file) => {
        this.askedToShow.push(file);
        return Promise.resolve(false);
      },
    };
  }

  call(name: FileTool, args: Readonly<Record<string, unknown>>, more: Partial<ToolContext> = {}): Promise<ToolResult> {
    return this.tools.run(name, args, { ...this.context, ...more });
  }

  /** Files copied in, as `.worktreeinclude` does. */
  bring(...files: string[]): void {
    this.context = { ...this.context, brought: files as FilePath[] };
  }

  at(file: string): string {
    return path.join(this.worktree, file);
  }

  read(file: string): string {
    return readFileSync(this.at(file), 'utf8');
  }

  bytes(file: string): Buffer {
    return readFileSync(this.at(file));
  }

  mode(file: string): number {
    return lstatSync(this.at(file)).mode & 0o777;
  }

  has(file: string): boolean {
    return existsSync(this.at(file));
  }

  /** What git says changed in the worktree, one porcelain line each, sorted. */
  changed(): string[] {
    const out = this.repository.git('-C', this.worktree, 'status', '--porcelain', '--untracked-files=all');
    return out === '' ? [] : out.split('\n').sort();
  }

  async close(): Promise<void> {
    await this.tools.dispose();
    this.repository.remove();
    removeFolder(this.around);
  }
}
