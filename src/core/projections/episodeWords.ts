import { unreachable } from '../exhaustive.ts';
import type { Retention } from '../candidate/retention.ts';
import { shortCommit, shortEpisode } from '../ids.ts';
import { pricesOf } from '../episode/model.ts';
import type { Line, Outcome } from '../ledger/events.ts';
import type { Limits } from '../limits/limits.ts';
import type { ModelRef } from '../episode/model.ts';
import { displayFolder } from '../paths.ts';
import type { Episode, Move } from '../world/state.ts';
import { count, duration, oneLine, tokens, usd } from './amounts.ts';
import { questionWords } from './questionWords.ts';

/** `e12 packages/api`: how an agent is named in sentences, titles and rows. */
export function agentName(episode: Pick<Episode, 'id' | 'world'>): string {
  return `${shortEpisode(episode.id)} ${displayFolder(episode.world.path)}`;
}

/** What a person waits for, in the order in which rows stand. */
export type Urgency = 'asks' | 'works' | 'waits' | 'ended';

export function urgency(episode: Episode): Urgency {
  switch (episode.phase.name) {
    case 'asking': case 'interrupted': return 'asks';
    case 'preparing': case 'running': return 'works';
    case 'waiting': case 'judging': return 'waits';
    case 'ended': return 'ended';
  }
}

/** State in words. `live` is what it does this moment, where this window knows. */
export function stateWords(episode: Episode, live: string | undefined): string {
  const { phase } = episode;
  switch (phase.name) {
    case 'preparing': return live ?? 'preparing its worktree';
    case 'running': return [...(episode.cancelling ? ['finishing up'] : []), live ?? (episode.reworked ? 'reworking' : 'working')].join(' · ');
    case 'asking': return oneLine(questionWords(phase.question).short, 120);
    case 'interrupted': return 'interrupted: go on or stop?';
    case 'waiting': return live ?? 'proposes a change';
    case 'judging': return phase.unclear === undefined ? live ?? 'verdict under way' : `cut off, and not put right: ${oneLine(phase.unclear, 300)} Put these files right by hand, then accept again`;
    case 'ended': return phase.words === '' ? outcomeWords(phase.outcome) : `${outcomeWords(phase.outcome)}: ${oneLine(phase.words, 120)}`;
    default: return unreachable(phase);
  }
}

export function outcomeWords(outcome: Outcome): string {
  return outcome === 'retained' ? 'accepted' : outcome;
}

/** Where an accepted change is now, if that is elsewhere than where it was accepted: `retained as 1a2b3c4`, `no longer found on main`; else empty. */
export function retentionWords({ prepared }: Move, retention: Retention | undefined): string {
  // A branch that is deleted was merged, as a rule: no words, rather than a false alarm.
  if (retention === undefined || retention.kind === 'line gone') return '';
  if (retention.kind === 'rewritten') return `no longer found on ${lineName(prepared.target)}`;
  return retention.as === prepared.new ? '' : `retained as ${shortCommit(retention.as)}`;
}

/** Turns, tokens and cost so far: `12 turns · 340 k tokens · $0.12`. An estimate is marked with `~`. */
export function spentWords(episode: Episode): string {
  const { spent } = episode;
  const about = spent.estimated ? '~' : '';
  const all = spent.usage.fresh + spent.usage.cached + spent.usage.output;
  const parts = [count(spent.turns, 'turn')];
  if (episode.model.kind !== 'survey') parts.push(`${about}${tokens(all)} tokens`, costWords(episode));
  return parts.filter((part) => part !== '').join(' · ');
}

/** What an agent has cost: `$0.12`, `~$0.12` where estimated, empty for a model without prices that has cost nothing known. */
export function costWords(episode: Episode): string {
  const { spent } = episode;
  if (episode.model.kind === 'survey') return 'free';
  if (!pricesOf(episode.model).known) return '';
  return `${spent.estimated ? '~' : ''}${usd(spent.usd)}`;
}

/** What a delegation may use: `up to $2.00 · 60 min`; a model without prices is bound by tokens. */
export function limitWords(limits: Limits, model: ModelRef): string {
  const amount = pricesOf(model).known ? usd(limits.costUsd) : `${tokens(limits.allTokens)} tokens`;
  const minutes = Math.round(limits.wallMs / 60_000);
  return `up to ${amount} · ${minutes <= 180 ? `${String(minutes)} min` : duration(limits.wallMs)}`;
}

/** A line as people name it: `main`, or `HEAD` where detached. */
export function lineName(line: Line): string {
  return line.kind === 'detached' ? 'HEAD' : branchName(line.ref);
}

export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}
