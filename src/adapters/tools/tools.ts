import { realpath, rm, stat } from 'node:fs/promises';
import type { AbsolutePath, CommitId, FilePath } from '../../core/ids.ts';
import { parseArguments, validateArguments, type ParsedArguments } from '../../core/tools/parseArguments.ts';
import type { FileTool, ToolContext, ToolResult, Tools } from '../../runtime/ports/tools.ts';
import type { RunRepositoryCommand } from '../commands/repositoryCommand.ts';
import type { CommittedFiles } from './committedFiles.ts';
import { editFileTool } from './editFile.ts';
import { findProgram } from './findProgram.ts';
import { makeGitGuard } from './gitGuard.ts';
import { IgnoreRules } from './ignoreRules.ts';
import { listFilesTool } from './listFiles.ts';
import { readFileTool } from './readFile.ts';
import { runTool } from './run.ts';
import { searchTool } from './search.ts';
import { failed, fileErrorWords, type ToolCall } from './toolCall.ts';
import { writeFileTool } from './writeFile.ts';

export interface FileToolsOptions {
  /** Every file of a commit: what git has is listed and searched although an ignore rule matches it. Without it, it is not. */
  readonly filesOf?: (commit: CommitId) => Promise<readonly FilePath[]>;
  /** What of a worktree's commit is not checked out there; null where everything is. Without it, everything is. */
  readonly committedOnly?: (worktree: AbsolutePath) => Promise<CommittedFiles | null>;
  /** Where commands get their path and home from, by name. Default: this process's environment. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Commands of agents, where they can do least. */
  readonly run: RunRepositoryCommand;
}

/** The tools that touch files and processes of an episode's worktree. */
export class FileTools implements Tools {
  private readonly options: FileToolsOptions;
  private readonly guards = new Map<string, string | null>();
  /** Of the commits used last: a set of all paths of a large repository is megabytes. */
  private readonly tracked = new Map<CommitId, Promise<ReadonlySet<string>>>();
  private readonly brought = new WeakMap<readonly FilePath[], ReadonlySet<string>>();

  constructor(options: FileToolsOptions) {
    this.options = options;
  }

  async run(name: FileTool, args: unknown, context: ToolContext): Promise<ToolResult> {
    try {
      context.signal.throwIfAborted();
      return await this.dispatch(name, args, context);
    } catch (error) {
      if (context.signal.aborted) return failed(`${name} was not finished: the work was stopped.`);
      if (!(await isFolder(context.worktree))) return gone();
      return failed(`${name} failed: ${fileErrorWords(error)}. Try something else; if it goes on, say so in your report and finish.`);
    }
  }

  programsThere(names: readonly string[]): ReadonlySet<string> {
    return new Set(names.filter((name) => findProgram(name, this.searchPath) !== null));
  }

  /** Removes what was made for commands outside the worktrees. */
  async dispose(): Promise<void> {
    for (const guard of this.guards.values()) if (guard !== null) await rm(guard, { recursive: true, force: true });
    this.guards.clear();
  }

  private async dispatch(name: FileTool, args: unknown, context: ToolContext): Promise<ToolResult> {
    if (!(await isFolder(context.worktree))) return gone();
    const call = await this.callFor(context);
    switch (name) {
      case 'list_files': return withArguments(parsed(name, args), (a) => listFilesTool(a, call));
      case 'read_file': return withArguments(parsed(name, args), (a) => readFileTool(a, call));
      case 'search': return withArguments(parsed(name, args), (a) => searchTool(a, call));
      case 'edit_file': return withArguments(parsed(name, args), (a) => editFileTool(a, call));
      case 'write_file': return withArguments(parsed(name, args), (a) => writeFileTool(a, call));
      case 'run': return withArguments(parsed(name, args), (a) => runTool(a, call, { inherited: this.environment, guard: this.guardFor(context.checkout), run: this.options.run }));
    }
  }

  private async callFor(context: ToolContext): Promise<ToolCall> {
    const root = await realpath(context.worktree);
    const brought = this.broughtOf(context.brought);
    return {
      ...context, root,
      rules: new IgnoreRules(root),
      tracked: () => this.trackedAt(context.base),
      committed: await this.options.committedOnly?.(context.worktree) ?? null,
      isBrought: (path) => selfAndParents(path).some((p) => brought.has(p)),
    };
  }

  private get environment(): NodeJS.ProcessEnv {
    return this.options.environment ?? process.env;
  }

  private get searchPath(): string {
    return Object.entries(this.environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  }

  private guardFor(checkout: string): string | null {
    let guard = this.guards.get(checkout);
    if (guard === undefined) {
      guard = makeGitGuard(checkout, this.searchPath);
      this.guards.set(checkout, guard);
    }
    return guard;
  }

  private broughtOf(files: readonly FilePath[]): ReadonlySet<string> {
    let set = this.brought.get(files);
    if (set === undefined) {
      set = new Set(files.map((f) => f.replace(/\/+$/, '')));
      this.brought.set(files, set);
    }
    return set;
  }

  private async trackedAt(commit: CommitId): Promise<ReadonlySet<string>> {
    const { filesOf } = this.options;
    if (filesOf === undefined) return new Set();
    let files = this.tracked.get(commit);
    if (files === undefined) {
      files = filesOf(commit).then((paths) => new Set(paths.flatMap(selfAndParents)));
      this.tracked.set(commit, files);
      for (const old of [...this.tracked.keys()].slice(0, -4)) this.tracked.delete(old);
      // A failure is not kept: the next call asks again.
      files.catch(() => this.tracked.delete(commit));
    }
    return files;
  }
}

/** Arguments as the model's text, or as a value that was parsed already. */
function parsed<N extends FileTool>(name: N, args: unknown): ParsedArguments<N> {
  return typeof args === 'string' ? parseArguments(name, args) : validateArguments(name, args);
}

async function withArguments<N extends FileTool>(args: ParsedArguments<N>, run: (args: Extract<ParsedArguments<N>, { ok: true }>['args']) => Promise<ToolResult>): Promise<ToolResult> {
  return args.ok ? run(args.args) : failed(args.words);
}

function selfAndParents(path: string): string[] {
  const all = [path];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) all.push(path.slice(0, end));
  return all;
}

async function isFolder(absolute: string): Promise<boolean> {
  return stat(absolute).then((s) => s.isDirectory(), () => false);
}

function gone(): ToolResult {
  return { ...failed('The worktree of this work is gone: its folder does not exist any more. Nothing can be read or written.'), worktreeGone: true };
}
