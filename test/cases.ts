import type { Coverage } from './coverage.ts';
import { MODEL_CASES, type ModelCaseId } from './modelCases.ts';

/**
 * Situations that broke products like this one, and the tests that hold ours in each. `test/rules/cases.test.ts` sees that
 * every test named here exists. A case that waits for later work says for which.
 */
export type CaseId = `A${ACase}` | `B${BCase}` | `C${CCase}` | `D${DCase}` | `E${ECase}` | ModelCaseId | `G${GCase}`;

type ACase = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17;

type BCase = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 14;

type CCase = 1 | 2 | 3 | 4 | 5 | 6 | 9 | 13 | 14;

type DCase = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26;

type ECase = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

type GCase = 6;

const accept = 'test/integration/lines/accept.test.ts';
const acceptUndo = 'test/integration/world/acceptUndo.test.ts';
const broughtFiles = 'test/integration/git/broughtFiles.test.ts';
const checks = 'test/integration/checks/checks.test.ts';
const crash = 'test/integration/lines/crash.test.ts';
const discovery = 'test/integration/git/discovery.test.ts';
const editing = 'test/integration/tools/editing.test.ts';
const escapes = 'test/integration/sandbox/escapes.test.ts';
const exactEdit = 'test/unit/editing/exactEdit.test.ts';
const firstCommit = 'test/integration/lines/firstCommit.test.ts';
const gone = 'test/integration/world/worktreeGone.test.ts';
const hostile = 'test/integration/git/hostileWorktree.test.ts';
const hooks = 'test/integration/checks/hooks.test.ts';
const limits = 'test/integration/world/limitsAndRecovery.test.ts';
const manyRepositories = 'test/editor/suites/manyRepositories.ts';
const merge = 'test/integration/candidates/merge.test.ts';
const missingFilter = 'test/integration/world/missingFilter.test.ts';
const narrows = 'test/integration/world/repositoryOnlyNarrows.test.ts';
const partial = 'test/integration/world/partialAccept.test.ts';
const personCommit = 'test/integration/lines/personCommit.test.ts';
const reading = 'test/integration/tools/reading.test.ts';
const repository = 'test/integration/git/repository.test.ts';
const sandboxed = 'test/integration/sandbox/world.test.ts';
const restart = 'test/integration/world/worktreeAfterRestart.test.ts';
const retention = 'test/integration/world/retention.test.ts';
const review = 'test/editor/suites/review.ts';
const running = 'test/integration/tools/running.test.ts';
const snapshot = 'test/integration/candidates/snapshot.test.ts';
const soak = 'test/integration/world/soak.test.ts';
const staying = 'test/integration/world/stayingInside.test.ts';
const sparseWorktrees = 'test/integration/git/sparseWorktrees.test.ts';
const steering = 'test/integration/world/steering.test.ts';
const states = 'test/integration/world/repositoryStates.test.ts';
const submodules = 'test/integration/git/submodules.test.ts';
const sweep = 'test/integration/git/sweep.test.ts';
const toolsInside = 'test/integration/tools/stayingInside.test.ts';
const together = 'test/integration/world/together.test.ts';
const worktrees = 'test/integration/git/worktrees.test.ts';

