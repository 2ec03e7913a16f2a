import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { AbsolutePath, CommitId, FilePath } from '../../../core/ids.ts';
import { Refused } from '../../../core/refusal.ts';
import type { PrepareRequest } from '../../../runtime/ports/worktrees.ts';
import { commandEnvironment } from '../../commands/commandEnvironment.ts';
import type { RunRepositoryCommand } from '../../commands/repositoryCommand.ts';
import type { GitDoor } from '../door/door.ts';
import { noted, type CheckedOut } from './checkout.ts';
import { checkoutLinks, checkoutsOf } from './checkoutLinks.ts';
import { bringIncluded } from './included.ts';
import { runSetup, setupNote } from './setupScript.ts';
import { isBrought, readMemory, writeMemory } from './worktreeAccess.ts';
import type { WorktreeAccess } from './worktreeAccess.ts';
import { resetWorktree, verifyWorktree, worktreeStatus } from './worktreeFiles.ts';

interface Equipment {
  /** What the worktree has besides its commit; a folder stands for everything in it. */
  readonly brought: readonly FilePath[];
  readonly notes: readonly string[];
}

/** Gives a fresh checkout what it lacks to build: ignored files of the person's, and what setup makes. */
export async function equip(door: GitDoor, request: PrepareRequest, { access, submodules, filled, leftOut }: CheckedOut, run: RunRepositoryCommand): Promise<Equipment> {
  const { commit, signal, progress, setup } = request;
  const worktree = access.workTree;
  const memory = await readMemory(worktree);
  const patterns = setup?.include ?? null;
  const included = patterns === null ? null : await bringIncluded(door, { patterns, worktree, leftOut, progress, signal });
  const notes = [...included?.notes ?? []];
  const copied: readonly FilePath[] = [...included?.copied ?? [], ...filled];
  // Before setup runs: when the window dies meanwhile, what was copied in must still not pass for the agent's.
  await writeMemory(worktree, { ...memory, brought: copied });
  const script = setup?.script ?? null;
  if (script === null) return { brought: copied, notes };
  if (!(await request.mayRun(script.run))) {
    return { brought: copied, notes: [...notes, `The setup script (${script.run}) was not run, since the person did not allow it. Tools or dependencies may be missing.`] };
  }
  progress(`running setup: ${script.run}`);
  const result = await runSetup({ setup: script, place: door.place, worktree, environment: commandEnvironment(process.env), progress, signal, run, caches: 'shared', brought: copied });
  const note = setupNote(script, result);
  if (note !== null) notes.push(note);
  const status = await worktreeStatus(door, access, { ignored: true, signal });
  const before = new Set<string>(copied);
  const made = [...status.ignored, ...status.untracked, ...status.nestedRepositories].filter((file) => !isBrought(file, before));
  const brought = [...copied, ...(made as FilePath[]), ...await checkedOut(worktree, submodules.filter((folder) => !before.has(folder)))];
  const linked = [...(await checkoutLinks(worktree, checkoutsOf(door.place), brought)).keys()];
  await writeMemory(worktree, { ...memory, brought, linked });
  const changed = await setBack(door, access, commit, new Set(brought), signal);
  return { brought, notes: [...notes, ...noted('The setup script changed files of the commit; they were set back', changed)] };
}

/** The agent starts from exactly the commit (rule 1): what setup did to its files is no change of the agent's. */
async function setBack(door: GitDoor, access: WorktreeAccess, commit: CommitId, brought: ReadonlySet<string>, signal: AbortSignal): Promise<readonly string[]> {
  try {
    await verifyWorktree(door, access, commit, brought, signal);
    return [];
  } catch (error) {
    if (!(error instanceof Refused) || error.refusal.reason !== 'worktree-differs') throw error;
    await resetWorktree(door, access, commit, brought);
    await verifyWorktree(door, access, commit, brought, signal);
    return error.refusal.files ?? [];
  }
}

/** Submodules that are there: git's status looks past them. */
async function checkedOut(worktree: AbsolutePath, submodules: readonly FilePath[]): Promise<readonly FilePath[]> {
  const there = await Promise.all(submodules.map((folder) => lstat(path.join(worktree, folder, '.git')).then(() => true, () => false)));
  return submodules.filter((_, i) => there[i]);
}
