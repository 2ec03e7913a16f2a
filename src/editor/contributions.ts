import { COMPACT_AT } from '../core/episode/compaction.ts';
import { DISK_BUDGET_GB } from '../core/limits/diskBudget.ts';
import { DAILY_LIMITS, DELEGATION_LIMITS } from '../core/limits/limits.ts';

/**
 * Everything that the manifest contributes, typed. `test/rules/manifest.test.ts` compares package.json with this list
 * both ways, so that neither can name what the other does not have. It imports no `vscode`, so that the test can read it.
 */
export interface CommandContribution {
  readonly title: string;
  readonly icon?: string;
  readonly enablement?: string;
  /** False for commands that only make sense on a row or in an editor's title. */
  readonly palette: boolean;
}

const TRUSTED = 'isWorkspaceTrusted';

export const COMMANDS = {
  'worldtree.delegate': { title: 'Delegate to Agent…', icon: '$(add)', enablement: TRUSTED, palette: true },
  'worldtree.firstCommit': { title: 'Make the First Commit…', icon: '$(git-commit)', enablement: TRUSTED, palette: true },
  'worldtree.survey': { title: 'Survey This Folder', icon: '$(telescope)', enablement: TRUSTED, palette: true },
  'worldtree.stopEverything': { title: 'Stop Everything', icon: '$(debug-stop)', palette: true },
  'worldtree.showStatus': { title: 'Show Status', palette: true },
  'worldtree.whereDidItGo': { title: 'Where Did It Go?', palette: true },
  'worldtree.chooseModel': { title: 'Choose Model…', palette: true },
  'worldtree.addModel': { title: 'Add a Model…', palette: true },
  'worldtree.testModel': { title: 'Test a Model…', palette: true },
  'worldtree.removeKey': { title: 'Remove a Stored Key…', palette: true },
  'worldtree.permissions': { title: 'What Commands May Do…', palette: true },
  'worldtree.openSettings': { title: 'Open Settings', icon: '$(gear)', palette: true },

  'worldtree.openChanges': { title: 'Open Changes', icon: '$(diff-multiple)', palette: true },
  'worldtree.openChangesSinceLooked': { title: 'Open Changes Since I Looked', icon: '$(history)', palette: true },
  'worldtree.openFileChange': { title: 'Open File Change', palette: false },
  'worldtree.openCheckoutFile': { title: 'Open File', icon: '$(go-to-file)', palette: false },
  'worldtree.accept': { title: 'Accept…', icon: '$(check)', enablement: TRUSTED, palette: true },
  'worldtree.acceptFile': { title: 'Accept This File…', enablement: TRUSTED, palette: false },
  'worldtree.acceptToNewBranch': { title: 'Accept to a New Branch…', icon: '$(git-branch)', enablement: TRUSTED, palette: true },
  'worldtree.reject': { title: 'Reject', icon: '$(close)', enablement: TRUSTED, palette: true },
  'worldtree.rework': { title: 'Rework…', icon: '$(comment)', enablement: TRUSTED, palette: true },
  'worldtree.undoAccept': { title: 'Undo Accept', icon: '$(discard)', enablement: TRUSTED, palette: true },
  'worldtree.undoReject': { title: 'Undo Reject', icon: '$(discard)', enablement: TRUSTED, palette: true },
  'worldtree.addReason': { title: 'Add Reason…', icon: '$(edit)', enablement: TRUSTED, palette: false },
  'worldtree.allowOutside': { title: 'Allow', icon: '$(check)', enablement: TRUSTED, palette: false },
  'worldtree.dropOutside': { title: 'Drop', icon: '$(close)', enablement: TRUSTED, palette: false },
  'worldtree.useText': { title: 'Use This Text', icon: '$(check)', palette: false },
  'worldtree.discardText': { title: 'Keep the Text as It Was', icon: '$(discard)', palette: false },

  'worldtree.showAgent': { title: 'Show Agent', icon: '$(info)', palette: true },
  'worldtree.showTranscript': { title: 'Show Transcript', icon: '$(output)', palette: true },
  'worldtree.answer': { title: 'Answer…', icon: '$(comment-discussion)', enablement: TRUSTED, palette: true },
  'worldtree.messageAgent': { title: 'Send Message to Agent…', icon: '$(comment)', enablement: TRUSTED, palette: true },
  'worldtree.finishUp': { title: 'Let Agent Finish Up', icon: '$(debug-step-over)', enablement: TRUSTED, palette: true },
  'worldtree.stopAgent': { title: 'Stop', icon: '$(debug-stop)', enablement: TRUSTED, palette: true },
  'worldtree.publishHistory': { title: 'Publish History…', enablement: TRUSTED, palette: true },
  'worldtree.fetchHistory': { title: 'Fetch History…', enablement: TRUSTED, palette: true },
  'worldtree.rebuildFromGit': { title: 'Rebuild from Git', enablement: TRUSTED, palette: true },
  'worldtree.openContext': { title: 'Open CONTEXT.md', icon: '$(book)', palette: false },
} as const satisfies Record<`worldtree.${string}`, CommandContribution>;