export const CASES: Readonly<Record<CaseId, Coverage>> = {
  // A repository without a commit.
  A1: [
    { file: repository, title: 'tells an unborn branch' },
    { file: firstCommit, title: 'then exactly the picked files are committed, as the person, and the others stay as they are' },
  ],
  // Detached HEAD.
  A2: [
    { file: worktrees, title: 'makes a detached worktree exactly at the commit, also when its branch is checked out and has moved on' },
    { file: states, title: 'then an agent works from the commit, and the accept advances HEAD and no branch' },
  ],
  // A filter needs a program that is missing.
  A3: [
    { file: worktrees, title: 'refuses when a filter cannot run, with the program\'s name, and leaves nothing' },
    { file: missingFilter, title: 'then an agent asks, starts without filters when the person says so, knows which files are pointers, and proposes just what it changed' },
  ],
  // Uncommitted files in the main checkout.
  A4: [
    { file: worktrees, title: 'starts from the commit, not from what is uncommitted in the main checkout' },
    { file: states, title: 'then those under the folder are named, the others counted, and the agent starts from the commit' },
  ],
  // Many worktrees made at once.
  A5: [
    { file: worktrees, title: 'makes twelve at once, each with all files' },
    { file: soak, title: 'many agents, a person at work with git and a window that is killed leave the line, the checkout and the disk as they must be (A5, C2, C4, D14, D20, D21)' },
  ],
  // Submodules.
  A6: [
    { file: worktrees, title: 'leaves submodules empty and says so, from a linked worktree too' },
    { file: submodules, title: 'are fetched where the person has none of them, and their objects are not put into the person’s' },
    { file: submodules, title: 'that cannot be had are named with git’s words, and the agent starts: a protocol that the person does not allow, an address that is gone, a commit that is nowhere' },
    { file: discovery, title: 'says that a folder lies in a submodule' },
    { file: snapshot, title: 'then files in the folder of a submodule that is not checked out are named, since git looks past them (A6)' },
    { file: states, title: 'then delegating inside one is refused, the agent is told of those that are not there, and what it leaves in one is said' },
  ],
  // The opened folder is a linked worktree.
  A7: [
    { file: submodules, title: 'has them, also those within, offline from what the person has, and nothing of the person’s is written' },
    { file: states, title: 'then an agent that is delegated from it starts from its commit, and the accept moves its branch there, opened first was the %s one' },
    { file: discovery, title: 'knows a linked worktree and its common folder, also of a repository with submodules' },
    { file: states, title: 'then an agent works as anywhere, and the accept moves %s there and nothing in the main checkout' },
  ],
  // Sparse checkout in the main checkout.
  A8: [
    { file: worktrees, title: 'is full although the main checkout is sparse, and leaves that as it is' },
    { file: sparseWorktrees, title: 'leaves the person\'s config and own sparse checkout as they were, whatever it is for (A8)' },
    { file: states, title: 'then the delegated folder is really there for the agent, and after the accept the checkout is as sparse as before' },
  ],
  // Very long paths and a long worktree root.
  A9: [
    { file: worktrees, title: 'holds long paths, or refuses and leaves nothing' },
    { file: states, title: 'then an agent works at the end of them' },
  ],
  // A hook after the checkout that fails.
  A10: [
    { file: worktrees, title: 'runs no hook' },
    { file: states, title: 'then it does not run, for the worktree or for anything else of ours' },
  ],
  // The base branch is checked out elsewhere.
  A11: [
    { file: worktrees, title: 'makes a detached worktree exactly at the commit, also when its branch is checked out and has moved on' },
    { file: states, title: 'then an agent works as anywhere, and the accept moves %s there and nothing in the main checkout' },
  ],
  // A worktree that comes out different.
  A12: [
    { file: worktrees, title: 'refuses a worktree that differs: another file, another HEAD, a bit that hides a file, something more' },
  ],
  // Nested repositories.
  A13: [
    { file: discovery, title: 'takes the innermost repository that holds the folder' },
    { file: repository, title: 'names nested repositories apart, and nothing of theirs (A13)' },
    { file: manyRepositories, title: 'has one world for each repository, also for a folder of it and a linked worktree, by the innermost that holds a folder' },
    { file: states, title: 'then those under the folder are named as out of reach, and the agent does not see them' },
  ],
  // The worktree root lies where an ignore rule matches.
  A14: [
    { file: worktrees, title: 'loses no file below a folder that is ignored' },
    { file: snapshot, title: 'then the place of the worktree does not matter to ignore rules (A14)' },
  ],
  // Dubious ownership.
  A15: [
    { file: discovery, title: 'refuses a repository of another user in clear words, and changes no config' },
  ],
  // A fresh checkout that cannot build.
  A16: [
    { file: broughtFiles, title: 'copies ignored files that the commit\'s file asks for, with mode and time' },
    { file: broughtFiles, title: 'runs setup with the five variables, and remembers what it made, a folder as one' },
    { file: broughtFiles, title: 'tells a setup that failed, with its output, and starts all the same' },
  ],
  // Names of all kinds.
  A17: [
    { file: worktrees, title: 'holds odd names, and sets them back' },
    { file: repository, title: 'keeps odd names the same everywhere' },
    { file: snapshot, title: 'then names of all kinds, NUL bytes and 50 MB come through unharmed (A17, D10)' },
    { file: states, title: 'then a folder %j is delegated, changed and accepted under its own name' },
  ],
  // Absolute paths of the person's checkout.
  B1: [
    { file: staying, title: 'by absolute paths of the person’s checkout lands in its own worktree, or is refused (B1)' },
    { file: toolsInside, title: 'means the same file of the worktree, and is never written itself' },
  ],
  // A command reaches for the person's checkout by git's own options and variables.
  B2: [
    { file: escapes, title: 'then the person\'s checkout is neither changed nor read, by path, by git or by a link (B2)' },
    { file: running, title: 'that would change the project\'s repository does not: %s' },
  ],
  // Links that lead out of the folder.
  B3: [
    { file: staying, title: 'through a link is refused, and the link itself is shown as one that leaves the folder (B3)' },
    { file: snapshot, title: 'then a link that leaves its folder shows as a link, and what it leads to stays out (B3)' },
  ],
  // git that resets, checks out and cleans.
  B4: [
    { file: escapes, title: 'then git reads, and changes nothing of the repository: no ref, index, stash, config or hook (B4)' },
    { file: hostile, title: 'keeps what an agent\'s git did in its worktree: the main checkout is as it was' },
    { file: running, title: 'that is told what to do instead, without asking the person: %s' },
  ],
  // A command writes outside of the folder.
  B5: [
    { file: limits, title: 'shows what a command changed outside of its folder, which must be decided before an accept (B5)' },
    { file: snapshot, title: 'then changes anywhere in the worktree count, both sides of a rename too (B5, B6, B7, B12)' },
  ],
  // Renames across the folder's edge.
  B6: [{ file: staying, title: 'by a rename %s counts on both sides (B6)' }],
  // Settings, hooks and checks that the agent changes.
  B7: [{ file: staying, title: 'to settings, hooks and its own checks is flagged, and nothing of it holds before it is accepted (B7)' }],
  // A command reads secrets.
  B8: [
    { file: escapes, title: 'then secrets of the home folder are not read, and nothing there is written (B8)' },
    { file: escapes, title: 'then no key of a model is in its environment or in that of a process that it sees (B8)' },
  ],
  // A git folder of the agent's own, with a config that runs a program.
  B9: [
    { file: escapes, title: 'then nothing takes the place of the worktree\'s .git, so that no config of its own runs on the host (B9)' },
    { file: hostile, title: 'runs nothing of a config that an agent put there, in whatever we do with the worktree' },
  ],
  // The agent changes .gitignore so that copied-in files count.
  B10: [
    { file: staying, title: 'to ignore files brings no file that was copied in into its change (B10)' },
    { file: snapshot, title: 'then what was copied in or made by setup stays out, whatever the agent does to ignore files (B10)' },
    { file: broughtFiles, title: 'keeps brought files through a reset, whatever an agent writes into .gitignore' },
  ],
  // New files that an ignore rule matches.
  B11: [
    { file: staying, title: 'to a file that an ignore rule keeps out is named at the write, at finish and beside the change; force brings it in (B11)' },
    { file: snapshot, title: 'then ignored files that the agent wrote are named, and one that it forces gets in (B11)' },
  ],
  // A dependency changes the root's lock file.
  B12: [{ file: staying, title: 'to the root’s lock file is part of its change where it added a dependency, and listed apart (B12)' }],
  // A cloned repository asks for what belongs to the machine.
  B14: [
    { file: narrows, title: 'then none of it is in force, and the delegation and the agent’s page say so, with the line' },
  ],
  // A link out of a worktree that is removed.
  C1: [
    { file: worktrees, title: 'removes links and leaves what they point to' },
    { file: worktrees, title: 'unlinks a link that stands where the worktree should be' },
  ],
  // An episode is resumed after a crash.
  C2: [
    { file: restart, title: 'then it goes on in its worktree, which this window holds from then on, and what it did counts from its base (C2, C6)' },
    { file: soak, title: 'many agents, a person at work with git and a window that is killed leave the line, the checkout and the disk as they must be (A5, C2, C4, D14, D20, D21)' },
  ],
  // A worktree with only untracked files.
  C3: [
    { file: sweep, title: 'saves what is in no ref before it goes: new files only, changes, and not what was brought' },
    { file: sweep, title: 'saves only untracked files too, and nothing that a ref has already' },
  ],
  // Killed with a locked worktree; a reused pid.
  C4: [
    { file: sweep, title: 'sweeps at once what a killed process left, lock and all' },
    { file: sweep, title: 'is not fooled by a reused pid' },
    { file: soak, title: 'many agents, a person at work with git and a window that is killed leave the line, the checkout and the disk as they must be (A5, C2, C4, D14, D20, D21)' },
  ],
  // A folder that git does not know, or the other way round.
  C5: [
    { file: sweep, title: 'finds a folder that git does not know, and keeps its files' },
    { file: sweep, title: 'forgets a registration whose folder is gone, if it was made here' },
    { file: restart, title: 'then one whose worktree git does not know asks once, and its files can still be proposed (C5)' },
    { file: restart, title: 'then one whose worktree was deleted fails once, and sends nothing (C5, C9)' },
    { file: restart, title: 'then one whose worktree a cleaner of caches went through asks, and proposes nothing as removed (C5)' },
  ],
  // The window reloads while an episode runs.
  C6: [
    { file: limits, title: 'goes on by itself in the same worktree under the same id when the window is opened again (C6)' },
    { file: restart, title: 'then it goes on in its worktree, which this window holds from then on, and what it did counts from its base (C2, C6)' },
  ],
  // The folder is deleted while an episode runs in it.
  C9: [
    { file: gone, title: 'can be stopped, and does not ask for ever' },
    { file: gone, title: 'fails where it calls finish' },
    { file: gone, title: 'gives back the change that was sent back for rework, when it %s' },
    { file: restart, title: 'then one whose worktree was deleted fails once, and sends nothing (C5, C9)' },
  ],
  // Shared between a host window and a container.
  C13: [
    { file: sweep, title: 'leaves another container\'s worktree whose files it cannot see' },
    { file: sweep, title: 'of another container or boot expires by its heartbeat alone' },
    { file: restart, title: 'then one whose worktree another container made asks, and nothing of that container’s is touched (C13)' },
  ],
  // A check leaves build output or caches behind.
  C14: [
    { file: checks, title: 'then what a candidate left behind is not there for the next one (C14)' },
    { file: sandboxed, title: 'then neither an agent\'s caches nor those of a change that was not taken serve a check (C14)' },
  ],
  // Renamed, copied, mode-only, binary, empty, deleted and submodule entries.
  D1: [
    { file: snapshot, title: 'then every kind of change is listed as what it is (D1)' },
    { file: snapshot, title: 'then a submodule\'s new commit shows as a submodule, and nothing of its git runs' },
    { file: review, title: 'opens each kind of file in an editor of its own without an error' },
  ],
  // The main tree is dirty at accept.
  D2: [
    { file: accept, title: 'then other staged, changed, untracked and ignored files stay as they are (D2)' },
    { file: accept, title: 'every file with uncommitted changes, whether staged or not (D2)' },
    { file: acceptUndo, title: 'refuses to overwrite a dirty file, names it and changes nothing (D2)' },
  ],
  // The line moved since the candidate was made.
  D3: [
    { file: merge, title: 'then changes in different places come together (D3)' },
    { file: merge, title: 'then conflicts of every kind name their files and write no ref (D3)' },
    { file: acceptUndo, title: 'names the files of a conflict and leaves the change waiting (D3)' },
    { file: together, title: 'are accepted one after the other, each checked on the tip of its turn, and none starts over without end' },
  ],
  // The person accepts some files only.
  D4: [
    { file: partial, title: 'moves the branch by these and lets the rest wait, which arrives later (D4, D12)' },
    { file: partial, title: 'runs the checks on the branch with what is taken, and again on what comes with the rest (D4)' },
    { file: 'test/walkthrough/someFiles.walk.ts', title: 'a person accepts some files in the box, then the rest, and takes the rest back' },
  ],
  // The person edits the candidate in the diff before accepting.
  D5: [
    { file: acceptUndo, title: 'takes what the person typed in the diff, and tells the agent so at a rework (D5, D25)' },
    { file: snapshot, title: 'then an edit keeps every byte and the mode, adds, and removes (D5)' },
    { file: 'test/walkthrough/delegate.walk.ts', title: 'a person delegates a folder, edits a line of the proposed change in the diff, accepts it and takes it back' },
  ],
  // Format-on-save is on.
  D6: [{ file: review, title: 'keeps what was typed and not saved through a reject, exactly as typed although formatting on save is on' }],
  // A commit hook fails at accept.
  D7: [
    { file: acceptUndo, title: 'is refused where a commit hook of the repository fails, with what it said, and accepted without hooks by setting (D7)' },
    { file: hooks, title: 'then a failure is shown as what it is, with its output' },
    { file: partial, title: 'puts what a hook made together with the rest' },
  ],
  // Signing is asked for and no key is at hand.
  D8: [
    { file: personCommit, title: 'then a key that is not at hand is said, with git\'s words (D8)' },
    { file: personCommit, title: 'then a signer that waits for ever is ended (D8)' },
    { file: snapshot, title: 'then a commit has its ref at once, is unsigned, and needs no identity (rule 4, D8, D9)' },
  ],
  // No user.name or user.email.
  D9: [
    { file: personCommit, title: 'then without a name or an address it asks for them, and makes none up (D9)' },
    { file: snapshot, title: 'then a commit has its ref at once, is unsigned, and needs no identity (rule 4, D8, D9)' },
  ],
  // A case-only rename; a 50 MB file; a file with NUL bytes.
  D10: [
    { file: snapshot, title: 'then names of all kinds, NUL bytes and 50 MB come through unharmed (A17, D10)' },
    { file: 'test/unit/candidate/partition.test.ts', title: 'takes both names of a file that is renamed in case only' },
  ],
  // An accept is undone after other accepts.
  D11: [
    { file: acceptUndo, title: 'is undone after a later commit, keeps that commit, waits again and can be accepted again (D11, D13)' },
    { file: merge, title: 'then an undo takes back just that accept after others, or names the conflict (D11)' },
  ],
  // The rest of a partial accept is accepted later.
  D12: [
    { file: partial, title: 'moves the branch by these and lets the rest wait, which arrives later (D4, D12)' },
    { file: partial, title: 'where the branch has merges, makes an ancestor only of what it took' },
    { file: merge, title: 'then the rest of a partial accept arrives later (D12)' },
  ],
  // Undo, then accept again; undo, then rework.
  D13: [
    { file: acceptUndo, title: 'is undone after a later commit, keeps that commit, waits again and can be accepted again (D11, D13)' },
    { file: acceptUndo, title: 'is sent back after an undo, and what comes then holds everything (D13)' },
    { file: partial, title: 'while the rest waits: everything that the branch lacks waits then' },
    { file: partial, title: 'after the rest was accepted too: each by itself, the newest first, and all of it can be accepted again' },
    { file: partial, title: 'names the files where the rest conflicts with what the branch has since, and changes nothing' },
  ],
  // The person amends, rebases or resets while an agent works; a dropped commit held a secret.
  D14: [
    { file: acceptUndo, title: 'is carried onto an amended tip without the commit that the person dropped (D14)' },
    { file: merge, title: 'then onto an amended line the dropped secret does not come along (D14)' },
  ],
  // A file of the candidate is open with unsaved edits.
  D15: [{ file: accept, title: 'a file that is open with unsaved edits (D15)' }],
  // The candidate adds a path that is ignored and present in the checkout.
  D16: [
    { file: accept, title: 'an ignored file that the change adds (D16)' },
    { file: accept, title: 'an ignored folder, a file or a link where the change needs a folder, a folder with ignored files where it needs a file (D16)' },
  ],
  // Configured stashes and merges.
  D17: [{ file: accept, title: 'then hooks and configured automatisms of the repository do nothing (D17)' }],
  // A merge, rebase, cherry-pick, revert or bisect is under way.
  D18: [
    { file: accept, title: 'a merge, rebase, cherry-pick, revert or bisect under way (D18)' },
    { file: accept, title: 'a rebase of the branch that is under way in another worktree' },
  ],
  // Another branch is checked out at accept than at delegation.
  D19: [
    { file: acceptUndo, title: 'goes onto the branch that it was delegated from also where another is checked out, which does not move (D19)' },
    { file: accept, title: 'then a branch that is checked out nowhere moves alone (D19)' },
    { file: 'test/unit/editor/acceptWords.test.ts', title: 'names both branches where another is checked out' },
  ],
  // Killed between any two steps of an accept or inside one.
  D20: [
    { file: crash, title: 'then a death at "%s" leaves the %s state' },
    { file: crash, title: 'then a death of everything while git writes the files puts them back, the half-written ones too' },
    { file: partial, title: 'at "%s" has happened or has not, and all of the change arrives' },
  ],
  // The line is rebased, amended, squashed after accepts.
  D21: [
    { file: retention, title: 'by its trailer after an amend, a rebase onto others’ work and a squash' },
    { file: retention, title: 'by what it changes, where a message lost its trailers and other lines moved it' },
    { file: retention, title: 'or shown as rewritten, where the line holds something else in its place' },
    { file: 'test/unit/projections/agentRows.test.ts', title: 'says where an accepted change is now, if that is elsewhere' },
  ],
  // Opening a candidate of many files.
  D22: [{ file: review, title: 'leaves Source Control and Problems as they were' }],
  // Each of two candidates passes alone, together they fail.
  D23: [
    { file: together, title: 'the second is refused in words of its own and stays so in the history' },
    { file: together, title: 'is sent back on the new tip: the agent finds both changes and is told of the check' },
    { file: 'test/unit/projections/reviewRows.test.ts', title: 'says that it passes alone and fails together with the branch, and until when (D23)' },
  ],
  // Three candidates wait while the person commits.
  D24: [{ file: together, title: 'are accepted one after the other, each checked on the tip of its turn, and none starts over without end' }],
  // An edit in the diff is unsaved when a verdict is given.
  D25: [
    { file: 'test/integration/world/rework.test.ts', title: 'holds what the person saved while it was being sent back, or the save is refused (D25)' },
    { file: review, title: 'keeps what was typed and not saved through a reject, exactly as typed although formatting on save is on' },
    { file: acceptUndo, title: 'takes what the person typed in the diff, and tells the agent so at a rework (D5, D25)' },
  ],
  // The branch is checked out in another linked worktree.
  D26: [
    { file: accept, title: 'then a linked worktree that has it checked out follows (D26)' },
    { file: accept, title: 'then one whose git folder lies on another file system follows too (D26)' },
    { file: accept, title: 'then one that cannot be reached refuses, rather than hold the reverse later (D26)' },
    { file: accept, title: 'then of two checkouts of one branch, either both follow or none' },
  ],
  // CRLF in the file, LF in the model's text; mixed line ends; autocrlf.
  E1: [
    { file: exactEdit, title: 'matches CRLF by LF and writes CRLF again' },
    { file: exactEdit, title: 'in a file that mixes line ends leaves the lines alone that it does not change' },
    { file: editing, title: 'goes well with core.autocrlf' },
  ],
  // A byte order mark.
  E2: [
    { file: editing, title: 'changes only the lines that were meant, with CRLF, a byte order mark and the executable bit kept' },
    { file: reading, title: 'shows numbered lines without byte order mark and CR, and a part of them where asked' },
  ],
  // A file that is not UTF-8.
  E3: [{ file: editing, title: 'that is %s is refused, and its bytes stay' }],
  // The text to replace occurs several times.
  E4: [
    { file: exactEdit, title: 'refuses a text that occurs several times, with the count and the lines' },
    { file: exactEdit, title: 'replaces all of them where that is asked for' },
  ],
  // White space differs a little.
  E5: [
    { file: exactEdit, title: 'of white space only shows the lines as they are' },
    { file: exactEdit, title: 'shows the line that is most alike' },
  ],
  // The executable bit.
  E6: [
    { file: editing, title: 'changes only the lines that were meant, with CRLF, a byte order mark and the executable bit kept' },
    { file: editing, title: 'in place of another keeps its mode, its byte order mark and its CRLF line ends' },
  ],
  // A path that a cut stream left incomplete.
  E7: [
    { file: limits, title: 'makes nothing of a path that a cut stream left incomplete (E7)' },
    { file: editing, title: 'without a file\'s name (%j) makes nothing' },
  ],
  // A huge file; a folder with very many entries.
  E8: [
    { file: reading, title: 'of any length cuts it with a note that says how to go on, in flat memory' },
    { file: reading, title: 'with a hundred thousand entries is cut with a note' },
  ],
  ...MODEL_CASES,
  // The person's message to an agent at work.
  G6: [
    { file: steering, title: 'arrives at its next turn, with others in one go, while nothing that runs is cut off (G6)' },
    { file: steering, title: 'sent while its model writes its last words is read before anything is proposed (G6)' },
    { file: steering, title: 'is neither dropped nor doubled where the window closes before it is told (G6)' },
    { file: 'test/unit/episode/personsWords.test.ts', title: 'is neither doubled nor dropped by a crash: the transcript says up to where it was told' },
  ],
};
