import * as vscode from 'vscode';
import { agentName, stateWords } from '../../core/projections/episodeWords.ts';
import { tellRefusal } from '../tellPerson.ts';
import { episodeOf, type Agent } from '../worlds.ts';

/** A notification with what goes on while an agent's worktree is made; it goes when the agent has begun or is over. */
export function showPreparing(agent: Agent): void {
  const episode = episodeOf(agent);
  if (!episode) return;
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: agentName(episode), cancellable: true }, (progress, token) => new Promise<void>((resolve) => {
    const look = () => {
      const now = episodeOf(agent);
      if (now?.phase.name !== 'preparing') {
        subscription.dispose();
        resolve();
        return;
      }
      progress.report({ message: stateWords(now, agent.world.live(agent.id)?.words) });
    };
    const subscription = agent.world.onChange(look);
    token.onCancellationRequested(() => void agent.world.stop(agent.id).then((stopped) => (stopped.ok ? undefined : tellRefusal(stopped.refusal))));
    look();
  }));
}
