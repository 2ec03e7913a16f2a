import type { EpisodeId } from '../../src/core/ids.ts';
import { subtreeUse } from '../../src/core/limits/binding.ts';
import { acceptedNumber, standingAccept, standingAccepts, type Episode, type WorldState } from '../../src/core/world/state.ts';

/** Cents of a cent: sums of money are compared to this. */
const ROUNDING = 1e-9;

/** What holds in every world that came about by commands. Gives what does not, in words. */
export function brokenIn(state: WorldState): string[] {
  return [...[...state.episodes.values()].flatMap((e) => brokenInEpisode(state, e).map((words) => `${e.id} (${e.phase.name}): ${words}`)), ...brokenInMoves(state)];
}

/** What may not have changed from one world to a later one: nothing is uncounted, no proposed change is lost. */
export function brokenBetween(before: WorldState, after: WorldState): string[] {
  return [...before.episodes.values()].flatMap((old) => {
    const now = after.episodes.get(old.id);
    if (!now) return [`${old.id} is gone`];
    const lost = old.candidates.filter((c) => c.source !== 'edit' && !now.candidates.some((n) => n.number === c.number && n.commit === c.commit));
    const less = (['usd', 'turns', 'wallMs', 'nextRequest'] as const).filter((key) => now.spent[key] < old.spent[key]);
    const forgotten = (['fresh', 'cached', 'output'] as const).filter((key) => now.spent.usage[key] < old.spent.usage[key]);
    return [...lost.map((c) => `proposed change ${String(c.number)} of ${old.id} is lost`), ...[...less, ...forgotten].map((key) => `${old.id} has used less ${key} than before`), ...(old.spent.estimated && !now.spent.estimated ? [`${old.id} forgot that it holds estimates`] : [])];
  });
}

function brokenInEpisode(state: WorldState, e: Episode): string[] {
  const { phase, spent } = e;
  const numbers = e.candidates.map((c) => c.number);
  const newest = numbers.at(-1) ?? null;
  const accepted = standingAccept(state, e.id);
  const use = subtreeUse(state, e.id);
  const rules: Record<string, boolean> = {
    'numbers of proposed changes only grow': numbers.every((n, i) => i === 0 || n > (numbers[i - 1] ?? 0)),
    'what waits is the newest change': phase.name !== 'waiting' || phase.candidate === newest,
    'what is judged is the newest change, or one that was accepted': phase.name !== 'judging' || phase.candidate === newest || standingAccepts(state, e.id).some(({ prepared }) => acceptedNumber(prepared) === phase.candidate),
    'what it ended with is a change that exists, or none': phase.name !== 'ended' || phase.candidate === null || numbers.includes(phase.candidate),
    'it works only in a worktree': phase.name !== 'running' || e.worktree !== null,
    'it prepares only while it has no worktree': phase.name !== 'preparing' || e.worktree === null,
    'a request is in flight only while it can still come back to work': spent.inFlight.size === 0 || phase.name === 'running' || phase.name === 'asking' || phase.name === 'interrupted',
    'no request has a number that is still to be given': [...spent.inFlight.keys()].every((n) => n < spent.nextRequest),
    'retained means that an accept of all that there was stands': phase.name !== 'ended' || (phase.outcome === 'retained') === (accepted !== undefined && accepted.prepared.split === undefined),
    'after an accept of all that there was nothing goes on but its undo': accepted === undefined || accepted.prepared.split !== undefined || phase.name === 'ended' || phase.name === 'judging',
    'rejected means that a change was rejected': phase.name !== 'ended' || phase.outcome !== 'rejected' || phase.candidate !== null,
    'cost never passes its cap, what is in flight included': use.spent.usd + use.flying.usd <= e.limits.costUsd + ROUNDING,
    'turns never pass their cap and the one that is announced as the last': use.spent.turns + use.flying.turns <= e.limits.turns + 1,
    'fresh tokens never pass their cap': use.spent.usage.fresh + use.flying.usage.fresh <= e.limits.freshTokens,
    'its move is one that is under way': phase.name !== 'judging' || isOpen(state, phase.move, e.id),
    'nothing spent is negative': spent.usd >= 0 && spent.wallMs >= 0 && spent.turns >= 0,
    'what was looked at exists': e.looked === null || e.looked <= (newest ?? 0),
  };
  return Object.entries(rules).filter(([, holds]) => !holds).map(([rule]) => rule);
}

function brokenInMoves(state: WorldState): string[] {
  return [...state.moves.values()].flatMap((m) => {
    const phase = state.episodes.get(m.prepared.episode)?.phase;
    const judged = phase?.name === 'judging' && phase.move === m.prepared.move;
    return isOpen(state, m.prepared.move, m.prepared.episode) === judged ? [] : [`${m.prepared.move} is ${m.state.name}, and its episode ${phase?.name ?? 'unknown'}`];
  });
}

function isOpen(state: WorldState, id: Parameters<WorldState['moves']['get']>[0], episode: EpisodeId): boolean {
  const move = state.moves.get(id);
  return move !== undefined && move.prepared.episode === episode && (move.state.name === 'prepared' || move.state.name === 'unclear');
}
