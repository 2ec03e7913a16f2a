import { stat } from 'node:fs/promises';
import type { ToolArguments } from '../../core/tools/catalogue.ts';
import { folderPath } from '../../core/ids.ts';
import { displayFolder } from '../../core/paths.ts';
import { gitAdvice } from '../../core/runPermission/gitCommands.ts';
import { splitCommand } from '../../core/runPermission/simpleCommand.ts';
import type { ToolResult } from '../../runtime/ports/tools.ts';
import type { RunRepositoryCommand } from '../commands/repositoryCommand.ts';
import type { CommandResult } from '../commands/runCommand.ts';
import { agentEnvironment } from './agentEnvironment.ts';
import { BoundedOutput } from './boundedOutput.ts';
import { placeToRead } from './insideWorktree.ts';
import { failed, MAX_OUTPUT_BYTES, type ToolCall } from './toolCall.ts';

const DEFAULT_SECONDS = 120;
/** For how it ended, and what a sandbox refused. */
const NOTE_BYTES = 3 * 1024;

interface RunOptions {
  /** What the person's tools need is taken from here, by name. */
  readonly inherited: NodeJS.ProcessEnv;
  /** The folder of the guarded git; null where there is none. */
  readonly guard: string | null;
  readonly run: RunRepositoryCommand;
}

/** Runs a command of the agent, once the person or an earlier word of theirs allows it. */
export async function runTool(args: ToolArguments<'run'>, call: ToolCall, options: RunOptions): Promise<ToolResult> {
  if (args.command.trim() === '') return failed('The command is empty.');
  if (args.command.includes('\0')) return failed('A command cannot hold a NUL character.');
  const split = splitCommand(args.command);
  const advice = split.simple ? gitAdvice(split.args) : null;
  if (advice !== null) return failed(advice);
  const found = await placeToRead(args.folder ?? call.folder, call);
  if (!found.ok) return failed(found.words);
  const { path: relative, absolute } = found.place;
  const shown = displayFolder(folderPath.parse(relative));
  const isThere = await stat(absolute).then((s) => s.isDirectory(), () => false);
  if (!isThere && call.committed?.kindOf(relative) === 'folder') return failed(`${shown} is not checked out here, so no command can run in it.`);
  if (!isThere) return failed(`There is no folder ${shown}. Folders are relative to the repository's root.`);

  const permission = await Promise.race([call.mayRun(args.command), aborted(call.signal)]);
  if (permission === null) return failed('It was not run: the work was stopped.');
  if (!permission.allowed) return failed(`It was not run: the person did not allow it${permission.why === '' ? '.' : `: ${permission.why}`}\nFind another way, or go on without it and say so in your report.`);

  const seconds = args.timeout_seconds ?? DEFAULT_SECONDS;
  const output = new BoundedOutput(MAX_OUTPUT_BYTES - NOTE_BYTES);
  const result = await options.run({
    run: { kind: 'bash', command: args.command }, folder: absolute, timeoutMs: seconds * 1000, output, signal: call.signal,
    purpose: 'agent', worktree: call.root, caches: 'shared', brought: call.brought, mayReach: call.mayReach, ...(options.guard === null ? {} : { needs: [options.guard] }),
    environment: agentEnvironment(options.inherited, { worktree: call.root, guard: options.guard }),
  });
  const printed = output.text;
  return { text: `${endWords(result, seconds)}\n${printed.trim() === '' ? '(no output)' : printed}`, ok: result.ended.kind === 'exited' && result.ended.code === 0 };
}

function endWords({ ended, ms }: CommandResult, seconds: number): string {
  const took = `${(ms / 1000).toFixed(1)} s`;
  switch (ended.kind) {
    case 'exited': return `exit code ${ended.code}, ${took}`;
    case 'killed': return `ended by ${ended.by} after ${took}`;
    case 'timed-out': return `no exit code: stopped after ${seconds} s with everything it had started. If it was still working, give a larger timeout_seconds (up to 3600). If it had printed its result, something in it keeps it open: use its own option to exit. Servers and watchers never end by themselves.`;
    case 'stopped': return `stopped after ${took}, because the work was stopped`;
    case 'not-started': return `it could not be started: ${ended.words}`;
  }
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}
