import type { CommitId } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import type { AcceptedCommit } from '../../../runtime/ports/lines.ts';
import type { CallOptions, GitDoor } from '../door/door.ts';
import { GitFailure } from '../door/failure.ts';

/** A key that asks for a passphrase, or hardware that waits for a touch, gets that long. */
const SIGNING_TIMEOUT_MS = 30_000;

/** The door takes all `GIT_*` away; who the person is, they may say there too. */
const IDENTITY_VARIABLES = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'] as const;

/** The person's own commit: author and committer theirs, signed where their config says so. No ref is touched. */
export async function commitAsPerson(git: GitDoor, commit: AcceptedCommit, signal: AbortSignal, signingTimeoutMs = SIGNING_TIMEOUT_MS): Promise<CommitId> {
  const place = { ...asPerson(git), signal };
  const sign = await signs(git, place);
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  const message = commit.message.endsWith('\n') ? commit.message : `${commit.message}\n`;
  try {
    const { stdout } = await git.run(['commit-tree', ...(sign ? ['-S'] : ['--no-gpg-sign']), ...parents, '-F', '-', commit.tree], { ...place, stdin: message, ...(sign ? { timeoutMs: signingTimeoutMs } : {}) });
    return stdout.toString('utf8').trim() as CommitId;
  } catch (error) {
    // Asked only now: nearly every commit knows its person, and each question is a process.
    if (error instanceof GitFailure && error.kind === 'other') await identityRequired(git);
    throw sign && error instanceof GitFailure && (error.kind === 'other' || error.kind === 'timed-out') ? signingFailed(error, signingTimeoutMs) : error;
  }
}

/** Throws `Refused` where git does not know who the person is. */
export async function identityRequired(git: GitDoor): Promise<void> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    if ((await git.run(['var', who], { ...asPerson(git), allowExit: [1, 128] })).exitCode !== 0) throw noIdentity();
  }
}

function asPerson({ place: { checkout, gitDir } }: GitDoor): CallOptions {
  // Left to itself, git makes up an address from the machine's name.
  return { write: false, gitDir, workTree: checkout, env: identityOf(process.env), config: ['user.useConfigOnly=true', 'i18n.commitEncoding=UTF-8'] };
}

async function signs(git: GitDoor, place: Parameters<GitDoor['run']>[1]): Promise<boolean> {
  const { stdout } = await git.run(['config', '--type=bool', '--get', 'commit.gpgSign'], { ...place, allowExit: [1] });
  return stdout.toString('utf8').trim() === 'true';
}

function identityOf(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(IDENTITY_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value ? [[name, value]] : [];
  }));
}

function noIdentity(): Refused {
  return new Refused({
    reason: 'no-identity',
    message: 'Git does not know your name and e-mail address, which a commit of yours carries.',
    next: 'Run git config --global user.name "Your Name" and git config --global user.email you@example.com, then try again.',
  });
}

function signingFailed(cause: GitFailure, timeoutMs: number): Refused {
  const why = cause.kind === 'timed-out' ? `Signing took longer than ${Math.round(timeoutMs / 1000)} seconds.` : `Git said: ${cause.stderr.trim().split('\n').slice(-3).join(' / ')}`;
  return new Refused({
    reason: 'signing-failed',
    message: `Your git config asks for signed commits, and this commit could not be signed. ${why}`,
    next: 'Unlock your key, for example by signing something in a terminal, and try again; or turn signing off for this repository with git config commit.gpgSign false. Nothing was changed.',
  }, { cause });
}
