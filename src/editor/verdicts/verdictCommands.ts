import * as vscode from 'vscode';
import type { ModelRef } from '../../core/episode/model.ts';
import type { MoveId } from '../../core/ids.ts';
import { agentName, lineName } from '../../core/projections/episodeWords.ts';
import { acceptedFiles, undoOffered } from '../../core/world/heldAccepts.ts';
import { standingAccept } from '../../core/world/state.ts';
import type { Handlers } from '../commands/handlers.ts';
import { askWords } from '../longText/askWords.ts';
import type { LongTextEditor } from '../longText/longTextEditor.ts';
import { agentFor, isWaiting } from '../pickAgent.ts';
import type { ChangeFiles } from '../review/changeFiles.ts';
import type { ChangeTabs } from '../review/changeTabs.ts';
import { guarded, inBackground, tellDone, tellRefusal } from '../tellPerson.ts';
import { subjectOf } from '../views/rowSubjects.ts';
import { episodeOf, type Agent, type Worlds } from '../worlds.ts';
import { acceptChange, type AcceptDependencies } from './acceptChange.ts';
import { undoneWords } from './acceptWords.ts';
import { decideRow } from './outside.ts';
import { saveTypedText, unsavedFiles } from './unsaved.ts';

export interface VerdictDependencies {
  readonly worlds: Worlds;
  readonly tabs: ChangeTabs;
  readonly files: ChangeFiles;
  readonly texts: LongTextEditor;
  readonly openChanges: (agent: Agent) => Promise<void>;
  readonly showAgent: (agent: Agent) => Promise<void>;
  /** For an agent that another clone told of: it cannot go on with the model that it had there. */
  readonly chooseModel: (title: string) => Promise<ModelRef | undefined>;
}

type VerdictCommands = 'worldtree.accept' | 'worldtree.acceptFile' | 'worldtree.acceptToNewBranch' | 'worldtree.reject' | 'worldtree.rework' | 'worldtree.undoAccept' | 'worldtree.undoReject' | 'worldtree.addReason' | 'worldtree.allowOutside' | 'worldtree.dropOutside';

export function verdictCommands(deps: VerdictDependencies): Pick<Handlers, VerdictCommands> {
  const acceptDependencies: AcceptDependencies = { ...deps, rework: (agent) => rework(agent, deps), undo: (agent, accept) => guarded('Undo', () => undo(agent, accept)) };
  const waiting = (argument: unknown, title: string) => agentFor(argument, deps, isWaiting, { title, none: 'No proposed change waits for a verdict.' });
  return {
    'worldtree.accept': async (argument) => {
      const agent = await waiting(argument, 'Accept');
      if (agent) await acceptChange(agent, 'line', acceptDependencies);
    },
    'worldtree.acceptFile': async (argument) => {
      const subject = subjectOf(argument);
      if (subject?.kind === 'file') await acceptChange(subject.agent, 'line', acceptDependencies, [subject.file.path]);
    },
    'worldtree.acceptToNewBranch': async (argument) => {
      const agent = await waiting(argument, 'Accept to a New Branch');
      if (agent) await acceptChange(agent, 'new-branch', acceptDependencies);
    },
    'worldtree.reject': async (argument) => {
      const agent = await waiting(argument, 'Reject');
      if (agent) await reject(agent, deps);
    },
    'worldtree.rework': async (argument) => {
      const agent = await waiting(argument, 'Rework');
      if (agent) await rework(agent, deps);
    },
    'worldtree.undoAccept': async (argument) => {
      const agent = await agentFor(argument, deps, (e) => deps.worlds.all().some((world) => world.state().episodes.get(e.id) === e && standingAccept(world.state(), e.id) !== undefined), { title: 'Undo Accept', none: 'No accepted change can be undone.' });
      const accept = agent ? undoOffered(agent.world.state(), agent.id, (one) => agent.world.retention(one)) : undefined;
      if (agent && accept) await undo(agent, accept.prepared.move);
    },
    'worldtree.undoReject': async (argument) => {
      const agent = await agentFor(argument, deps, (e) => e.phase.name === 'ended' && e.phase.outcome === 'rejected', { title: 'Undo Reject', none: 'No change was rejected.' });
      if (agent) await withdraw(agent);
    },
    'worldtree.addReason': async (argument) => {
      const agent = await agentFor(argument, deps, (e) => e.phase.name === 'ended' && e.phase.outcome === 'rejected', { title: 'Add Reason', none: 'No change was rejected.' });
      if (agent) await addReason(agent);
    },
    'worldtree.allowOutside': (argument) => decideRow(argument, 'allow'),
    'worldtree.dropOutside': (argument) => decideRow(argument, 'drop'),
  };
}

