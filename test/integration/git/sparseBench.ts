import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../../../src/adapters/commands/runCommand.ts';
import { createCandidates } from '../../../src/adapters/git/candidates/candidates.ts';
import { LeftOutFiles } from '../../../src/adapters/git/worktrees/leftOutFiles.ts';
import { FileTools } from '../../../src/adapters/tools/tools.ts';
import type { CommitId } from '../../../src/core/ids.ts';
import { folderPath } from '../../../src/core/ids.ts';
import type { RoleName } from '../../../src/core/ledger/events.ts';
import { extentFor } from '../../../src/core/world/extent.ts';
import type { Snapshot } from '../../../src/runtime/ports/candidates.ts';
import type { FileTool, ToolResult } from '../../../src/runtime/ports/tools.ts';
import type { PreparedWorktree, PrepareRequest } from '../../../src/runtime/ports/worktrees.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { makeTemporaryRepository, writeFiles, type FileTree, type TemporaryRepository } from '../../support/temporaryRepository.ts';
import { commit, episode, openRepository, photograph, preparation } from './support.ts';

interface SparseOptions {
  readonly needs?: readonly string[];
  readonly role?: RoleName;
  /** What the person's repository is besides; its worktree is made afterwards. */
  readonly change?: (temporary: TemporaryRepository) => void;
  readonly more?: Partial<PrepareRequest>;
}

/** A real repository with a sparse worktree of ours for one folder, the tools of its agent, and what becomes of its files. */
export class SparseBench {
  readonly temporary: TemporaryRepository;
  readonly opened: Awaited<ReturnType<typeof openRepository>>;
  readonly made: PreparedWorktree;
  readonly head: CommitId;
  readonly #tools: FileTools;
  readonly #folder: string;
  readonly #around: string;

  private constructor(temporary: TemporaryRepository, around: string, opened: SparseBench['opened'], made: PreparedWorktree, head: CommitId, folder: string) {
    this.temporary = temporary;
    this.#around = around;
    this.opened = opened;
    this.made = made;
    this.head = head;
    this.#folder = folder;
    const leftOut = new LeftOutFiles(opened.door, opened.repository);
    this.#tools = new FileTools({ run: runCommand, committedOnly: (worktree) => leftOut.of(worktree), filesOf: async (at) => (await opened.repository.list(at, folderPath.parse(''))).map((entry) => entry.path) });
  }

  static async start(files: FileTree, folder: string, { needs, role = 'executor', change, more }: SparseOptions = {}): Promise<SparseBench> {
    const temporary = makeTemporaryRepository(files);
    const around = makeTemporaryFolder('outside');
    const head = commit(temporary.git('rev-parse', 'HEAD'));
    change?.(temporary);
    const opened = await openRepository(temporary.folder, path.join(around, 'worktrees'));
    const made = await opened.worktrees.prepare(preparation('e1-abcd', head, {
      extent: extentFor({ setting: 'sparse', role, folder: folderPath.parse(folder), needs: needs?.map((name) => folderPath.parse(name)) ?? null }), ...more,
    }));
    return new SparseBench(temporary, around, opened, made, head, folder);
  }

  call(name: FileTool, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    return this.#tools.run(name, args, {
      episode: episode('e1-abcd'), worktree: this.made.path, checkout: this.opened.place.checkout, folder: folderPath.parse(this.#folder), base: this.head, brought: this.made.brought, signal: new AbortController().signal,
      mayRun: () => Promise.resolve({ allowed: true }), mayReach: () => Promise.resolve(false), mayShow: () => Promise.resolve(true),
    });
  }

  /** As a command of the agent does; null deletes. */
  write(files: FileTree): void {
    writeFiles(this.made.path, files);
  }

  read(file: string): string {
    return readFileSync(path.join(this.made.path, file), 'utf8');
  }

  /** Names on disk, without git's own. */
  onDisk(): string[] {
    return Object.keys(photograph(this.made.path)).filter((name) => name !== '.git').sort();
  }

  async snapshot(base: CommitId = this.head): Promise<Snapshot> {
    return createCandidates(this.opened.door, this.opened.repository).snapshot({ worktree: this.made.path, base, brought: this.made.brought, written: [], forced: [] });
  }

  /** Changed paths with how, as a candidate would have them. */
  async changes(base?: CommitId): Promise<Record<string, string>> {
    return Object.fromEntries((await this.snapshot(base)).changed.map((file) => [file.path, file.kind]));
  }

  /** A candidate of what the worktree holds now. */
  async candidate(): Promise<CommitId> {
    const { tree } = await this.snapshot();
    return createCandidates(this.opened.door, this.opened.repository).commit({ tree, parent: this.head, message: 'Change\n', ref: 'refs/worldtree/episodes/e1-abcd/candidate/1' as never });
  }

  show(of: string, file: string): string {
    return this.temporary.git('show', `${of}:${file}`);
  }

  forgetMemory(): void {
    rmSync(`${this.made.path}.brought`);
  }

  async close(): Promise<void> {
    await this.#tools.dispose();
    await this.opened.close();
    this.temporary.remove();
    removeFolder(this.#around);
  }
}
