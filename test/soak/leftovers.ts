import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../../src/adapters/commands/runCommand.ts';
import { GitDoor } from '../../src/adapters/git/door/door.ts';
import { discover } from '../../src/adapters/git/reading/discovery.ts';
import { GitWorktrees } from '../../src/adapters/git/worktrees/worktrees.ts';
import { openSpending } from '../../src/adapters/spending/openSpending.ts';
import { episodeRefs } from '../../src/core/candidate/refs.ts';
import { absolutePath } from '../../src/core/ids.ts';
import { run } from './personAtWork.ts';
import type { Row } from './window.child.ts';

export interface LeftoverCheck {
  readonly checkout: string;
  readonly storage: string;
  readonly temporary: string;
  /** No process may work in or with these. */
  readonly folders: readonly string[];
  readonly rows: readonly Row[];
}

/** What a last sweep leaves of the agents' work besides ledger, transcripts and refs; and refs that do not hold what they must. */
export async function leftovers({ checkout, storage, temporary, folders, rows }: LeftoverCheck): Promise<string[]> {
  const wrong: string[] = [];
  const git = path.join(checkout, '.git');
  const root = path.join(storage, 'worktrees');
  await sweep(checkout, root);

  const registered = run(checkout, 'worktree', 'list', '--porcelain').split('\n').filter((line) => line.startsWith('worktree ')).slice(1);
  wrong.push(...registered.map((line) => `still registered: ${line}`));
  wrong.push(...below(path.join(git, 'worktrees')).map((name) => `half-made registration: ${name}`));
  wrong.push(...below(root).filter((name) => !/^[0-9a-f]{8}(\/\.trash)?$/.test(name)).map((name) => `left in the folder for worktrees: ${name}`));
  wrong.push(...below(temporary).map((name) => `left in the temporary folder: ${name}`));
  wrong.push(...await leftReservations(storage));
  wrong.push(...[...below(git), ...below(storage)].filter((name) => /\.(lock|tmp|new|taken|refused)$/.test(name)).map((name) => `left lock or half-written file: ${name}`));
  for (const name of ['inbox', 'moves']) wrong.push(...below(path.join(git, 'worldtree', name)).map((file) => `left in ${name}: ${file}`));
  wrong.push(...processesIn(folders).map((words) => `still runs: ${words}`));
  // What only a reflog or luck holds goes; a candidate stays by its ref.
  run(checkout, 'reflog', 'expire', '--expire=now', '--all', '--updateref');
  run(checkout, 'gc', '--quiet', '--prune=now');
  run(checkout, 'fsck', '--connectivity-only', '--no-dangling');
  const refs = new Map(run(checkout, 'for-each-ref', '--format=%(refname) %(objectname) %(objecttype)', 'refs/worldtree/').split('\n').map((line) => {
    const [ref = '', object = '', type = ''] = line.split(' ');
    return [ref, { object, type }] as const;
  }));
  for (const row of rows) {
    for (const { number, commit } of row.candidates) if (refs.get(episodeRefs(row.id).candidate(number))?.object !== commit) wrong.push(`candidate ${number} of ${row.id} is not at its ref`);
    const known = new Set<string>(row.candidates.map(({ number }) => episodeRefs(row.id).candidate(number)));
    wrong.push(...[...refs.keys()].filter((ref) => ref.startsWith(episodeRefs(row.id).candidates) && !known.has(ref)).map((ref) => `a ref of no candidate: ${ref}`));
    if (row.phase === 'ended' && refs.get(episodeRefs(row.id).record)?.type !== 'commit') wrong.push(`${row.id} ended without a record`);
  }
  wrong.push(...[...refs.keys()].filter((ref) => ref.startsWith('refs/worldtree/scratch/')).map((ref) => `left ref: ${ref}`));
  return wrong;
}

/** Without the grace in which the end of a request may still be told: that of a killed window never is. */
async function leftReservations(storage: string): Promise<string[]> {
  const spending = openSpending(absolutePath.parse(path.join(storage, 'spending')), { graceMs: 0 });
  // Any change books what was reserved by windows that are gone.
  await spending.raise({ usd: 0, unpricedTokens: 0 });
  const { reserved } = await spending.today();
  await spending.close();
  return reserved.usd === 0 && reserved.unpricedTokens === 0 ? [] : [`still reserved of the day's cap: ${JSON.stringify(reserved)}`];
}

async function sweep(checkout: string, root: string): Promise<void> {
  const place = await discover(checkout);
  if (place === null) throw new Error(`${checkout} is no repository any more`);
  const door = new GitDoor(place);
  const worktrees = new GitWorktrees(door, { root: absolutePath.parse(root), submodules: () => 'leave', run: runCommand });
  await worktrees.sweep(() => true);
  await worktrees.emptyTrash();
  await worktrees.close();
}

function below(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
}

/** Processes whose folder or command line lies in one of the folders; only where the system tells. */
function processesIn(folders: readonly string[]): string[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid).flatMap((pid) => {
    try {
      const words = [readlinkSync(`/proc/${pid}/cwd`), ...readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')];
      return words.some((word) => folders.some((folder) => word.includes(folder))) ? [words.join(' ')] : [];
    } catch {
      // It is over, or another user's.
      return [];
    }
  });
}
