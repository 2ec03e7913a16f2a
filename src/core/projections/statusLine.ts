import type { WorldState } from '../world/state.ts';
import { count, usd } from './amounts.ts';

interface Activity {
  readonly working: number;
  readonly asking: number;
  readonly waiting: number;
}

/** What goes on over all of a window's repositories. */
export function activity(states: readonly WorldState[]): Activity {
  let working = 0;
  let asking = 0;
  let waiting = 0;
  for (const state of states) {
    for (const { phase } of state.episodes.values()) {
      if (phase.name === 'preparing' || phase.name === 'running') working += 1;
      else if (phase.name === 'asking' || phase.name === 'interrupted') asking += 1;
      else if (phase.name === 'waiting') waiting += 1;
    }
  }
  return { working, asking, waiting };
}

/** The status bar's text, without its icon: `2 agents, 1 asks · $0.42 today`. */
export function statusText({ working, asking, waiting }: Activity, todayUsd: number): string {
  const parts: string[] = [];
  if (working > 0) parts.push(count(working, 'agent'));
  if (asking > 0) parts.push(`${String(asking)} ${asking === 1 ? 'asks' : 'ask'}`);
  if (waiting > 0) parts.push(`${String(waiting)} to review`);
  return [parts.join(', '), todayUsd > 0 ? `${usd(todayUsd)} today` : ''].filter((part) => part !== '').join(' · ');
}
