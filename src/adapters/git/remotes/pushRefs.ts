import type { RefName } from '../../../core/ids.ts';
import type { CallOptions, GitDoor } from '../door/door.ts';
import { GitFailure, failureKind } from '../door/failure.ts';

/** Refs that one call of git takes: a command line has an end. */
const AT_ONCE = 400;

/** Nothing but these refs goes, whatever the person's config adds to a push of theirs. */
const ONLY_THESE = ['--porcelain', '--no-force', '--no-follow-tags', '--no-signed', '--recurse-submodules=no', '--no-progress'] as const;

/** Sends refs under their own names; gives those that the remote, or git for it, refused. */
export async function pushRefs(door: GitDoor, remote: string, refs: readonly RefName[], options: CallOptions): Promise<{ ref: RefName; words: string }[]> {
  const refused: { ref: RefName; words: string }[] = [];
  for (let i = 0; i < refs.length; i += AT_ONCE) {
    const some = refs.slice(i, i + AT_ONCE);
    const args = ['push', ...ONLY_THESE, remote, ...some.map((ref) => `${ref}:${ref}`)];
    const answer = await door.run(args, { ...options, allowExit: [1] });
    const told = reported(answer.stdout.toString('utf8'));
    // Without a line for each ref nothing was decided about them: a hook refused, or the line broke off.
    if (answer.exitCode !== 0 && some.every((ref) => !told.has(ref))) throw new GitFailure(failureKind(answer.stderr), { args, exitCode: answer.exitCode, stderr: answer.stderr });
    refused.push(...some.flatMap((ref) => {
      const words = told.get(ref) ?? (answer.exitCode === 0 ? null : 'no answer came for it');
      return words === null ? [] : [{ ref, words }];
    }));
  }
  return refused;
}

/** What `--porcelain` says of each ref: null where it arrived or was there, else why it did not. */
function reported(output: string): Map<string, string | null> {
  const told = new Map<string, string | null>();
  for (const entry of output.split('\n')) {
    const [flag = '', names = '', summary = ''] = entry.split('\t');
    const ref = /:(refs\/.+)$/.exec(names)?.[1];
    if (flag.length === 1 && ref !== undefined) told.set(ref, flag === '!' ? summary.trim() : null);
  }
  return told;
}
