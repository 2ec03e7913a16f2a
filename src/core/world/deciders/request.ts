import { fitOf } from '../../limits/binding.ts';
import type { LedgerEvent } from '../../ledger/events.ts';
import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { Episode, WorldState } from '../state.ts';
import { inPhase, unknownEpisode } from './precondition.ts';

/**
 * One more request to a model: written with its reservation before it is sent. Where a limit is reached the person is
 * asked; where it only does not fit yet, the refusal `limit-reached` says to wait for what is in flight.
 */
export function requestModel(state: WorldState, command: Extract<Command, { type: 'request model' }>): Decision {
  const found = inPhase(state, command.episode, 'continued', 'running');
  if (!found.ok) return refused(found.refusal);
  const fit = fitOf(state, found.episode, command.estimate, command.usd, command.at);
  switch (fit.kind) {
    case 'fits':
      return accepted([{ type: 'model.requested', episode: command.episode, request: found.episode.spent.nextRequest, reserved: { usage: command.estimate, usd: command.usd } }]);
    case 'wait':
      return refused({ reason: 'limit-reached', message: 'The request does not fit beside those in flight.', next: 'It is sent when they have been counted.' });
    case 'reached':
      return accepted([{ type: 'episode.asked', episode: command.episode, question: { kind: 'limit', limit: fit.limit, used: fit.used, cap: fit.cap } }]);
  }
}

export function modelAnswered(state: WorldState, { episode, request, usage, usd, estimated }: Extract<Command, { type: 'model answered' }>): Decision {
  const found = state.episodes.get(episode);
  if (!found) return refused(unknownEpisode(episode));
  // Told twice is counted once (rule 8), also by whoever adds up the ledger's records.
  if (!found.spent.inFlight.has(request)) return accepted([]);
  return accepted([{ type: 'model.answered', episode, request, usage, usd, estimated }]);
}

export function modelFailed(state: WorldState, { episode, request, words, usage, usd, estimated }: Extract<Command, { type: 'model failed' }>): Decision {
  const found = state.episodes.get(episode);
  if (!found) return refused(unknownEpisode(episode));
  if (!found.spent.inFlight.has(request)) return accepted([]);
  return accepted([{ type: 'model.failed', episode, request, words, usage, usd, estimated }]);
}

/** Requests whose answer nobody waits for any more: counted as reserved and marked as estimated, so that none is lost (rule 8). */
export function countAbandoned(episode: Episode, words: string): LedgerEvent[] {
  return [...episode.spent.inFlight].map(([request, reserved]) => ({ type: 'model.failed', episode: episode.id, request, words, usage: reserved.usage, usd: reserved.usd, estimated: true }));
}
