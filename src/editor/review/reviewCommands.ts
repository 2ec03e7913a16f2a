import * as vscode from 'vscode';
import type { Handlers } from '../commands/handlers.ts';
import { candidateOf, currentCandidate, type Episode } from '../../core/world/state.ts';
import { agentName } from '../../core/projections/episodeWords.ts';
import { agentFor } from '../pickAgent.ts';
import { subjectOf } from '../views/rowSubjects.ts';
import { episodeOf, type Agent, type Worlds } from '../worlds.ts';
import { openAllChanges, openFileChange, openOutsideChange } from './changeEditors.ts';
import type { ChangeTabs } from './changeTabs.ts';
import { changedFileAt, shownCandidate } from '../../core/candidate/shownCandidate.ts';

export function reviewCommands(deps: { readonly worlds: Worlds; readonly tabs: ChangeTabs }): Pick<Handlers, 'worldtree.openChanges' | 'worldtree.openChangesSinceLooked' | 'worldtree.openFileChange'> {
  const change = (argument: unknown) => agentFor(argument, deps, (e) => e.phase.name === 'waiting' || e.phase.name === 'judging', { title: 'Open Changes', none: 'No proposed change waits.' });
  return {
    'worldtree.openChanges': async (argument) => {
      const agent = await change(argument);
      if (agent) await openChanges(agent);
    },
    'worldtree.openChangesSinceLooked': async (argument) => {
      const agent = await change(argument);
      if (agent) await openChanges(agent, 'looked');
    },
    'worldtree.openFileChange': async (argument) => {
      const subject = subjectOf(argument);
      if (subject?.kind !== 'file' && subject?.kind !== 'outside') return;
      const episode = episodeOf(subject.agent);
      const candidate = episode && (candidateOf(episode, subject.candidate) ?? shownCandidate(episode, subject.candidate));
      if (!episode || !candidate) return;
      const [file] = subject.kind === 'file' ? [changedFileAt(candidate, subject.file.path) ?? subject.file] : subject.files;
      if (!file) return;
      if (subject.kind === 'file') await openFileChange(subject.agent, episode, candidate, file);
      else await openOutsideChange(subject.agent, episode, candidate, file);
    },
  };
}

/** Opens the change that a verdict would be about, or the newest one of an agent that was judged; it counts as looked at. */
export async function openChanges(agent: Agent, since: 'base' | 'looked' = 'base'): Promise<void> {
  const episode = episodeOf(agent);
  const candidate = episode && (currentCandidate(episode) ?? episode.candidates.at(-1));
  if (!episode || !candidate) {
    void vscode.window.showInformationMessage(`${episode ? agentName(episode) : 'The agent'} has proposed nothing yet.`);
    return;
  }
  if ((await openAllChanges(agent, episode, candidate, since)) === 'nothing to show') void vscode.window.showInformationMessage(nothingWords(episode, since));
  await agent.world.look(agent.id, candidate.number);
}

function nothingWords(episode: Episode, since: 'base' | 'looked'): string {
  return since === 'looked' ? `Nothing in ${agentName(episode)} has changed since you looked.` : `${agentName(episode)} changes no file.`;
}
