import type { GitDoor } from '../door/door.ts';
import { fields } from '../door/nulList.ts';

/** `core.hooksPath` as the person's config has it; undefined where it says nothing. Our own calls turn hooks off, and that setting is not theirs. */
export async function personsHooksPath(git: GitDoor): Promise<string | undefined> {
  const { stdout, exitCode } = await git.run(['config', '-z', '--show-scope', '--type=path', '--get-all', 'core.hooksPath'], { write: false, allowExit: [1] });
  const answers = exitCode === 0 ? fields(stdout) : [];
  let configured: string | undefined;
  // The last one wins.
  for (let i = 0; i + 1 < answers.length; i += 2) if (answers[i] !== 'command') configured = answers[i + 1];
  return configured === '' ? undefined : configured;
}
