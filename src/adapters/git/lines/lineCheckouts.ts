import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath, RefName } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import type { OperationInProgress } from '../../../runtime/ports/repository.ts';
import { registrationOf } from '../reading/checkouts.ts';
import type { FollowingCheckout } from './checkoutIndex.ts';
import type { GitCalls, GitPlace } from '../door/door.ts';
import { exists } from '../candidates/nestedRepositories.ts';
import { fields } from '../door/nulList.ts';

/** A folder in which something is checked out: the main one or a linked worktree. */
export interface Checkout {
  readonly top: AbsolutePath;
  /** Its own git folder, with its HEAD and index. Null where its registration cannot be read. */
  readonly gitDir: AbsolutePath | null;
  /** What HEAD points to; null where detached. */
  readonly branch: RefName | null;
  /** False where its folder is gone or on a disk that is not there. */
  readonly reachable: boolean;
}

/** Every checkout of the repository, from git's registrations; no folder is entered to find them (rule 11). */
export async function listCheckouts(git: GitCalls, place: GitPlace): Promise<Checkout[]> {
  const { stdout } = await git.run(['worktree', 'list', '--porcelain', '-z'], { write: false, gitDir: place.commonDir });
  const found: Checkout[] = [];
  for (const [i, block] of blocks(fields(stdout)).entries()) {
    if (block.includes('bare')) continue;
    const listed = valueOf(block, 'worktree') ?? '';
    const top = (i === 0 ? await mainTop(git, place, listed) : path.normalize(listed)) as AbsolutePath;
    const gitDir = i === 0 ? place.commonDir : (await registrationOf(place, top))?.gitDir ?? null;
    const reachable = !block.some((line) => line.startsWith('prunable')) && await exists(path.join(top, '.git'));
    found.push({ top, gitDir, branch: (valueOf(block, 'branch') as RefName | undefined) ?? null, reachable });
  }
  return found;
}

/**
 * The checkouts whose files follow this ref: HEAD points to it there. Throws `Refused` where one cannot be reached: moved
 * without it, it would hold the reverse of the move, staged.
 */
export function checkoutsOnLine(all: readonly Checkout[], place: GitPlace, ref: string): FollowingCheckout[] {
  const following = all.filter((checkout) => (ref === 'HEAD' ? checkout.gitDir === place.gitDir : checkout.branch === ref));
  return following.map(({ top, gitDir, branch, reachable }) => {
    if (ref === 'HEAD' && branch !== null) {
      throw new Refused({ reason: 'branch-moved', message: `HEAD is not detached any more: ${branch.replace('refs/heads/', '')} is checked out.`, next: 'Check out the commit that the work started from, or accept to a new branch.' });
    }
    if (!reachable || gitDir === null) {
      throw new Refused({ reason: 'checkout-unreachable', message: `${ref.replace('refs/heads/', '')} is checked out in ${top}, which cannot be reached.`, next: 'Make that folder available, or run git worktree prune if it is gone for good, then accept again.' });
    }
    return { top, gitDir };
  });
}

/** `worktree list` guesses the main checkout from the git folder's name, wrongly for submodules and separate git folders. */
async function mainTop(git: GitCalls, place: GitPlace, listed: string): Promise<string> {
  if (place.gitDir === place.commonDir) return place.checkout;
  const { stdout, exitCode } = await git.run(['config', '--type=path', '--get', 'core.worktree'], { write: false, gitDir: place.commonDir, allowExit: [1] });
  return exitCode === 0 ? path.resolve(place.commonDir, stdout.toString('utf8').trim()) : path.normalize(listed);
}

/**
 * Whether a rebase or bisect in this checkout will come back to the branch. HEAD is detached meanwhile, so that the
 * branch does not show as checked out there; moved under it, the end of the rebase would undo the move.
 */
export async function operationHolding(gitDir: AbsolutePath, branch: string): Promise<OperationInProgress | null> {
  for (const file of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
    if (await firstLine(path.join(gitDir, file)) === branch) return 'rebase';
  }
  return await firstLine(path.join(gitDir, 'BISECT_START')) === branch.replace(/^refs\/heads\//, '') ? 'bisect' : null;
}

async function firstLine(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).split('\n')[0] ?? null;
  } catch {
    return null;
  }
}

function valueOf(block: readonly string[], key: string): string | undefined {
  return block.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
}

/** Records of `-z` output end with an empty field. */
function blocks(lines: readonly string[]): string[][] {
  const found: string[][] = [[]];
  for (const line of lines) {
    if (line === '') found.push([]);
    else found.at(-1)?.push(line);
  }
  return found.filter((block) => block.length > 0);
}
