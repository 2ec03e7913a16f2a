import type { AbsolutePath } from '../core/ids.ts';
import { ROOT } from '../core/paths.ts';
import type { WorldPorts } from '../runtime/ports/worldPorts.ts';
import { openChecks } from './checks/openChecks.ts';
import type { RunRepositoryCommand } from './commands/repositoryCommand.ts';
import { createCandidates } from './git/candidates/candidates.ts';
import { GitDoor, type GitPlace } from './git/door/door.ts';
import { createFirstCommit } from './git/lines/firstCommit.ts';
import { createLines } from './git/lines/lines.ts';
import { GitRepository } from './git/reading/repository.ts';
import { createRemotes } from './git/remotes/remotes.ts';
import { LeftOutFiles } from './git/worktrees/leftOutFiles.ts';
import { GitWorktrees } from './git/worktrees/worktrees.ts';
import { openInbox } from './ledger/inbox.ts';
import { openLedger } from './ledger/openLedger.ts';
import { openTranscripts } from './ledger/transcripts.ts';
import { removeLeftFolders } from './temporaryFolders.ts';
import { FileTools } from './tools/tools.ts';

/** What of a world stands on git and on the repository's disk. */
type RepositoryPorts = Pick<WorldPorts, 'repository' | 'remotes' | 'worktrees' | 'candidates' | 'tools' | 'lines' | 'firstCommit' | 'checks' | 'ledger' | 'transcripts' | 'inbox' | 'close'>;

interface RepositoryOptions {
  /** Cache folder for worktrees, outside of every repository; several repositories share it. */
  readonly worktreeRoot: AbsolutePath;
  /** Whether checks may start from the build output of accepted trees. */
  readonly checks: 'warm' | 'cold';
  /** Whether agents get the submodules of their commit. */
  readonly submodules: () => 'leave' | 'init';
  /** Commands of agents, setup scripts, checks and hooks. */
  readonly run: RunRepositoryCommand;
}

export async function openRepository(place: GitPlace, { worktreeRoot, checks, submodules, run }: RepositoryOptions): Promise<RepositoryPorts> {
  await removeLeftFolders();
  const door = new GitDoor(place);
  const repository = new GitRepository(door);
  const worktrees = new GitWorktrees(door, { root: worktreeRoot, submodules, run });
  const leftOut = new LeftOutFiles(door, repository);
  const tools = new FileTools({
    run,
    filesOf: async (commit) => (await repository.list(commit, ROOT)).map((entry) => entry.path),
    committedOnly: (worktree) => leftOut.of(worktree),
  });
  const checking = openChecks(door, { root: worktreeRoot, temperature: checks, run });
  const ledger = await openLedger(place.commonDir);
  // A window that was succeeded must not write into its successor's transcripts; the first word after a start may well be a rework's.
  const transcripts = openTranscripts(place.commonDir, { mayWrite: async () => await ledger.isOwner() || (ledger.readOnly() === null && (await ledger.tryTakeOver()).kind === 'owner') });
  return {
    repository,
    remotes: createRemotes(door),
    worktrees,
    candidates: createCandidates(door, repository),
    tools,
    lines: createLines(door),
    firstCommit: createFirstCommit(door),
    checks: checking,
    ledger,
    transcripts,
    inbox: openInbox(place.commonDir),
    close: async () => {
      await Promise.all([worktrees.close(), checking.close(), transcripts.close(), repository.close(), tools.dispose()]);
    },
  };
}
