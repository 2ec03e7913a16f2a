import type { ImportedEpisode } from '../ledger/events.ts';
import type { Usage } from '../limits/usage.ts';
import type { Episode, Move, WorldState } from './state.ts';
import type { MoveId } from '../ids.ts';

/** The state with an agent that another clone told of; one that is known keeps everything that it has here. */
export function withImported(state: WorldState, told: ImportedEpisode, at: number): WorldState {
  const known = state.episodes.get(told.id);
  const episodes = new Map(state.episodes).set(told.id, known ? continued(known, told, at) : begun(told, at));
  return { ...state, episodes, moves: withMoves(state.moves, told) };
}

function begun(told: ImportedEpisode, at: number): Episode {
  const { id, parent, world, target, goal, role, model, limits, phase, spent, candidates, evidence, reworked, startedAt, record } = told;
  return {
    id, parent, world, target, goal, role, model, limits, uncommittedElsewhere: 0, configWarnings: [], worktree: null, brought: [], notes: [], withoutFilters: false, worktreeKept: false, phase, candidates, evidence, looked: null, reworked, messages: [], cancelling: false,
    spent: { ...spent, inFlight: new Map(), nextRequest: 1, requests: [] }, taken: record, published: candidates.at(-1)?.number ?? 0, startedAt, changedAt: at,
  };
}

/** Changes, evidence and what was spent only grow: nothing that another clone says takes anything from here (rules 4 and 8). */
function continued(known: Episode, told: ImportedEpisode, at: number): Episode {
  const numbers = new Set(known.candidates.map((c) => c.number));
  const seen = new Set(known.evidence.map(({ number, at: ran }) => `${number} ${ran}`));
  const candidates = [...known.candidates, ...told.candidates.filter((c) => !numbers.has(c.number))].toSorted((a, b) => a.number - b.number);
  return {
    ...known, candidates, phase: told.phase, reworked: told.reworked ?? known.reworked,
    evidence: [...known.evidence, ...told.evidence.filter(({ number, at: ran }) => !seen.has(`${number} ${ran}`))],
    spent: {
      ...known.spent, usage: most(known.spent.usage, told.spent.usage), usd: Math.max(known.spent.usd, told.spent.usd), estimated: known.spent.estimated || told.spent.estimated,
      turns: Math.max(known.spent.turns, told.spent.turns), wallMs: Math.max(known.spent.wallMs, told.spent.wallMs),
    },
    taken: told.record, published: candidates.at(-1)?.number ?? 0, changedAt: at,
  };
}

/** A move that was dropped here moved nothing, so one that was done elsewhere may stand under its name. */
function withMoves(moves: WorldState['moves'], told: ImportedEpisode): Map<MoveId, Move> {
  const all = new Map(moves);
  for (const { prepared, at, tree, doneAt } of told.moves) {
    if (all.get(prepared.move)?.state.name === 'done') continue;
    // Taken out first: which accept stands is read from the order in which they were done.
    all.delete(prepared.move);
    all.set(prepared.move, { prepared, at, state: { name: 'done', tree, at: doneAt } });
  }
  return all;
}

function most(a: Usage, b: Usage): Usage {
  return { fresh: Math.max(a.fresh, b.fresh), cached: Math.max(a.cached, b.cached), output: Math.max(a.output, b.output), reasoning: Math.max(a.reasoning, b.reasoning) };
}
