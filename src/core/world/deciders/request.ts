import { fitOf } from '../../limits/binding.ts';
import type { Command } from '../commands.ts';
import { accepted, refused, type Decision } from '../decision.ts';
import type { WorldState } from '../state.ts';
import { inPhase } from './precondition.ts';

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

export function modelAnswered({ episode, request, usage, usd, estimated }: Extract<Command, { type: 'model answered' }>): Decision {
  return accepted([{ type: 'model.answered', episode, request, usage, usd, estimated }]);
}

export function modelFailed({ episode, request, words, usage, usd, estimated }: Extract<Command, { type: 'model failed' }>): Decision {
  return accepted([{ type: 'model.failed', episode, request, words, usage, usd, estimated }]);
}
