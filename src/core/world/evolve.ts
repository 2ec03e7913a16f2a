import { unreachable } from '../exhaustive.ts';
import type { EpisodeId, MoveId } from '../ids.ts';
import type { LedgerEvent } from '../ledger/events.ts';
import { wallMsAt } from '../limits/binding.ts';
import { addUsage, NO_USAGE, type Usage } from '../limits/usage.ts';
import { withImported } from './imported.ts';
import type { Episode, Move, Phase, Spent, WorldState } from './state.ts';

/**
 * The state after one more fact. Total: a fact about an episode or move that is not known (a ledger copied in part)
 * changes nothing, so that replay never fails. `at` is the record's time in milliseconds.
 */
export function evolve(state: WorldState, event: LedgerEvent, at: number): WorldState {
  switch (event.type) {
    case 'episode.started': {
      const { episode: id, parent, world, target, goal, role, model, limits, uncommittedElsewhere, configWarnings = [] } = event;
      const started: Episode = {
        id, parent, world, target, goal, role, model, limits, uncommittedElsewhere, configWarnings, worktree: null, brought: [], notes: [], withoutFilters: false, worktreeKept: false, phase: { name: 'preparing' }, candidates: [], evidence: [], looked: null, reworked: null, messages: [], cancelling: false,
        spent: { usage: NO_USAGE, usd: 0, estimated: false, turns: 0, wallMs: 0, inFlight: new Map(), nextRequest: 1, requests: [] }, taken: null, published: 0, startedAt: at, changedAt: at,
      };
      const counted = Number.parseInt(id.slice(1), 10);
      return { ...withEpisode(state, started), nextEpisode: Math.max(state.nextEpisode, counted + 1) };
    }
    case 'episode.removed': {
      const episodes = new Map(state.episodes);
      episodes.delete(event.episode);
      return { ...state, episodes };
    }
    case 'episode.imported': return withImported(state, event.imported, at);
    case 'episode.published': return on(state, event.episode, at, (e) => ({ ...e, published: e.candidates.at(-1)?.number ?? 0 }), 'nothing happened');
    case 'episode.prepared': return on(state, event.episode, at, (e) => ({ ...e, worktree: event.worktree, brought: event.brought, notes: event.notes, phase: { name: 'running', since: at } }));
    case 'episode.asked': return on(state, event.episode, at, (e) => ({ ...e, phase: { name: 'asking', question: event.question, since: at } }));
    case 'episode.answered': return on(state, event.episode, at, (e) => answered(e, event, at));
    // Nobody was at work between the last fact and a start that finds the episode cut off: a night costs no wall time.
    case 'episode.interrupted': return on(state, event.episode, at, (e) => ({ ...e, phase: { name: 'interrupted', since: e.changedAt } }), 'nobody worked');
    case 'episode.resumed': return on(state, event.episode, at, (e) => ({ ...e, phase: atWork(e, at) }), 'nobody worked');
    case 'episode.message': return on(state, event.episode, at, (e) => ({ ...e, messages: [...e.messages, { number: event.number, words: event.words }] }), 'nothing happened');
    case 'episode.cancelling': return on(state, event.episode, at, (e) => ({ ...e, cancelling: true }), 'nothing happened');
    case 'episode.ended': return on(state, event.episode, at, (e) => ({ ...e, worktreeKept: event.kept === true, cancelling: false, phase: { name: 'ended', outcome: event.outcome, words: event.words, candidate: e.candidates.at(-1)?.number ?? null, at } }));

    case 'model.requested': return on(state, event.episode, at, (e) => ({ ...e, spent: reserve(e.spent, event.request, event.reserved) }));
    case 'model.answered': return on(state, event.episode, at, (e) => ({ ...e, spent: settle(e.spent, event, at, true) }));
    case 'model.failed': return on(state, event.episode, at, (e) => ({ ...e, spent: settle(e.spent, event, at, false) }));
    case 'tool.ran': return on(state, event.episode, at, (e) => e);

    case 'candidate.proposed': return on(state, event.episode, at, (e) => ({
      ...e,
      candidates: [...e.candidates.filter((c) => c.number !== event.replaces && c.number !== event.candidate.number), event.candidate],
      phase: { name: 'waiting', candidate: event.candidate.number, since: at },
      cancelling: false,
    }));
    case 'candidate.looked': return on(state, event.episode, at, (e) => ({ ...e, looked: Math.max(e.looked ?? 0, event.number) }), 'nothing happened');
    case 'check.ran': return on(state, event.episode, at, (e) => ({ ...e, evidence: [...e.evidence, { number: event.number, evidence: event.evidence, tip: event.tip ?? null, alone: event.alone ?? null, at }] }));

    case 'verdict.rejected': return on(state, event.episode, at, (e) => ({ ...e, phase: { name: 'ended', outcome: 'rejected', words: event.reason, candidate: event.number, at } }));
    case 'verdict.reason': return on(state, event.episode, at, (e) => (e.phase.name === 'ended' ? { ...e, phase: { ...e.phase, words: event.reason } } : e));
    case 'verdict.withdrawn': return on(state, event.episode, at, (e) => ({ ...e, phase: { name: 'waiting', candidate: event.number, since: at } }));
    case 'verdict.reworked': return on(state, event.episode, at, (e) => ({ ...e, ...event.madeAgain, cancelling: false, phase: atWork(e, at), reworked: { number: event.number, words: event.words }, model: event.model ?? e.model }));

    case 'move.prepared': {
      const { prepared } = event;
      const moves = new Map(state.moves).set(prepared.move, { prepared, at, state: { name: 'prepared' } });
      return on({ ...state, moves }, prepared.episode, at, (e) => (
        e.phase.name === 'waiting' || e.phase.name === 'ended' ? { ...e, phase: { name: 'judging', candidate: prepared.candidate, move: prepared.move, before: e.phase } } : e
      ));
    }
    case 'move.done': return onMove(state, event.move, at, (m) => ({ ...m, state: { name: 'done', tree: event.tree, at } }), (e, m) => moveDone(e, m.prepared, at));
    case 'move.dropped': return onMove(state, event.move, at, (m) => ({ ...m, state: { name: 'dropped', words: event.words } }), (e) => ({ ...e, phase: e.phase.name === 'judging' ? e.phase.before : e.phase }));
    case 'move.unclear': return onMove(state, event.move, at, (m) => ({ ...m, state: { name: 'unclear', words: event.words } }), (e) => ({ ...e, phase: e.phase.name === 'judging' ? { ...e.phase, unclear: event.words } : e.phase }));
    default: return unreachable(event);
  }
}

