import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { runCommand } from '../../src/adapters/commands/runCommand.ts';
import { createCandidates } from '../../src/adapters/git/candidates/candidates.ts';
import { GitDoor } from '../../src/adapters/git/door/door.ts';
import { createLines } from '../../src/adapters/git/lines/lines.ts';
import { discover } from '../../src/adapters/git/reading/discovery.ts';
import { ObjectReader } from '../../src/adapters/git/reading/objectReader.ts';
import { GitRepository } from '../../src/adapters/git/reading/repository.ts';
import { register } from '../../src/adapters/git/worktrees/registration.ts';
import { worktreeAccess } from '../../src/adapters/git/worktrees/worktreeAccess.ts';
import { fillWorktree } from '../../src/adapters/git/worktrees/worktreeFiles.ts';
import { GitWorktrees } from '../../src/adapters/git/worktrees/worktrees.ts';
import { absolutePath, commitId, episodeId, filePath, refName } from '../../src/core/ids.ts';
import type { AbsolutePath, CommitId, EpisodeId, FolderPath } from '../../src/core/ids.ts';
import { parentFolder } from '../../src/core/paths.ts';
import { EVERYTHING, extentFor, type Extent } from '../../src/core/world/extent.ts';
import type { PreparedWorktree } from '../../src/runtime/ports/worktrees.ts';
import { git } from './benchRepository.ts';
import { interleaved } from './measure.ts';

export interface Finding {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
  /** Why the goal is not met; null where it is. */
  readonly because: string | null;
}

/** All ratios for one repository. */
export async function benchRepository(folder: string, rounds: number): Promise<readonly Finding[]> {
  const bench = await GitBench.open(folder);
  try {
    return [...await bench.checkouts(rounds), ...await bench.candidates(rounds), ...await bench.integrations(), ...await bench.reads()];
  } finally {
    await bench.close();
  }
}

/** Worktrees asked for all at once: none may fail, and nothing half-made may stay (A5). */
export async function manyAtOnce(folder: string, count: number): Promise<Finding> {
  const bench = await GitBench.open(folder);
  try {
    const from = performance.now();
    const made = await Promise.allSettled(Array.from({ length: count }, () => bench.prepare()));
    const failed = made.filter((one) => one.status === 'rejected');
    const seconds = (performance.now() - from) / 1_000;
    if (failed[0] !== undefined) throw failed[0].reason;
    return { what: `${count} worktrees made at once`, measured: `${failed.length} errors in ${seconds.toFixed(1)} s`, goal: '0 errors', because: null };
  } finally {
    await bench.close();
  }
}

const CHANGED_FILES = 10;
const READS = 200;
const INTEGRATIONS = 40;

class GitBench {
  readonly #folder: string;
  readonly #root: AbsolutePath;
  readonly #door: GitDoor;
  readonly #repository: GitRepository;
  readonly #worktrees: GitWorktrees;
  readonly #head: CommitId;
  readonly #files: readonly string[];
  #made = 0;