/** At once and without a dialog: it can be undone. */
async function reject(agent: Agent, { files }: VerdictDependencies): Promise<void> {
  const name = nameOf(agent);
  if (!(await saveTypedText(agent, files))) return;
  const rejected = await agent.world.reject(agent.id, '');
  if (!rejected.ok) return tellRefusal(rejected.refusal);
  inBackground(tellDone(`${name} is rejected. Nothing of it went into your files.`, [
    { label: 'Undo', run: () => guarded('Undo', () => withdraw(agent)) },
    { label: 'Add Reason…', run: () => guarded('Adding a reason', () => addReason(agent)) },
  ]));
}

async function withdraw(agent: Agent): Promise<void> {
  const withdrawn = await agent.world.withdrawReject(agent.id);
  if (!withdrawn.ok) await tellRefusal(withdrawn.refusal);
}

async function addReason(agent: Agent): Promise<void> {
  const reason = await vscode.window.showInputBox({ title: `Why Was ${nameOf(agent)} Rejected?`, prompt: 'Kept in the history.', ignoreFocusOut: true });
  if (reason === undefined || reason.trim() === '') return;
  const added = await agent.world.addRejectReason(agent.id, reason.trim());
  if (!added.ok) await tellRefusal(added.refusal);
}

async function rework(agent: Agent, { files, texts, chooseModel }: VerdictDependencies): Promise<void> {
  if (!(await saveTypedText(agent, files))) return;
  const name = nameOf(agent);
  const before = episodeOf(agent);
  const fromElsewhere = before?.worktree === null;
  const words = await askWords({ title: `Rework ${name}`, prompt: fromElsewhere ? 'What should be different? Its conversation is not here, so it begins a new one with its goal, its report and your words.' : 'What should be different? The same agent goes on from its change, with your edits in it.', required: 'Say what should be different', name: `Rework of ${name}` }, texts);
  if (words === undefined) return;
  // The box stayed open for as long as the person wanted, and the diff can be typed into behind it.
  if (!(await saveTypedText(agent, files))) return;
  const model = before?.model.kind === 'elsewhere' ? await chooseModel(`Which Model Should Go On with ${name}? It Had ${before.model.name}`) : undefined;
  if (before?.model.kind === 'elsewhere' && model === undefined) return;
  const reworked = await agent.world.rework(agent.id, words, model);
  if (!reworked.ok) await tellRefusal(reworked.refusal);
}

async function undo(agent: Agent, accept: MoveId): Promise<void> {
  const name = nameOf(agent);
  const move = agent.world.state().moves.get(accept);
  const line = move ? lineName(move.prepared.target) : 'the branch';
  const undone = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Undoing ${name} on ${line}`, cancellable: true }, (_progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return agent.world.undo(agent.id, accept, { signal: abort.signal, unsaved: unsavedFiles });
  });
  const episode = episodeOf(agent);
  if (undone.ok) inBackground(tellDone(undoneWords(name, line, undone.value, episode ? acceptedFiles(agent.world.state(), episode, (one) => agent.world.retention(one)).length : 0)));
  else await tellRefusal(undone.refusal, [{ label: 'Try Again', run: () => guarded('Undo', () => undo(agent, accept)) }]);
}

function nameOf(agent: Agent): string {
  const episode = episodeOf(agent);
  return episode ? agentName(episode) : agent.id;
}