export type CommandId = keyof typeof COMMANDS;

export const CATEGORY = 'Worldtree';

export const VIEW_CONTAINER = 'worldtree';

export const VIEWS = {
  'worldtree.review': { name: 'Review' },
  'worldtree.agents': { name: 'Agents' },
  'worldtree.worlds': { name: 'Worlds' },
} as const satisfies Record<`worldtree.${string}`, { readonly name: string }>;

export type ViewId = keyof typeof VIEWS;

/** Values that `when` clauses of the manifest read, with what they can be. */
export interface ContextKeys {
  /** What the window has: decides which welcome text the views show. */
  readonly 'worldtree.state': 'starting' | 'noRepository' | 'noCommit' | 'untrusted' | 'refused' | 'ready';
  /** Any agent at work or asking, in this window. */
  readonly 'worldtree.agentsAtWork': boolean;
  /** Whether the active editor shows a proposed change, and whether it waits for a verdict. */
  readonly 'worldtree.activeChange': 'waiting' | 'closed' | '';
}

export const CONTEXT_KEYS = ['worldtree.state', 'worldtree.agentsAtWork', 'worldtree.activeChange'] as const satisfies readonly (keyof ContextKeys)[];

/** `machine`: a repository's settings file cannot set it (rule 10). `resource`: it may differ by repository. */
type SettingScope = 'machine' | 'resource';

export interface SettingContribution {
  readonly type: 'array' | 'object' | 'number' | 'integer' | 'string' | 'boolean';
  readonly default: unknown;
  readonly scope: SettingScope;
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
}

