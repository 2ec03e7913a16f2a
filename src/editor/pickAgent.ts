import * as vscode from 'vscode';
import { age, oneLine } from '../core/projections/amounts.ts';
import { agentName, stateWords } from '../core/projections/episodeWords.ts';
import type { Episode } from '../core/world/state.ts';
import { currentCandidate } from '../core/world/state.ts';
import type { ChangeTabs } from './review/changeTabs.ts';
import { subjectOf } from './views/rowSubjects.ts';
import { allAgents, episodeOf, type Agent, type Worlds } from './worlds.ts';

/**
 * What a command is about: the row it was called on, else the change in the active editor, else the one that fits,
 * else the one that the person picks. Undefined when nothing fits (said) or nothing was picked.
 */
export async function agentFor(argument: unknown, { worlds, tabs }: { readonly worlds: Worlds; readonly tabs: ChangeTabs }, fits: (episode: Episode) => boolean, words: { readonly title: string; readonly none: string }): Promise<Agent | undefined> {
  const subject = subjectOf(argument);
  if (subject && subject.kind !== 'world') return subject.agent;
  const active = tabs.active();
  const activeEpisode = active && episodeOf(active);
  if (active && activeEpisode && fits(activeEpisode)) return active;
  const fitting = allAgents(worlds).filter(({ episode }) => fits(episode)).toSorted((a, b) => b.episode.changedAt - a.episode.changedAt);
  if (fitting.length === 0) {
    void vscode.window.showInformationMessage(words.none);
    return undefined;
  }
  if (fitting.length === 1) return fitting[0]?.agent;
  const picked = await vscode.window.showQuickPick(fitting.map(({ agent, episode }) => ({
    label: agentName(episode),
    description: oneLine(currentCandidate(episode)?.subject ?? episode.goal, 80),
    detail: `${stateWords(episode, agent.world.live(agent.id)?.words)} · ${age(episode.changedAt, Date.now())}`,
    agent,
  })), { title: words.title, matchOnDescription: true });
  return picked?.agent;
}

export function isWaiting(episode: Episode): boolean {
  return episode.phase.name === 'waiting';
}
