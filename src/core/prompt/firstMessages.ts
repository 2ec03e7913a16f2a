import type { ContextPage } from '../context/contextChain.ts';
import type { Message } from '../episode/model.ts';
import { shortCommit } from '../ids.ts';
import type { RoleName, World } from '../ledger/events.ts';
import type { Limits } from '../limits/limits.ts';
import { displayFolder } from '../paths.ts';
import { repositoryFactsText, type RepositoryFacts } from './repositoryFacts.ts';
import { rolePage } from './rolePages.ts';
import { SYSTEM_PROMPT } from './systemPrompt.ts';

export interface Opening {
  readonly facts: RepositoryFacts;
  /** From the root down to the folder. */
  readonly pages: readonly ContextPage[];
  readonly role: RoleName;
  readonly world: World;
  readonly limits: Pick<Limits, 'turns' | 'wallMs'>;
  readonly goal: string;
  /** What the agent should know of its worktree: setup that failed, files that are LFS pointers. */
  readonly notes: readonly string[];
}

/**
 * What an episode begins with. Order is what makes caches hit: the system prompt, then what all episodes of the
 * repository share, then the folder's pages, and only then role, version, limits and goal. No clock, random id or
 * machine path stands before the goal.
 */
export function firstMessages({ facts, pages, role, world, limits, goal, notes }: Opening): Message[] {
  const shared = [repositoryFactsText(facts), ...pages.map(pageText)].join('\n\n');
  const own = [
    rolePage(role),
    `Your folder: ${displayFolder(world.path)}${world.path === '' ? ' (the whole repository)' : ''}\nThe commit you start from: ${shortCommit(world.commit)}\nYou have ${limits.turns} turns (one reply is one turn) and ${Math.round(limits.wallMs / 60_000)} minutes.`,
    ...(notes.length === 0 ? [] : [`About your worktree:\n${notes.map((note) => `- ${note}`).join('\n')}`]),
    `The goal:\n\n${goal}`,
  ].join('\n\n');
  return [{ role: 'system', text: SYSTEM_PROMPT }, { role: 'user', text: shared }, { role: 'user', text: own }];
}

function pageText(page: ContextPage): string {
  return `The project's own notes, from ${page.path}:\n\n${page.text}`;
}
