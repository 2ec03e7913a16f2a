import * as vscode from 'vscode';
import { refName, type MoveId, type RefName } from '../../core/ids.ts';
import { subjectLine } from '../../core/candidate/commitMessage.ts';
import { agentName, lineName } from '../../core/projections/episodeWords.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { Accepted, AcceptPlan, AcceptRequest, Result } from '../../runtime/openWorld.ts';
import type { LongTextEditor } from '../longText/longTextEditor.ts';
import type { ChangeFiles } from '../review/changeFiles.ts';
import { inBackground, tellDone, tellRefusal, type Button } from '../tellPerson.ts';
import { episodeOf, type Agent } from '../worlds.ts';
import { askAccept } from './acceptBox.ts';
import { addChecks } from './addChecks.ts';
import { acceptedWords, branchNameProblem, mayOverride } from './acceptWords.ts';
import { decideOutsideFirst } from './outside.ts';
import { pickFiles } from './pickFiles.ts';
import { runCheckOnce } from './runCheckOnce.ts';
import { saveTypedText, unsavedFiles } from './unsaved.ts';

export interface AcceptDependencies {
  readonly files: ChangeFiles;
  readonly texts: LongTextEditor;
  readonly openChanges: (agent: Agent) => Promise<void>;
  readonly showAgent: (agent: Agent) => Promise<void>;
  readonly rework: (agent: Agent) => Promise<void>;
  readonly undo: (agent: Agent, accept: MoveId) => Promise<void>;
}

interface Chosen extends Pick<AcceptRequest, 'to' | 'message'> {
  /** As it was when the person chose: running a command once makes a newer one. */
  readonly plan: AcceptPlan;
}

/** From the button to the accepted commit: what was typed is saved, outside changes decided, target and message shown, then accepted. */
export async function acceptChange(agent: Agent, prefer: 'line' | 'new-branch', deps: AcceptDependencies, files: AcceptPlan['files'] = null): Promise<void> {
  if (!(await saveTypedText(agent, deps.files))) return;
  const first = await planOf(agent, files);
  if (!first || !(await decideOutsideFirst(agent, first.undecidedOutside))) return;
  // Deciding made another candidate: what is shown and what is accepted must be that one.
  const plan = first.undecidedOutside.length === 0 ? first : await planOf(agent, files);
  if (!plan) return;
  const chosen = await chooseTarget(agent, plan, prefer, deps);
  if (chosen) await carryOut(agent, chosen, null, deps);
}

async function planOf(agent: Agent, files: AcceptPlan['files']): Promise<AcceptPlan | undefined> {
  const plan = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'Looking at the branch' }, () => agent.world.planAccept(agent.id, files));
  if (plan.ok) return plan.value;
  await tellRefusal(plan.refusal);
  return undefined;
}

async function chooseTarget(agent: Agent, first: AcceptPlan, prefer: 'line' | 'new-branch', deps: AcceptDependencies): Promise<Chosen | undefined> {
  const name = nameOf(agent);
  let plan = first;
  let { message } = plan;
  for (;;) {
    const step = await askAccept(name, plan, message, prefer);
    message = step.message;
    switch (step.kind) {
      case 'away': return undefined;
      case 'accept': return { plan, to: { kind: 'line' }, message };
      case 'new-branch': {
        const ref = await askBranch(agent, message);
        if (ref !== undefined) return { plan, to: { kind: 'new-branch', ref }, message };
        break;
      }
      case 'some-files': {
        const files = await pickFiles(name, plan);
        const next = files === undefined ? plan : await planOf(agent, files);
        if (!next) return undefined;
        // Its body says how many files are taken; what the person typed stays.
        if (message === plan.message) ({ message } = next);
        plan = next;
        break;
      }
      case 'edit-message': message = (await deps.texts.edit(`Message of ${name}`, message)) ?? message; break;
      case 'open-changes': await deps.openChanges(agent); return undefined;
      case 'rework': await deps.rework(agent); return undefined;
      case 'show-output': await deps.showAgent(agent); return undefined;
      case 'add-checks':
        if (await addChecks(agent.world, plan.found)) return undefined;
        break;
      case 'run-once': {
        await runCheckOnce(agent, plan, step.check);
        const now = await planOf(agent, plan.files);
        if (!now) return undefined;
        if (now.candidate !== plan.candidate) ({ message } = now);
        plan = now;
      }
    }
  }
}

