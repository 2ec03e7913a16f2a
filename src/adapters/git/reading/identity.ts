import type { GitCalls } from '../door/door.ts';

/** The harness's own identity, for commits that no person made: it needs no config and guesses nothing. */
export const HARNESS_IDENTITY: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: 'Worldtree',
  GIT_AUTHOR_EMAIL: 'worldtree@localhost',
  GIT_COMMITTER_NAME: 'Worldtree',
  GIT_COMMITTER_EMAIL: 'worldtree@localhost',
};

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/**
 * Who the person is as author, by what they set: environment, then `author.*`, then `user.*`, in git's order. Null where
 * a part is unset. Not `git var GIT_AUTHOR_IDENT`, which makes up a name and an address of this machine.
 */
export async function personIdentity(git: GitCalls, environment: Readonly<Record<string, string | undefined>>): Promise<Identity | null> {
  const answer = await git.run(['config', '-z', '--get-regexp', '^(user|author)\\.(name|email|useconfigonly)$'], { write: false, allowExit: [1] });
  const config = new Map(
    answer.stdout.toString('utf8').split('\0').filter((entry) => entry !== '').map((entry) => {
      const end = entry.indexOf('\n');
      return end < 0 ? ([entry, 'true'] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const);
    }),
  );
  const configOnly = /^(true|yes|on|1)$/i.test(config.get('user.useconfigonly') ?? '');
  const name = given(environment['GIT_AUTHOR_NAME'], config.get('author.name'), config.get('user.name'));
  const email = given(environment['GIT_AUTHOR_EMAIL'], config.get('author.email'), config.get('user.email'), configOnly ? undefined : environment['EMAIL']);
  return name === null || email === null ? null : { name, email };
}

function given(...values: readonly (string | undefined)[]): string | null {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== '') ?? null;
}