function withEpisode(state: WorldState, episode: Episode): WorldState {
  return { ...state, episodes: new Map(state.episodes).set(episode.id, episode) };
}

/** @param since what the time since the fact before was: work, if the phase says so; or none. */
function on(state: WorldState, id: EpisodeId, at: number, change: (e: Episode) => Episode, since: 'as its phase says' | 'nobody worked' | 'nothing happened' = 'as its phase says'): WorldState {
  const before = state.episodes.get(id);
  if (!before) return state;
  const after = change(before);
  const wallMs = since === 'as its phase says' ? wallMsAt(before, at) : before.spent.wallMs;
  return withEpisode(state, { ...after, spent: { ...after.spent, wallMs }, changedAt: since === 'nothing happened' ? before.changedAt : at });
}

/** An episode without a worktree is still preparing, also when it goes on after a question or an interruption. */
function atWork(e: Episode, at: number): Phase {
  return e.worktree === null ? { name: 'preparing' } : { name: 'running', since: at };
}

function onMove(state: WorldState, id: MoveId, at: number, change: (m: Move) => Move, episode: (e: Episode, m: Move) => Episode): WorldState {
  const move = state.moves.get(id);
  if (!move) return state;
  return on({ ...state, moves: new Map(state.moves).set(id, change(move)) }, move.prepared.episode, at, (e) => episode(e, move));
}

/** The candidates that a move brings count only now: had it been dropped, what waited before would wait again as it was. */
function moveDone(e: Episode, { kind, candidate, split, remade }: Move['prepared'], at: number): Episode {
  const brought = [...(split ? [split.taken, split.rest] : []), ...(remade ? [remade] : [])];
  const candidates = [...e.candidates, ...brought];
  return kind === 'accept' && !split
    ? { ...e, phase: { name: 'ended', outcome: 'retained', words: '', candidate, at } }
    : { ...e, candidates, phase: { name: 'waiting', candidate: candidates.at(-1)?.number ?? candidate, since: at } };
}

/** An answer lets the episode go on; `raise` doubles what was reached; the choices that end it come with their own event. */
function answered(e: Episode, event: Extract<LedgerEvent, { type: 'episode.answered' }>, at: number): Episode {
  if (e.phase.name !== 'asking') return e;
  const { question } = e.phase;
  const on: Episode = { ...e, withoutFilters: e.withoutFilters || event.answer.choice === 'without-filters', phase: atWork(e, at) };
  if (event.answer.choice !== 'raise' || question.kind !== 'limit') return on;
  const { limits } = e;
  switch (question.limit) {
    case 'cost': return { ...on, limits: { ...limits, costUsd: limits.costUsd * 2 } };
    case 'fresh tokens': return { ...on, limits: { ...limits, freshTokens: limits.freshTokens * 2 } };
    case 'tokens': return { ...on, limits: { ...limits, allTokens: limits.allTokens * 2 } };
    case 'turns': return { ...on, limits: { ...limits, turns: limits.turns * 2 } };
    case 'time': return { ...on, limits: { ...limits, wallMs: limits.wallMs * 2 } };
    // The day's cap is a machine's, not an episode's: raising it is a change in the spend file.
    case 'daily cost': case 'daily tokens': return on;
  }
}

function reserve(spent: Spent, request: number, reserved: { usage: Usage; usd: number }): Spent {
  return { ...spent, inFlight: new Map(spent.inFlight).set(request, reserved), nextRequest: Math.max(spent.nextRequest, request + 1) };
}

/** Counts a request once: an answer to one that is not in flight (told twice) adds nothing. */
function settle(spent: Spent, told: { request: number; usage: Usage; usd: number; estimated: boolean }, at: number, answered: boolean): Spent {
  const { request, usage, usd, estimated } = told;
  if (!spent.inFlight.has(request)) return spent;
  const inFlight = new Map(spent.inFlight);
  inFlight.delete(request);
  return { ...spent, inFlight, usage: addUsage(spent.usage, usage), usd: spent.usd + usd, estimated: spent.estimated || estimated, turns: spent.turns + (answered ? 1 : 0), requests: [...spent.requests, { request, at, usage, usd, estimated, answered }] };
}
