import * as vscode from 'vscode';
import { displayFolder } from '../../core/paths.ts';
import { count } from '../../core/projections/amounts.ts';
import { shortCommit } from '../../core/ids.ts';
import type { DelegationPlan } from '../../runtime/openWorld.ts';

const NAMED = 12;

/** Asked once a delegation, and only where uncommitted files lie under the folder. True to start from the commit. */
export async function startsFromCommit(plan: DelegationPlan): Promise<boolean> {
  const files = plan.uncommittedInside;
  if (files.length === 0) return true;
  const start = 'Start from the Commit';
  const named = files.slice(0, NAMED).join('\n') + (files.length > NAMED ? `\n…and ${String(files.length - NAMED)} more` : '');
  const answer = await vscode.window.showWarningMessage(
    `${count(files.length, 'file')} under ${displayFolder(plan.folder)} ${files.length === 1 ? 'is' : 'are'} not committed.`,
    { modal: true, detail: `The agent starts from the commit ${shortCommit(plan.commit)} and does not see what is not committed. Your files stay as they are.\n\n${named}` },
    start,
  );
  return answer === start;
}