export const SETTINGS = {
  'worldtree.models': { type: 'array', default: [], scope: 'machine', description: 'Models behind OpenAI-compatible servers. Keys are kept in the secret storage or read from a named environment variable, never here. “Worldtree: Add a Model…” fills this in.' },
  'worldtree.limits.costUsd': { type: 'number', default: DELEGATION_LIMITS.costUsd, scope: 'machine', minimum: 0.01, description: 'US dollars that one delegation may cost. At the limit the agent stands still and asks.' },
  'worldtree.limits.freshTokens': { type: 'integer', default: DELEGATION_LIMITS.freshTokens, scope: 'machine', minimum: 1000, description: 'Input tokens outside the provider’s cache that one delegation may use.' },
  'worldtree.limits.allTokens': { type: 'integer', default: DELEGATION_LIMITS.allTokens, scope: 'machine', minimum: 1000, description: 'Tokens of input and output together that one delegation may use with a model whose prices are not known.' },
  'worldtree.limits.minutes': { type: 'number', default: DELEGATION_LIMITS.wallMs / 60_000, scope: 'machine', minimum: 1, description: 'Minutes that one delegation may work. Waiting for you does not count.' },
  'worldtree.limits.turns': { type: 'integer', default: DELEGATION_LIMITS.turns, scope: 'machine', minimum: 1, description: 'Model turns that one delegation may take.' },
  'worldtree.daily.costUsd': { type: 'number', default: DAILY_LIMITS.costUsd, scope: 'machine', minimum: 0, description: 'US dollars that all agents of this machine together may cost in one day.' },
  'worldtree.daily.allTokens': { type: 'integer', default: DAILY_LIMITS.allTokens, scope: 'machine', minimum: 0, description: 'Tokens a day, over all agents of this machine, of models whose prices are not known.' },
  'worldtree.compactAt': { type: 'integer', default: COMPACT_AT, scope: 'machine', minimum: 10_000, description: 'Tokens of an agent’s conversation from which on it is replaced by a summary that its model writes. A model whose contextWindow is smaller is asked earlier. The transcript keeps everything, and the agent can read it back.' },
  'worldtree.commitHooks': { type: 'string', default: 'run', scope: 'machine', enum: ['run', 'skip'], description: 'Whether the repository’s pre-commit and commit-msg hooks run when a change is accepted.' },
  'worldtree.acceptStyle': { type: 'string', default: 'auto', scope: 'resource', enum: ['auto', 'squash', 'merge'], description: 'How an accepted change joins the branch: as one commit (squash), as a merge commit, or as the branch’s own recent history does it (auto).' },
  'worldtree.checks': { type: 'string', default: 'warm', scope: 'machine', enum: ['warm', 'cold'], description: 'Whether checks may start from the build output of accepted changes (warm) or always from nothing (cold).' },
  'worldtree.submodules': { type: 'string', default: 'leave', scope: 'machine', enum: ['leave', 'init'], description: 'Whether an agent’s worktree gets the submodules of its commit, theirs too (init), or their folders stay empty and the agent is told (leave). What your own checkout has of them is used; what it lacks is fetched, without asking for a password.' },
  'worldtree.worktree.checkout': { type: 'string', default: 'auto', scope: 'machine', enum: ['auto', 'full', 'sparse'], description: 'How much of the repository an agent has on disk: everything (full), its folder and what genesis.toml says that commands need (sparse), or everything unless genesis.toml says what is needed or the agent runs no commands, as Survey does (auto). What is not on disk can be read, searched and changed all the same; commands do not see it.' },
  'worldtree.sandbox.enabled': { type: 'boolean', default: true, scope: 'machine', description: 'Whether commands of a repository (agents’, setup scripts, checks, hooks) run in a sandbox of the operating system. Without one each command asks. Takes effect when the window is reloaded.' },
  'worldtree.sandbox.network': { type: 'string', default: 'ask', scope: 'machine', enum: ['ask', 'off', 'registries', 'on'], description: 'What commands in the sandbox may reach: nothing (off), package registries, everything but this machine itself (on), or what you answer when the first command of a repository runs (ask).' },
  'worldtree.sandbox.hosts': { type: 'array', default: [], scope: 'machine', description: 'Hosts that commands may reach besides the known package registries: packages.example.com, *.example.com or git.example.com:8443.' },
  'worldtree.tape': { type: 'object', default: { mode: 'off' }, scope: 'machine', description: 'Records what models are asked and answer to a file (record), or answers from such a file and asks nobody (play). Keys and paths of your home are left out of it; what agents read and write is in it.' },
  'worldtree.worktree.diskBudgetGb': { type: 'number', default: DISK_BUDGET_GB, minimum: 0, scope: 'machine', description: 'Gigabytes that the agents’ worktrees may take on disk, of all repositories together; the caches of tools beside them are not counted. Above that, worktrees of changes that wait are given back, the oldest first; nothing of a change is lost, and Rework makes its worktree again.' },
  'worldtree.worktreeRoot': { type: 'string', default: '', scope: 'machine', description: 'Folder for the agents’ worktrees. Empty: the folder “worldtree” in your home, on macOS and Windows in the cache folder there. Avoid a path with a folder whose name begins with a dot: many tools leave such folders out.' },
} as const satisfies Record<`worldtree.${string}`, SettingContribution>;

export type SettingKey = keyof typeof SETTINGS;
