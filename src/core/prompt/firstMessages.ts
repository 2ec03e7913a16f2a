import type { ContextPage } from '../context/contextChain.ts';
import type { Message } from '../episode/model.ts';
import type { FolderPath } from '../ids.ts';
import type { RoleName, World } from '../ledger/events.ts';
import type { Limits } from '../limits/limits.ts';
import type { FoundCommand } from '../survey/commands.ts';
import type { RepositoryFacts } from './repositoryFacts.ts';
import { ROLES } from '../roles.ts';
import { SYSTEM_PROMPT } from './systemPrompt.ts';

export interface FirstMessagesInput {
  readonly facts: RepositoryFacts;
  /** Root first: `contextChain`. */
  readonly chain: readonly ContextPage[];
  readonly role: RoleName;
  readonly world: World;
  readonly limits: Limits;
  readonly goal: string;
  /** What this one worktree needs to be told: setup that failed, LFS pointers, files that were brought in. May name anything, so it comes last. */
  readonly notes: readonly string[];
}

/**
 * What an episode begins with. Two messages, since some servers want roles to alternate: all that is the same for every
 * episode of a chain comes before `Your role`, byte for byte, so that caches hit across goals, roles and versions.
 */
export function firstMessages({ facts, chain, role, world, limits, goal, notes }: FirstMessagesInput): Message[] {
  const shared = [repositoryPage(facts), ...(chain.length === 0 ? [] : [CHAIN_HEADING, ...chain.map(chainPage)])];
  const own = [
    `${ROLE_LINE}${role}\n${ROLES[role].page}`,
    `${FOLDER_LINE}${folderWords(world.path)}\nCommit: ${world.commit}\n${LIMITS_LINE}${limitWords(limits)}`,
    `${GOAL_LINE}${goal.trim()}`,
    ...(notes.length === 0 ? [] : [`${NOTES_LINE}${notes.map((note) => `- ${note.trim().replaceAll('\n', '\n  ')}`).join('\n')}`]),
  ];
  return [{ role: 'system', text: SYSTEM_PROMPT }, { role: 'user', text: [...shared, ...own].join('\n\n') }];
}

/** What the second of the first messages holds, for a person who reads it; null where the text is none with this goal. */
export function firstMessageParts(text: string, goal: string): { readonly pages: string; readonly role: string; readonly notes: string } | null {
  const goalPart = `\n\n${GOAL_LINE}${goal.trim()}`;
  const goalAt = text.lastIndexOf(goalPart);
  const roleAt = goalAt < 0 ? -1 : text.lastIndexOf(`\n\n${ROLE_LINE}`, goalAt);
  return roleAt < 0 ? null : { pages: text.slice(0, roleAt), role: text.slice(roleAt + 2, goalAt), notes: text.slice(goalAt + goalPart.length).trim() };
}

/** The folder that a survey's first messages are about; null where they are not of `firstMessages`. */
export function surveyedFolder(messages: readonly Message[]): FolderPath | null {
  const line = ownLine(messages, FOLDER_LINE);
  if (line === null) return null;
  return (line === ROOT_WORDS ? '' : line.startsWith('"') ? String(JSON.parse(line)) : line) as FolderPath;
}

/** How many turns a survey may take; null where its first messages do not say. */
export function turnLimitOf(messages: readonly Message[]): number | null {
  const turns = /^(\d+) turns/.exec(ownLine(messages, LIMITS_LINE) ?? '')?.[1];
  return turns === undefined ? null : Number(turns);
}

/** A line of a survey's own part. Pages of the repository may hold any line, but come before the role; the goal comes after it, and nobody types a survey's. */
function ownLine(messages: readonly Message[], start: string): string | null {
  const text = messages.find((m) => m.role === 'user')?.text ?? '';
  const roleAt = text.lastIndexOf(`\n\n${ROLE_LINE}`);
  return roleAt < 0 ? null : (text.slice(roleAt).split('\n').find((line) => line.startsWith(start))?.slice(start.length) ?? null);
}

/** What the repository is called in first messages; null where they are not of `firstMessages`. */
export function repositoryNameOf(messages: readonly Message[]): string | null {
  return /^Repository: (.+)$/m.exec(messages.find((m) => m.role === 'user')?.text.slice(0, 1000) ?? '')?.[1] ?? null;
}

const ROLE_LINE = 'Your role: ';
const FOLDER_LINE = 'Your folder: ';
const LIMITS_LINE = 'Limits: ';
const GOAL_LINE = 'Goal:\n';
const NOTES_LINE = 'Notes on your worktree:\n';
const ROOT_WORDS = '/ (the whole repository)';
const CHAIN_HEADING = 'The project\'s own pages, from the root to your folder. They tell how work is done here and what is where.';

function repositoryPage({ name, topLevelFolders, languages, commands }: RepositoryFacts): string {
  return [
    `Repository: ${onOneLine(name)}`,
    ...(topLevelFolders.length === 0 ? [] : [`Top-level folders: ${topLevelFolders.map(onOneLine).join(', ')}`]),
    ...(languages.length === 0 ? [] : [`Languages: ${languages.join(', ')}`]),
    ...(commands.length === 0 ? [] : ['Commands that its files declare, for the root (run with folder "."):', ...commands.map(commandLine)]),
  ].join('\n');
}

function commandLine({ kind, run, from }: FoundCommand): string {
  return `- ${kind}: ${onOneLine(run)} (${onOneLine(from)})`;
}

/** Between lines longer than any of the kind in the page: no page can seem to end and go on as the host. */
function chainPage({ path, text }: ContextPage): string {
  const name = onOneLine(path);
  const bar = '='.repeat(Math.max(5, ...[...text.matchAll(/^=+(?= )/gm)].map(([run]) => run.length + 1)));
  return `${bar} ${name} ${bar}\n${text}\n${bar} end of ${name} ${bar}`;
}

function folderWords(folder: FolderPath): string {
  if (folder === '') return ROOT_WORDS;
  return /^["/]|^\s|\s$/.test(folder) ? JSON.stringify(folder) : onOneLine(folder);
}

/** A name of git's may hold line breaks: none of it may read as a line of ours. */
function onOneLine(name: string): string {
  return /[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(name) ? JSON.stringify(name) : name;
}

function limitWords({ turns, wallMs, costUsd }: Limits): string {
  return `${turns} turns (one reply of yours is one turn), ${Math.round(wallMs / 60_000)} minutes, US$ ${costUsd.toFixed(2)}`;
}