async function askBranch(agent: Agent, message: string): Promise<RefName | undefined> {
  const { repository } = agent.world;
  const name = await vscode.window.showInputBox({
    title: `Accept ${nameOf(agent)} to a New Branch`, prompt: 'Name of the branch. It is made at the tip, with the change on top, and checked out nowhere.', value: `worldtree/${slug(message)}`, ignoreFocusOut: true,
    validateInput: async (text) => branchNameProblem(text) ?? ((await repository.resolve(`refs/heads/${text.trim()}`)) === null ? undefined : 'There is a branch of this name already'),
  });
  return name === undefined ? undefined : refName.parse(`refs/heads/${name.trim()}`);
}

function slug(message: string): string {
  const words = subjectLine(message.split('\n')[0] ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return words.slice(0, 40).replace(/-+$/, '') || 'change';
}

async function carryOut(agent: Agent, chosen: Chosen, override: string | null, deps: AcceptDependencies): Promise<void> {
  const { plan, to, message } = chosen;
  // Saved once more and held at once: what was typed while the box was open must not be left behind by the verdict.
  if (!(await saveTypedText(agent, deps.files))) return;
  const waiting = episodeOf(agent)?.phase;
  if (waiting?.name !== 'waiting' || waiting.candidate !== plan.candidate) {
    if (waiting?.name === 'waiting') inBackground(tellDone('The change was edited meanwhile. Accept it again to see what it is now.', [{ label: 'Accept…', run: () => acceptChange(agent, 'line', deps) }]));
    return;
  }
  const name = nameOf(agent);
  const held = deps.files.hold(agent);
  let accepted: Result<Accepted>;
  try {
    const target = to.kind === 'line' ? lineName(plan.target) : lineName({ kind: 'branch', ref: to.ref });
    accepted = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Accepting ${name} onto ${target}`, cancellable: true }, (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return agent.world.accept({ episode: agent.id, candidate: plan.candidate, to, message, files: plan.files, override, signal: abort.signal, progress: (words) => progress.report({ message: words }), unsaved: unsavedFiles });
    });
  } finally {
    held.dispose();
  }
  if (accepted.ok) inBackground(tellDone(acceptedWords(name, accepted.value), [{ label: 'Undo', run: () => deps.undo(agent, accepted.value.move) }]));
  else await tellRefusal(accepted.refusal, buttonsFor(accepted.refusal, agent, chosen, deps));
}

/** The next steps that this window can do itself, for what stood in the way of an accept. */
function buttonsFor(refusal: Refusal, agent: Agent, chosen: Chosen, deps: AcceptDependencies): Button[] {
  const { files } = chosen.plan;
  const again: Button = { label: 'Try Again', run: () => acceptChange(agent, 'line', deps, files) };
  const rework: Button = { label: 'Rework…', run: () => deps.rework(agent) };
  const newBranch: Button = { label: 'Accept to a New Branch…', run: () => acceptChange(agent, 'new-branch', deps, files) };
  if (mayOverride(refusal)) return [{ label: 'Show Output', run: () => deps.showAgent(agent) }, rework, { label: 'Accept Anyway…', run: () => acceptAnyway(agent, chosen, deps) }];
  switch (refusal.reason) {
    case 'conflict': case 'hook-failed': return [rework];
    case 'hook-changed-tree': return [{ label: 'Open Changes', run: () => deps.openChanges(agent) }, { label: 'Accept…', run: () => acceptChange(agent, 'line', deps) }];
    case 'dirty-files': case 'untracked-files': case 'unsaved-files': case 'checkout-unreachable': return [again, newBranch];
    case 'branch-moved': case 'operation-in-progress': case 'signing-failed': case 'git-failed': return [again];
    case 'branch-missing': return [newBranch];
    case 'candidate-superseded': return [{ label: 'Open Changes', run: () => deps.openChanges(agent) }];
    default: return [];
  }
}

/** Past a check only with a reason: it is recorded as an override. */
async function acceptAnyway(agent: Agent, chosen: Chosen, deps: AcceptDependencies): Promise<void> {
  const reason = await vscode.window.showInputBox({ title: `Accept ${nameOf(agent)} Anyway`, prompt: 'Why may it be accepted although a check did not pass? Kept in the history.', ignoreFocusOut: true, validateInput: (text) => (text.trim() === '' ? 'A reason is needed' : undefined) });
  if (reason !== undefined) await carryOut(agent, chosen, reason.trim(), deps);
}

function nameOf(agent: Agent): string {
  const episode = episodeOf(agent);
  return episode ? agentName(episode) : agent.id;
}
