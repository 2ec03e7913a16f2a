import * as vscode from 'vscode';
import type { FilePath } from '../../core/ids.ts';
import { displayFolder } from '../../core/paths.ts';
import { count } from '../../core/projections/amounts.ts';
import { agentName } from '../../core/projections/episodeWords.ts';
import { tellRefusal } from '../tellPerson.ts';
import { subjectOf } from '../views/rowSubjects.ts';
import { episodeOf, type Agent } from '../worlds.ts';

/** Before an accept: changes outside the folder are let in or left out, never silently either. True when all are decided. */
export async function decideOutsideFirst(agent: Agent, files: readonly FilePath[]): Promise<boolean> {
  if (files.length === 0) return true;
  const episode = episodeOf(agent);
  if (!episode) return false;
  const allow = files.length === 1 ? 'Allow It' : 'Allow All';
  const drop = files.length === 1 ? 'Drop It' : 'Drop All';
  const answer = await vscode.window.showWarningMessage(
    `${agentName(episode)} also changed ${count(files.length, 'file')} outside ${displayFolder(episode.world.path)}.`,
    { modal: true, detail: `They are not part of the proposed change until you allow them. To decide file by file, use the rows below the change in Review.\n\n${files.slice(0, 15).join('\n')}${files.length > 15 ? `\n…and ${String(files.length - 15)} more` : ''}` },
    allow, drop,
  );
  if (answer !== allow && answer !== drop) return false;
  return decide(agent, answer === allow ? 'allow' : 'drop', files);
}

/** The buttons of a row: of one file, or of all that lie outside. */
export async function decideRow(argument: unknown, decision: 'allow' | 'drop'): Promise<void> {
  const subject = subjectOf(argument);
  if (subject?.kind === 'outside') await decide(subject.agent, decision, subject.files.map((file) => file.path));
}

async function decide(agent: Agent, decision: 'allow' | 'drop', files: readonly FilePath[]): Promise<boolean> {
  const decided = await agent.world.decideOutside(agent.id, decision, files);
  if (!decided.ok) await tellRefusal(decided.refusal);
  return decided.ok;
}
