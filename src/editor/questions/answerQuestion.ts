import * as vscode from 'vscode';
import { agentName } from '../../core/projections/episodeWords.ts';
import { INTERRUPTED_WORDS, questionWords, type QuestionChoice, type QuestionWords } from '../../core/projections/questionWords.ts';
import type { Episode } from '../../core/world/state.ts';
import { askWords } from '../longText/askWords.ts';
import type { LongTextEditor } from '../longText/longTextEditor.ts';
import { tellRefusal } from '../tellPerson.ts';
import { episodeOf, type Agent } from '../worlds.ts';
import type { CommandDocuments } from './commandDocuments.ts';

/** Where answers of several lines are written, and long commands are read. */
export interface AnswerPlaces {
  readonly texts: LongTextEditor;
  readonly commands: CommandDocuments;
}

const LOOK = 'Look at It…';

/** What an agent asks just now; undefined when it asks nothing. */
export function openQuestion(episode: Episode): QuestionWords | undefined {
  if (episode.phase.name === 'asking') return questionWords(episode.phase.question);
  return episode.phase.name === 'interrupted' ? INTERRUPTED_WORDS : undefined;
}

/** Shows a question with its answers as a list: from the row of an agent. */
export async function askInList(agent: Agent, places: AnswerPlaces): Promise<void> {
  const episode = episodeOf(agent);
  const words = episode && openQuestion(episode);
  if (!episode || !words) return;
  if (words.whole !== null) await places.commands.show(words.whole);
  const picked = await vscode.window.showQuickPick(words.choices.map((choice) => ({ label: choice.label, choice })), { title: `${agentName(episode)} ${words.sentence}`, placeHolder: words.detail, ignoreFocusOut: true });
  if (picked) await give(agent, episode, picked.choice, places.texts);
}

/** Shows a question as a notification with its answers as buttons. Resolves when it was answered or dismissed. */
export async function askInNotification(agent: Agent, places: AnswerPlaces): Promise<void> {
  const episode = episodeOf(agent);
  const words = episode && openQuestion(episode);
  if (!episode || !words) return;
  // What the message cannot show is not allowed from it, only refused.
  const offered = words.whole === null ? words.choices : words.choices.filter((choice) => choice.choice === 'refuse');
  const label = await vscode.window.showWarningMessage(`${agentName(episode)} ${words.sentence} ${words.detail}`.trim(), ...(words.whole === null ? [] : [LOOK]), ...offered.map((choice) => choice.label));
  if (label === LOOK) return askInList(agent, places);
  const choice = offered.find((c) => c.label === label);
  if (choice) await give(agent, episode, choice, places.texts);
}

/** Answers only what was asked: an agent that asks something else by now is not answered with this. */
async function give(agent: Agent, asked: Episode, choice: QuestionChoice, texts: LongTextEditor): Promise<void> {
  let words = '';
  if (choice.asksFor !== null) {
    const said = await askWords({ title: `${agentName(asked)}: ${choice.label.replace('…', '')}`, prompt: choice.asksFor, name: `Answer to ${agentName(asked)}` }, texts);
    if (said === undefined) return;
    words = said;
  }
  const now = episodeOf(agent);
  if (!now || !isSameQuestion(asked, now)) {
    void vscode.window.showInformationMessage(`${agentName(asked)} no longer asks this: it was answered elsewhere, or it is over.`);
    return;
  }
  const answered = await agent.world.answer(agent.id, { choice: choice.choice, words });
  if (!answered.ok) await tellRefusal(answered.refusal);
}

function isSameQuestion(a: Episode, b: Episode): boolean {
  return (a.phase.name === 'asking' || a.phase.name === 'interrupted') && a.phase.name === b.phase.name && a.phase.since === b.phase.since;
}
