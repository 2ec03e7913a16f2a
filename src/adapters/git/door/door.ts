import { simpleGit } from 'simple-git';
import type { AbsolutePath } from '../../../core/ids.ts';
import { CONFIG, gitEnvironment } from './environment.ts';
import { GitFailure, failureKind } from './failure.ts';
import { runGit } from './gitProcess.ts';
import type { GitResult, SpawnRequest } from './gitProcess.ts';
import { HeldProcess } from './heldProcess.ts';
import { WorkQueue } from './queue.ts';
import type { Priority } from './queue.ts';

/** Milliseconds after which a call is ended, unless it says otherwise. */
export const DEFAULT_TIMEOUT_MS = 60_000;
/** For calls that write many files: a checkout of a large repository on a slow disk. */
export const CHECKOUT_TIMEOUT_MS = 15 * 60_000;

/** Where a repository is. Found once, by `discover`, from a folder of the person's; never from a worktree (rule 11). */
export interface GitPlace {
  /** Top of the checkout that was opened. */
  readonly checkout: AbsolutePath;
  /** That checkout's own git folder: HEAD and index are there. In a linked worktree not the common one. */
  readonly gitDir: AbsolutePath;
  /** What all linked worktrees share. */
  readonly commonDir: AbsolutePath;
}

export interface CallOptions {
  /**
   * True for what takes a lock of git's: refs, an index, registrations, config. One such call runs at a time.
   * Writing objects only (hash-object, write-tree with an index of its own, commit-tree) is no write in this sense.
   */
  readonly write: boolean;
  /**
   * What a write has to itself; left out, the repository. A worktree's path, where only that worktree's files and
   * index are written: it waits for nothing but writes of the same worktree.
   */
  readonly scope?: AbsolutePath;
  /** Left out, the opened checkout's git folder. */
  readonly gitDir?: AbsolutePath;
  /** Left out, the call touches no files. */
  readonly workTree?: AbsolutePath;
  /** Left out, the worktree, else the git folder. */
  readonly cwd?: AbsolutePath;
  readonly stdin?: Uint8Array | string;
  /** `GIT_INDEX_FILE`, identities and dates of commits, `GIT_LFS_SKIP_SMUDGE`. All other `GIT_*` are scrubbed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further `-c` settings: `checkout.workers=4`. */
  readonly config?: readonly string[];
  readonly signal?: AbortSignal;
  /** Milliseconds; 60,000 where left out. */
  readonly timeoutMs?: number;
  /** Exit codes besides 0 that are answers, not failures. */
  readonly allowExit?: readonly number[];
  /** Left out, interactive. */
  readonly priority?: Priority;
}

type HoldOptions = Pick<CallOptions, 'write' | 'gitDir' | 'workTree' | 'cwd' | 'env' | 'config' | 'signal'>;

/** Calls of git. All of them throw `GitFailure`. */
export interface GitCalls {
  /** Raw bytes, input and exit code. */
  run(args: readonly string[], options: CallOptions): Promise<GitResult>;
  /** A process that lives on. It stands in no queue: one that locks (`update-ref --stdin`) belongs into `exclusive`. */
  hold(args: readonly string[], options: HoldOptions): HeldProcess;
}

/** The one door to git, one per repository. Nothing else in the product starts git on it. */
export class GitDoor implements GitCalls {
  readonly place: GitPlace;
  readonly #readers = new WorkQueue(8);
  readonly #writers = new Map<string, WorkQueue>();

  constructor(place: GitPlace) {
    this.place = place;
  }

  run(args: readonly string[], options: CallOptions): Promise<GitResult> {
    return this.#queued(args, options, () => this.#runNow(args, options));
  }

  hold(args: readonly string[], options: HoldOptions): HeldProcess {
    return new HeldProcess(this.#spawnRequest(args, options), options.signal);
  }

  /** A short answer in text, trimmed, by way of simple-git: for reading only. */
  text(args: readonly string[], options: Pick<CallOptions, 'gitDir' | 'signal' | 'timeoutMs' | 'priority'> = {}): Promise<string> {
    return this.#queued(args, { ...options, write: false }, () => this.#textNow(args, options));
  }

  /**
   * Several calls as one write: others wait until `work` is over. Inside, use the calls that it is given; a write
   * through the door itself would wait for ever.
   */
  exclusive<T>(options: Pick<CallOptions, 'scope' | 'signal' | 'priority'>, work: (git: GitCalls) => Promise<T>): Promise<T> {
    const calls: GitCalls = {
      run: (args, inner) => this.#runNow(args, inner),
      hold: (args, inner) => this.hold(args, inner),
    };
    return this.#queued(['exclusive'], { ...options, write: true }, () => work(calls));
  }

  async #queued<T>(args: readonly string[], options: Pick<CallOptions, 'write' | 'scope' | 'signal' | 'priority'>, work: () => Promise<T>): Promise<T> {
    const priority = options.priority ?? 'interactive';
    const scope = options.scope ?? this.place.commonDir;
    const queue = options.write ? (this.#writers.get(scope) ?? new WorkQueue(1)) : this.#readers;
    if (options.write) this.#writers.set(scope, queue);
    try {
      return await queue.run(priority, options.signal, work);
    } catch (error) {
      throw options.signal?.aborted === true && error === options.signal.reason ? new GitFailure('cancelled', { args }, { cause: error }) : error;
    } finally {
      if (options.write && queue.idle && this.#writers.get(scope) === queue) this.#writers.delete(scope);
    }
  }

  #runNow(args: readonly string[], options: CallOptions): Promise<GitResult> {
    return runGit({
      ...this.#spawnRequest(args, options),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.allowExit === undefined ? {} : { allowExit: options.allowExit }),
    });
  }

  async #textNow(args: readonly string[], options: Pick<CallOptions, 'gitDir' | 'signal' | 'timeoutMs'>): Promise<string> {
    const gitDir = options.gitDir ?? this.place.gitDir;
    try {
      return await simpleGit({
        baseDir: gitDir,
        config: [...CONFIG],
        trimmed: true,
        timeout: { block: options.timeoutMs ?? DEFAULT_TIMEOUT_MS },
        allowEnvironment: Object.keys(gitEnvironment(process.env, { write: false })),
        // Opened for our own arguments: settings that turn something off, and the git folder that is given, not searched.
        unsafe: { allowUnsafeFsMonitor: true, allowUnsafeHooksPath: true, allowUnsafeDiffExternal: true, allowUnsafeConfigPaths: true },
        // Left alone, simple-git takes an exit code without a word on stderr for a success.
        errors: (error, result) => error ?? (result.exitCode === 0 ? undefined : Buffer.from(`exit code ${result.exitCode}`)),
        ...(options.signal === undefined ? {} : { abort: options.signal }),
      })
        .env(gitEnvironment(process.env, { write: false }))
        .raw([`--git-dir=${gitDir}`, ...args]);
    } catch (error) {
      if (options.signal?.aborted === true) throw new GitFailure('cancelled', { args }, { cause: error });
      const stderr = error instanceof Error ? error.message : String(error);
      throw new GitFailure(/block timeout/.test(stderr) ? 'timed-out' : failureKind(stderr), { args, stderr }, { cause: error });
    }
  }

  #spawnRequest(args: readonly string[], options: HoldOptions): SpawnRequest {
    const gitDir = options.gitDir ?? this.place.gitDir;
    return {
      args,
      gitDir,
      cwd: options.cwd ?? options.workTree ?? gitDir,
      write: options.write,
      ...(options.workTree === undefined ? {} : { workTree: options.workTree }),
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.config === undefined ? {} : { config: options.config }),
    };
  }
}
