import * as vscode from 'vscode';
import type { AcceptPlan } from '../../runtime/openWorld.ts';
import { tellRefusal } from '../tellPerson.ts';
import type { Agent } from '../worlds.ts';

/** Runs a found command on the merged files, shown and cancelled as an accept is. What it gave stands in the next plan. */
export async function runCheckOnce(agent: Agent, plan: AcceptPlan, check: string): Promise<void> {
  const ran = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Running ${check} on the merged files`, cancellable: true }, (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return agent.world.runOnce({ episode: agent.id, candidate: plan.candidate, files: plan.files, check, signal: abort.signal, progress: (words) => progress.report({ message: words }) });
  });
  if (!ran.ok) await tellRefusal(ran.refusal);
}