  private constructor(folder: string, door: GitDoor) {
    this.#folder = folder;
    this.#root = absolutePath.parse(`${folder}.worktrees`);
    this.#door = door;
    this.#repository = new GitRepository(door);
    this.#worktrees = new GitWorktrees(door, { root: this.#root, submodules: () => 'leave', run: runCommand });
    this.#head = commitId.parse(git(folder, 'rev-parse', 'HEAD'));
    this.#files = git(folder, 'ls-files', '-z').split('\0').filter((name) => name !== '');
    mkdirSync(this.#root, { recursive: true });
  }

  static async open(folder: string): Promise<GitBench> {
    const place = await discover(folder);
    if (place === null) throw new Error(`${folder} is no repository`);
    return new GitBench(folder, new GitDoor(place));
  }

  async close(): Promise<void> {
    for (let number = 1; number <= this.#made; number++) await this.#worktrees.remove(this.#episode(number), null);
    await this.#worktrees.emptyTrash();
    await Promise.all([this.#worktrees.close(), this.#repository.close()]);
  }

  prepare(extent: Extent = EVERYTHING): Promise<PreparedWorktree> {
    return this.#worktrees.prepare({ episode: this.#episode(++this.#made), commit: this.#head, extent, setup: null, signal: new AbortController().signal, progress: () => undefined, mayRun: () => Promise.resolve(true) });
  }

  async checkouts(rounds: number): Promise<Finding[]> {
    const plain = path.join(this.#root, 'plain');
    const sparse = path.join(this.#root, 'sparse');
    const ours = absolutePath.parse(path.join(this.#root, 'ours'));
    const workers = path.join(this.#root, 'workers');
    const remove = (at: string) => (): void => { git(this.#folder, 'worktree', 'remove', '--force', '--force', at); };
    const removeOurs = async (): Promise<void> => {
      await this.#worktrees.remove(this.#episode(this.#made), null);
      await this.#worktrees.emptyTrash();
    };
    const times = await interleaved([
      { name: 'add', run: () => this.#git('worktree', 'add', '--quiet', '--detach', plain), after: remove(plain) },
      { name: 'workers', run: () => this.#git('-c', 'checkout.workers=4', 'worktree', 'add', '--quiet', '--detach', workers), after: remove(workers) },
      { name: 'sparse', run: () => this.#sparse(sparse), after: remove(sparse) },
      { name: 'checkout', run: async () => {
        await register(this.#door, ours, this.#head);
        await fillWorktree(this.#door, await worktreeAccess(this.#door, ours), this.#head, []);
      }, after: remove(ours) },
      { name: 'product', run: () => this.prepare(), after: removeOurs },
      { name: 'productSparse', run: () => this.prepare(extentFor({ setting: 'sparse', role: 'executor', folder: this.#someFolder(), needs: null })), after: removeOurs },
    ], rounds);
    const add = times.get('add') ?? Number.NaN;
    const large = this.#files.length >= 500;
    const full = large ? 0.8 : 1.5;
    const ratio = (what: string, way: string, goal: number, because: string): Finding => {
      const took = times.get(way) ?? Number.NaN;
      return { what, measured: `${(took / add).toFixed(2)} (${ms(took)} against ${ms(add)})`, goal: `<= ${goal}`, because: took / add <= goal ? null : because };
    };
    const busy = `a busy machine (load ${loadavg()[0]?.toFixed(1) ?? ''} on ${availableParallelism()} processors) has no processor to spare for more workers`;
    return [
      ...(large ? [
        ratio('sparse at one folder, by git alone, to add --detach', 'sparse', 0.12, 'git is slow here'),
        ratio('the agent’s sparse worktree, checked out and verified', 'productSparse', 0.12, 'nine processes register, check out and compare with the commit before the agent starts (rule 1), where git alone takes two'),
        ratio('add with 4 checkout workers, by git alone', 'workers', full, busy),
      ] : []),
      ratio('the agent’s worktree, checked out', 'checkout', full, large ? busy : 'two processes do what add does in one'),
      ratio('the agent’s worktree, checked out and verified', 'product', full, 'every file is compared with the commit before the agent starts (rule 1)'),
    ];
  }

  #someFolder(): FolderPath {
    return parentFolder(filePath.parse(this.#files[Math.floor(this.#files.length / 2)]));
  }

  /** As git itself would do it: nobody's config is written. */
  async #sparse(at: string): Promise<void> {
    const folder = this.#someFolder();
    await this.#git('worktree', 'add', '--quiet', '--detach', '--no-checkout', at);
    const admin = path.join(this.#folder, '.git/worktrees', path.basename(at));
    mkdirSync(path.join(admin, 'info'), { recursive: true });
    const above = folder.split('/').map((_, i, parts) => `/${parts.slice(0, i + 1).join('/')}/\n`);
    writeFileSync(path.join(admin, 'info/sparse-checkout'), `/*\n!/*/\n${above.map((line, i) => (i < above.length - 1 ? `${line}!${line.trim()}*/\n` : line)).join('')}`);
    await this.#door.run(['read-tree', '-m', '-u', 'HEAD'], { write: true, gitDir: absolutePath.parse(admin), workTree: absolutePath.parse(at), config: ['core.sparseCheckout=true', 'core.sparseCheckoutCone=true', 'index.sparse=true'] });
  }

  async candidates(rounds: number): Promise<Finding[]> {
    const candidates = createCandidates(this.#door, this.#repository);
    const plain = path.join(this.#root, 'committed');
    git(this.#folder, 'worktree', 'add', '--quiet', '--detach', plain);
    // The first look after a checkout hashes files of the same second, on both sides.
    git(plain, 'status', '--porcelain');
    const { path: worktree } = await this.prepare();
    const ref = refName.parse('refs/worldtree/episodes/e1-abcd/candidate/1');
    const times = await interleaved([
      { name: 'commit', before: () => this.#change(plain), run: async () => {
        await this.#git('-C', plain, 'add', '-A');
        await this.#git('-C', plain, 'commit', '--quiet', '-m', 'Changed');
      } },
      { name: 'product', before: () => this.#change(worktree), run: async () => {
        const { tree } = await candidates.snapshot({ worktree, base: this.#head, brought: [], written: [], forced: [] });
        await candidates.commit({ tree, parent: this.#head, message: 'Changed', ref });
      } },
    ], rounds);
    git(this.#folder, 'worktree', 'remove', '--force', plain);
    const [commit, product] = [times.get('commit') ?? Number.NaN, times.get('product') ?? Number.NaN];
    return [{ what: `candidate of ${CHANGED_FILES} files to add -A && commit`, measured: `${(product / commit).toFixed(2)} (${ms(product)} against ${ms(commit)})`, goal: '<= 0.5', because: product / commit <= 0.5 ? null : 'the whole worktree is looked at again after staging, so that nothing is left out (rule 6), by nine processes in six steps' }];
  }

  #change(worktree: string): void {
    for (const file of this.#files.filter((_, i) => i % Math.ceil(this.#files.length / CHANGED_FILES) === 0)) appendFileSync(path.join(worktree, file), `// ${this.#made} ${performance.now()}\n`);
  }

  /** One accept after the other onto a branch that nobody has checked out: merge, commit, ref. */
  async integrations(): Promise<Finding[]> {
    const candidates = createCandidates(this.#door, this.#repository);
    const lines = createLines(this.#door);
    const theirs: CommitId[] = [];
    const baseTree = await this.#repository.treeOf(this.#head);
    for (let i = 0; i < INTEGRATIONS; i++) {
      const tree = await candidates.withFile(baseTree, filePath.parse(`new/file${i}.txt`), Buffer.from(`${i}\n`));
      theirs.push(await candidates.commit({ tree, parent: this.#head, message: `Change ${i}`, ref: refName.parse(`refs/worldtree/episodes/e1-abcd/candidate/${i + 1}`) }));
    }
    let tip = this.#head;
    const from = performance.now();
    for (const [i, candidate] of theirs.entries()) {
      const merged = await candidates.merge(this.#head, tip, candidate);
      if (merged.kind !== 'clean') throw new Error(`change ${i} conflicts`);
      const next = await lines.commitAsPerson({ tree: merged.tree, parents: [tip], message: `Change ${i}` }, new AbortController().signal);
      await this.#door.run(['update-ref', 'refs/heads/integrated', next, i === 0 ? '0'.repeat(next.length) : tip], { write: true });
      tip = next;
    }
    const second = INTEGRATIONS / ((performance.now() - from) / 1_000);
    git(this.#folder, 'update-ref', '-d', 'refs/heads/integrated');
    return [{ what: 'integrations: merge, the person’s commit, ref', measured: `${second.toFixed(0)} a second`, goal: '>= 80', because: second >= 80 ? null : 'six processes each: three merge, one asks whether the person signs, one commits, one moves the ref; what one costs is the last row' }];
  }

  async reads(): Promise<Finding[]> {
    const reader = new ObjectReader(this.#door);
    const names = Array.from({ length: READS }, (_, i) => `${this.#head}:${this.#files[(i * 37) % this.#files.length] ?? ''}`);
    const few = names.slice(0, 20);
    const times = await interleaved([
      { name: 'spawn', run: async () => { for (const name of few) await this.#git('cat-file', 'blob', name); } },
      { name: 'product', run: async () => { for (const name of names) await reader.contents(name); } },
    ], 5);
    await reader.close();
    const [spawn, product] = [(times.get('spawn') ?? Number.NaN) / few.length, (times.get('product') ?? Number.NaN) / names.length];
    return [{ what: 'reading a blob, one after the other, to a spawn each', measured: `${(spawn / product).toFixed(0)} times faster (${ms(product)} against ${ms(spawn)})`, goal: '>= 20 times', because: spawn / product >= 20 ? null : 'the process that reads objects waits for a processor' }];
  }

  /** Git as from a terminal, without a queue and without the door's settings. */
  async #git(...args: readonly string[]): Promise<void> {
    await new Promise<void>((resolve) => {
      git(this.#folder, ...args);
      resolve();
    });
  }

  #episode(number: number): EpisodeId {
    return episodeId.parse(`e${number}-abcd`);
  }
}

function ms(value: number): string {
  return value < 1 ? `${value.toFixed(3)} ms` : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
