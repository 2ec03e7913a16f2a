import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { GitDoor } from '../../../src/adapters/git/door/door.ts';
import type { GitPlace } from '../../../src/adapters/git/door/door.ts';
import { createCandidates } from '../../../src/adapters/git/candidates/candidates.ts';
import { createLines } from '../../../src/adapters/git/lines/lines.ts';
import { GitRepository } from '../../../src/adapters/git/reading/repository.ts';
import type { AbsolutePath, CommitId, EpisodeId, FilePath, MoveId, RefName } from '../../../src/core/ids.ts';
import type { PreparedMove } from '../../../src/core/ledger/events.ts';
import type { MoveStep } from '../../../src/runtime/ports/lines.ts';
import { makeTemporaryRepository } from '../../support/temporaryRepository.ts';
import type { FileTree, TemporaryRepository } from '../../support/temporaryRepository.ts';

// The product's own git calls must not see the configuration of the machine that runs the tests.
Object.assign(process.env, { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' });

export const MAIN = 'refs/heads/main' as RefName;

/** A repository with a person in it who works on `main`, and the ports that an accept goes through. */
export function makeLineWorld(files: FileTree) {
  const repository = makeTemporaryRepository(files);
  repository.git('config', 'user.name', 'Ada Person');
  repository.git('config', 'user.email', 'ada@example.test');
  const place: GitPlace = { checkout: repository.folder as AbsolutePath, gitDir: `${repository.folder}/.git` as AbsolutePath, commonDir: `${repository.folder}/.git` as AbsolutePath };
  const door = new GitDoor(place);
  const reading = new GitRepository(door);
  return {
    repository, place, door, reading,
    candidates: createCandidates(door, reading),
    lines: createLines(door),
    head: () => repository.git('rev-parse', 'HEAD') as CommitId,
    /** A commit on top of `base` made elsewhere, as a candidate is; the checkout does not see it. */
    commitElsewhere: (changes: FileTree, base = 'HEAD'): CommitId => commitElsewhere(repository, changes, base),
    remove: async () => {
      await reading.close();
      repository.remove();
    },
  };
}
export type LineWorld = ReturnType<typeof makeLineWorld>;

let counter = 0;

export function moveTo(world: LineWorld, to: CommitId, more: Partial<PreparedMove> = {}): PreparedMove {
  const old = more.old === undefined ? world.head() : more.old;
  const paths = old === null ? [] : world.repository.git('diff-tree', '-r', '-z', '--name-only', '--no-renames', old, to).split('\0').filter((name) => name !== '') as FilePath[];
  return {
    move: `m${++counter}` as MoveId, episode: 'e12-k3f9' as EpisodeId, candidate: 1, kind: 'accept', target: { kind: 'branch', ref: MAIN }, ref: MAIN, old, new: to,
    checkouts: [world.place.checkout], paths, override: null, ...more,
  };
}

interface MoveExtras {
  readonly onStep?: (step: MoveStep) => Promise<void>;
  readonly unsaved?: readonly AbsolutePath[];
  readonly signal?: AbortSignal;
}

export function moveLine(world: LineWorld, move: PreparedMove, extras: MoveExtras = {}) {
  return world.lines.move(move, {
    unsaved: () => Promise.resolve(extras.unsaved ?? []),
    ...(extras.onStep === undefined ? {} : { onStep: extras.onStep }),
    signal: extras.signal ?? new AbortController().signal,
  });
}

/** Everything of a person's that an accept must leave alone, as one text that can be compared. */
export function personsThings(world: LineWorld): Record<string, string> {
  const git = (...args: readonly string[]): string => world.repository.git(...args);
  const gitDir = path.join(world.repository.folder, '.git');
  return {
    stash: git('stash', 'list', '--format=%H %gs'),
    config: hashOf(path.join(gitDir, 'config')),
    hooks: hashOf(path.join(gitDir, 'hooks')),
    branches: git('for-each-ref', 'refs/heads', 'refs/tags', '--format=%(refname) %(objectname)').split('\n').filter((line) => !line.startsWith(`${MAIN} `)).join('\n'),
    origHead: String(existsSync(path.join(gitDir, 'ORIG_HEAD'))),
    locks: allFiles(gitDir).filter((file) => file.endsWith('.lock')).join(' '),
    leftovers: existsSync(path.join(gitDir, 'worldtree')) ? allFiles(path.join(gitDir, 'worldtree')).join(' ') : '',
  };
}

/** Files on disk with kind, mode and content, without git's own. */
export function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(allFiles(folder).filter((file) => !file.startsWith('.git/')).map((file) => [file, contentOf(path.join(folder, file))]));
}

/** What is staged: every entry of the index. */
export function staged(world: LineWorld, folder = world.repository.folder): string {
  return world.repository.git('-C', folder, 'ls-files', '--stage');
}

export function status(world: LineWorld, folder = world.repository.folder): string {
  return world.repository.git('-C', folder, 'status', '--porcelain');
}

function commitElsewhere(repository: TemporaryRepository, changes: FileTree, base: string): CommitId {
  const elsewhere = `${repository.folder}-elsewhere-${++counter}`;
  repository.git('worktree', 'add', '--quiet', '--detach', elsewhere, base);
  try {
    writeInto(repository, elsewhere, changes);
    repository.git('-C', elsewhere, 'add', '--all', '--force');
    repository.git('-C', elsewhere, '-c', 'user.name=Worldtree', '-c', 'user.email=w@example.test', 'commit', '--quiet', '--no-verify', '-m', 'candidate');
    return repository.git('-C', elsewhere, 'rev-parse', 'HEAD') as CommitId;
  } finally {
    repository.git('worktree', 'remove', '--force', elsewhere);
  }
}

/** The same writing as in the repository itself: the path leads from there to the folder beside it. */
function writeInto(repository: TemporaryRepository, folder: string, files: FileTree): void {
  repository.write(Object.fromEntries(Object.entries(files).map(([name, spec]) => [`../${path.basename(folder)}/${name}`, spec])));
}

function contentOf(file: string): string {
  const found = lstatSync(file);
  if (found.isSymbolicLink()) return `link ${readlinkSync(file)}`;
  return `${found.mode & 0o111 ? 'x' : '-'} ${createHash('sha1').update(readFileSync(file)).digest('hex')}`;
}

function hashOf(file: string): string {
  if (!existsSync(file)) return 'none';
  if (lstatSync(file).isDirectory()) return allFiles(file).map((name) => `${name} ${contentOf(path.join(file, name))}`).join('\n');
  return contentOf(file);
}

function allFiles(folder: string, below = ''): string[] {
  return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? allFiles(folder, name) : [name];
  }).sort();
}
