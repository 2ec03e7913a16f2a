import path from 'node:path';
import { parseEpisodeRef } from '../../../core/candidate/refs.ts';
import { commitId, refName, type CommitId, type RefName } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import type { Extent, Remote, RemoteRef, Remotes } from '../../../runtime/ports/remotes.ts';
import type { CallOptions, GitDoor } from '../door/door.ts';
import { NEVER_ASKS } from '../door/environment.ts';
import { fields } from '../door/nulList.ts';
import { personsHooksPath } from '../reading/hooksPath.ts';
import { fetchRefs } from './fetchRefs.ts';
import { pushRefs } from './pushRefs.ts';

/** Milliseconds: a remote that does not answer to a question of a few lines is not there. */
const ASK_TIMEOUT_MS = 60_000;
/** For what carries objects: a slow line and a large change. */
const TRANSFER_TIMEOUT_MS = 30 * 60_000;

export function createRemotes(door: GitDoor): Remotes {
  return {
    list: () => listRemotes(door),
    refsOf: (remote, signal) => refsOf(door, remote, signal),
    extent: (commits, without) => extent(door, commits, without),
    push: async (remote, refs, { signal, progress }) => {
      refs.forEach(assertEpisodes);
      progress(`sending to ${remote}`);
      return pushRefs(door, remote, refs, { ...asking(signal), timeoutMs: TRANSFER_TIMEOUT_MS, workTree: door.place.checkout, config: [await withPersonsHooks(door), ...withoutMirror(remote)] });
    },
    fetch: (remote, refs, { signal, progress }) => {
      refs.forEach(({ ref }) => assertEpisodes(ref));
      progress(`fetching from ${remote}`);
      return fetchRefs(door, remote, refs, { ...asking(signal), timeoutMs: TRANSFER_TIMEOUT_MS });
    },
  };
}

function asking(signal: AbortSignal): CallOptions {
  // No lock of the repository is held while the network is waited for: new refs are written in a transaction of their own.
  return { write: false, signal, env: NEVER_ASKS, priority: 'background' };
}

async function listRemotes(door: GitDoor): Promise<Remote[]> {
  const answer = await door.run(['config', '-z', '--get-regexp', String.raw`^remote\..*\.(url|pushurl)$`], { write: false, allowExit: [1] });
  const remotes = new Map<string, string>();
  for (const entry of fields(answer.stdout)) {
    const [key = '', address = ''] = entry.split('\n', 2);
    const name = /^remote\.(.+)\.(?:url|pushurl)$/.exec(key)?.[1];
    // A name that git could take for an option is never passed to it.
    if (name !== undefined && !name.startsWith('-') && !remotes.has(name)) remotes.set(name, address.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1'));
  }
  return [...remotes].map(([name, address]) => ({ name, address }));
}

async function refsOf(door: GitDoor, remote: string, signal: AbortSignal): Promise<RemoteRef[]> {
  const answer = await door.run(['ls-remote', '--refs', '--quiet', remote], { ...asking(signal), timeoutMs: ASK_TIMEOUT_MS });
  return answer.stdout.toString('utf8').split('\n').flatMap((entry) => {
    const [id = '', name = ''] = entry.split('\t', 2);
    const [commit, ref] = [commitId.safeParse(id), refName.safeParse(name)];
    return commit.success && ref.success ? [{ ref: ref.data, commit: commit.data }] : [];
  });
}

async function extent(door: GitDoor, commits: readonly CommitId[], without: readonly CommitId[]): Promise<Extent> {
  const stdin = `${[...commits, ...without.map((commit) => `^${commit}`)].join('\n')}\n`;
  const count = await door.run(['rev-list', '--ignore-missing', '--count', '--stdin'], { write: false, stdin });
  const size = await door.run(['rev-list', '--ignore-missing', '--objects', '--disk-usage', '--stdin'], { write: false, stdin });
  return { commits: Number(count.stdout.toString('utf8')), bytes: Number(size.stdout.toString('utf8')) };
}

/**
 * Hooks of the person's are off in calls of ours, but for this one: a `pre-push` hook may be what guards what leaves the
 * machine (secrets) or what sends the files that pointers name (Git LFS), and a history holds code.
 */
async function withPersonsHooks(door: GitDoor): Promise<string> {
  return `core.hooksPath=${await personsHooksPath(door) ?? path.join(door.place.commonDir, 'hooks')}`;
}

/** A remote that is set up as a mirror would be pushed to by force, with everything that is here. */
function withoutMirror(remote: string): string[] {
  return remote.includes('=') ? [] : [`remote.${remote}.mirror=false`];
}

function assertEpisodes(ref: RefName): void {
  if (parseEpisodeRef(ref) !== null) return;
  throw new Refused({ reason: 'git-failed', message: `${ref} is not a ref of an agent’s history, so it does not travel.`, next: 'This is a mistake in Worldtree: please report it.' });
}
