import type { Evidence } from '../../core/constraints/constraint.ts';
import { Refused } from '../../core/refusal.ts';
import { OutputTail } from '../commands/outputTail.ts';
import type { RepositoryCommand, RunRepositoryCommand } from '../commands/repositoryCommand.ts';
import type { CommandResult } from '../commands/runCommand.ts';

/** Bytes of output that evidence keeps. */
const OUTPUT_LIMIT = 8 * 1024;

/** What a command came to, as evidence tells it. */
export type EvidenceOutcome = Pick<Evidence, 'result' | 'exitCode' | 'output' | 'ms'>;

/** Runs a constraint or hook to its end. Throws `Refused` (`cancelled`). */
export async function runForEvidence(run: RunRepositoryCommand, request: Omit<RepositoryCommand, 'output'>): Promise<EvidenceOutcome> {
  const output = new OutputTail(OUTPUT_LIMIT);
  const { ended, ms } = await run({ ...request, output });
  if (ended.kind === 'stopped') throw new Refused({ reason: 'cancelled', message: 'The check was cancelled.', next: 'Start it again when you want.' });
  if (ended.kind === 'not-started') output.add(Buffer.from(ended.words));
  return { result: resultOf(ended), exitCode: ended.kind === 'exited' ? ended.code : null, output: output.text(), ms };
}

function resultOf(ended: Exclude<CommandResult['ended'], { kind: 'stopped' }>): Evidence['result'] {
  switch (ended.kind) {
    case 'timed-out': return 'timed-out';
    case 'not-started': return 'could-not-run';
    case 'killed': return 'failed';
    case 'exited':
      if (ended.code === 0) return 'passed';
      // 126 and 127 are the shell's words for a command that it cannot start; 9009 is that of Windows.
      return ended.code === 126 || ended.code === 127 || ended.code === 9009 ? 'could-not-run' : 'failed';
  }
}
