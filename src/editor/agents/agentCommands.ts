import * as vscode from 'vscode';
import { agentName } from '../../core/projections/episodeWords.ts';
import { fileIn } from '../../core/paths.ts';
import type { Episode } from '../../core/world/state.ts';
import type { Handlers } from '../commands/handlers.ts';
import { askWords } from '../longText/askWords.ts';
import { agentFor } from '../pickAgent.ts';
import { askInList, type AnswerPlaces } from '../questions/answerQuestion.ts';
import type { ChangeTabs } from '../review/changeTabs.ts';
import { tellRefusal } from '../tellPerson.ts';
import { subjectOf } from '../views/rowSubjects.ts';
import { allAgents, episodeOf, type Worlds } from '../worlds.ts';
import type { AgentDocuments } from './agentDocuments.ts';
import type { TranscriptFiles } from './transcriptFiles.ts';

interface AgentCommandDependencies extends AnswerPlaces {
  readonly worlds: Worlds;
  readonly tabs: ChangeTabs;
  readonly documents: AgentDocuments;
  readonly transcripts: TranscriptFiles;
  /** Tells every window of this machine to stop, and this one's agents at once. */
  readonly stopEverything: () => Promise<void>;
}

export function agentCommands({ worlds, tabs, documents, transcripts, texts, commands, stopEverything }: AgentCommandDependencies): Pick<Handlers, 'worldtree.showAgent' | 'worldtree.showTranscript' | 'worldtree.answer' | 'worldtree.messageAgent' | 'worldtree.finishUp' | 'worldtree.stopAgent' | 'worldtree.stopEverything' | 'worldtree.openContext' | 'worldtree.openCheckoutFile' | 'worldtree.openSettings'> {
  return {
    'worldtree.showAgent': async (argument) => {
      const agent = await agentFor(argument, { worlds, tabs }, () => true, { title: 'Show Agent', none: 'No agent has worked here yet.' });
      if (agent) await documents.show(agent);
    },
    'worldtree.showTranscript': async (argument) => {
      const agent = await agentFor(argument, { worlds, tabs }, () => true, { title: 'Show Transcript', none: 'No agent has worked here yet.' });
      if (agent) await transcripts.show(agent);
    },
    'worldtree.answer': async (argument) => {
      const agent = await agentFor(argument, { worlds, tabs }, (e) => e.phase.name === 'asking' || e.phase.name === 'interrupted', { title: 'Answer', none: 'No agent asks anything.' });
      if (agent) await askInList(agent, { texts, commands });
    },
    'worldtree.messageAgent': async (argument) => {
      const agent = await agentFor(argument, { worlds, tabs }, isNotDone, { title: 'Send Message to Agent', none: 'No agent is at work.' });
      const episode = agent && episodeOf(agent);
      if (!agent || !episode) return;
      const name = agentName(episode);
      const words = await askWords({ title: `Message to ${name}`, prompt: 'It reads this at its next turn; what it is doing is not cut off.', required: 'Say what it should know or do differently', name: `Message to ${name}` }, texts);
      if (words === undefined) return;
      const sent = await agent.world.message(agent.id, words);
      if (!sent.ok) await tellRefusal(sent.refusal);
    },
    'worldtree.finishUp': async (argument) => {
      const agent = await agentFor(argument, { worlds, tabs }, (e) => e.phase.name === 'preparing' || e.phase.name === 'running', { title: 'Let Agent Finish Up', none: 'No agent is at work.' });
      if (!agent) return;
      const asked = await agent.world.cancel(agent.id);
      if (!asked.ok) await tellRefusal(asked.refusal);
    },
    'worldtree.stopAgent': async (argument) => {
      const agent = await agentFor(argument, { worlds, tabs }, isNotDone, { title: 'Stop', none: 'No agent is at work.' });
      if (!agent) return;
      const stopped = await agent.world.stop(agent.id);
      if (!stopped.ok) await tellRefusal(stopped.refusal);
    },
    'worldtree.stopEverything': async () => {
      const working = allAgents(worlds).filter(({ episode }) => isNotDone(episode));
      await stopEverything();
      const names = working.map(({ episode }) => agentName(episode)).join(', ');
      void vscode.window.showInformationMessage(names === '' ? 'Nothing was at work in this window; the agents of other windows are told to stop.' : `Stopped: ${names}. What they have done so far is kept.`);
    },
    'worldtree.openContext': async (argument) => {
      const subject = subjectOf(argument);
      if (subject?.kind === 'world') await open(vscode.Uri.joinPath(vscode.Uri.file(subject.world.repository.checkout), fileIn(subject.folder, 'CONTEXT.md')));
    },
    'worldtree.openCheckoutFile': async (argument) => {
      const subject = subjectOf(argument);
      const file = subject?.kind === 'file' ? subject.file : subject?.kind === 'outside' ? subject.files[0] : undefined;
      if (!subject || !('agent' in subject) || !file) return;
      const root = vscode.Uri.file(subject.agent.world.repository.checkout);
      const candidates = [file.path, ...(file.from === null ? [] : [file.from])].map((path) => vscode.Uri.joinPath(root, path));
      for (const uri of candidates) if (await exists(uri)) return open(uri);
      const episode = episodeOf(subject.agent);
      void vscode.window.showInformationMessage(`${file.path} is not in your checkout: ${episode ? agentName(episode) : 'the agent'} adds it. Open the change to read it.`);
    },
    'worldtree.openSettings': async () => { await vscode.commands.executeCommand('workbench.action.openSettings', 'worldtree.'); },
  };
}

/** At work, or in the middle of it: there is something to say to it, or to stop. */
function isNotDone({ phase }: Episode): boolean {
  return phase.name !== 'ended' && phase.name !== 'waiting' && phase.name !== 'judging';
}

async function open(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', uri);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
